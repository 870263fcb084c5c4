// The access of a provider's functions to their API server, and the permissions of their roles.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Document, parseAllDocuments } from 'yaml';
import { declarations, inEks, makeProviders, reaching } from '../support/provider-stack.ts';

const { deploy, remove } = makeProviders();
let plain: ReturnType<typeof deploy>;
let ofEks: ReturnType<typeof deploy>;

beforeAll(() => {
  plain = deploy({ name: 'racks' });
  ofEks = deploy({ ...inEks, name: 'racks-eks' });
});

afterAll(() => remove());

describe('functions of a provider with a kubeconfig', () => {
  it('read a separate empty secret, except the timer', () => {
    const [secret, ...others] = plain.made.all('AWS::SecretsManager::Secret');
    expect(others).toEqual([]);
    expect(secret?.Properties).not.toHaveProperty('SecretString');
    for (const name of reaching) {
      const reported = plain.made.variablesOf(name)['CAPI_KUBECONFIG_SECRET'];
      expect(reported).toBeDefined();
      expect(plain.made.mayDo(name, 'secretsmanager:GetSecretValue')).toEqual([reported]);
    }
    expect(plain.made.mayDo('timer', 'secretsmanager:GetSecretValue')).toEqual([]);
    expect(plain.made.variablesOf('timer')).not.toHaveProperty('CAPI_KUBECONFIG_SECRET');
  });

  it('read the secret that the deployment names', () => {
    const secretArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:mgmt/kubeconfig-AbCdEf';
    const { made: named } = deploy({ name: 'racks-named', apiServer: { kind: 'kubeconfig', secretArn } });
    expect(named.mayDo('old-cluster', 'secretsmanager:GetSecretValue')).toEqual([secretArn]);
    expect(named.all('AWS::SecretsManager::Secret')).toEqual([]);
  });

  it('act as one service account, which has the roles of all', () => {
    const account = [{ kind: 'ServiceAccount', namespace: 'racks', name: 'functions' }];
    const bindings = bindingsIn(plain.rbac);
    expect(bindings.map(({ subjects }) => subjects)).toEqual(bindings.map(() => account));
    expect(bindings.map(({ roleRef }) => roleRef.name)).toEqual(
      expect.arrayContaining(reaching.map(name => `capi-serverless-racks-${name}`)),
    );
  });
});

describe('functions of a provider in an EKS cluster', () => {
  const groupOf = (name: string): unknown => {
    const principal = JSON.stringify({ 'Fn::GetAtt': [ofEks.made.roleOf(name), 'Arn'] });
    const entries = ofEks.made
      .all('AWS::EKS::AccessEntry')
      .filter(({ Properties }) => JSON.stringify(Properties['PrincipalArn']) === principal);
    return entries.map(({ Properties }) => Properties['KubernetesGroups']);
  };

  it.each(reaching)('%s has a separate access entry, and its role is bound to the group of this entry', name => {
    const group = `capi-serverless:racks-eks-${name}`;
    expect(groupOf(name)).toEqual([[group]]);
    const bound = bindingsIn(ofEks.rbac).filter(({ subjects }) => subjects.some(subject => subject.name === group));
    expect(bound.map(({ roleRef }) => roleRef.name)).toContain(`capi-serverless-racks-eks-${name}`);
    expect(ofEks.made.variablesOf(name)).toMatchObject({
      CAPI_EKS_CLUSTER: 'mgmt',
      CAPI_EKS_ENDPOINT: inEks.apiServer.endpoint,
    });
    expect(ofEks.made.mayDo(name, 'secretsmanager:GetSecretValue')).toEqual([]);
  });

  it('are exactly the functions with an access entry and a role binding', () => {
    expect(ofEks.made.all('AWS::EKS::AccessEntry')).toHaveLength(reaching.length);
    const bound = bindingsIn(ofEks.rbac).flatMap(({ subjects }) => subjects.map(({ name }) => name));
    expect([...new Set(bound)].toSorted()).toEqual(
      reaching.map(name => `capi-serverless:racks-eks-${name}`).toSorted(),
    );
  });

  it("are allowed by the cluster's security group, and accept no connections", () => {
    expect(ofEks.made.all('AWS::EC2::SecurityGroupIngress')).toHaveLength(1);
    expect(ofEks.made.all('AWS::EC2::SecurityGroup')).toHaveLength(1);
    for (const { Properties } of ofEks.made.all('AWS::EC2::SecurityGroup')) {
      expect(Properties).not.toHaveProperty('SecurityGroupIngress');
    }
  });
});

describe('the roles of a provider in its management cluster', () => {
  const rolesIn = (text: string) =>
    new Map(documentsOf<Role>(text, 'ClusterRole').map(({ metadata, rules }) => [metadata.name, rules]));

  it('allow each reconciler what it declares, and to read the uid of the cluster', () => {
    const roles = rolesIn(ofEks.rbac);
    for (const { name, rules } of declarations) {
      const [identity, ...others] = (roles.get(`capi-serverless-racks-eks-${name}`) ?? []).filter(
        rule => !rules.some(({ why: _, ...declared }) => JSON.stringify(declared) === JSON.stringify(rule)),
      );
      expect(others).toEqual([]);
      expect(identity).toEqual({
        apiGroups: [''],
        resources: ['namespaces'],
        resourceNames: ['kube-system'],
        verbs: ['get'],
      });
    }
  });

  it('never allow all verbs on all resources, and do not allow reading Secrets', () => {
    const rules = [...rolesIn(ofEks.rbac).values()].flat();
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(rule => JSON.stringify(rule).includes('*'))).toEqual([]);
    expect(rules.filter(({ resources }) => resources.includes('secrets'))).toEqual([]);
  });
});

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

interface Binding {
  readonly kind: string;
  readonly roleRef: { readonly name: string };
  readonly subjects: readonly { readonly name: string }[];
}

function documentsOf<T extends { readonly kind: string }>(text: string, ...kinds: readonly string[]): readonly T[] {
  return parseAllDocuments(text)
    .map((document: Document) => document.toJS() as T) // true: the documents are manifests
    .filter(({ kind }) => kinds.includes(kind));
}

function bindingsIn(text: string): readonly Binding[] {
  return documentsOf<Binding>(text, 'ClusterRoleBinding', 'RoleBinding');
}
