// The access of a deployment's functions to their API server, and the separation of two deployments.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  declarations,
  eksDeployment,
  functions,
  list,
  makeBundles,
  type Synthesised,
  synthesise,
} from '../support/synthesised.ts';

const made = makeBundles();
let eks: Synthesised;

beforeAll(() => {
  eks = synthesise(eksDeployment, made);
});

afterAll(() => made.remove());

const reaching = [...functions.map(({ name }) => name), 'audit-webhook', 'windowed-forwarder'].filter(
  name => name !== 'timer',
);

describe('functions of an EKS cluster', () => {
  it.each(reaching)('%s has a separate access entry with the group of its name', name => {
    const entries = eks
      .all('AWS::EKS::AccessEntry')
      .filter(
        ({ Properties }) =>
          JSON.stringify(Properties['PrincipalArn']) === JSON.stringify({ 'Fn::GetAtt': [eks.roleOf(name), 'Arn'] }),
      );
    expect(entries.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({ ClusterName: 'mgmt', KubernetesGroups: [`capi-serverless:${name}`], Type: 'STANDARD' }),
    ]);
    expect(eks.variablesOf(name)).toMatchObject({
      CAPI_EKS_CLUSTER: 'mgmt',
      CAPI_EKS_ENDPOINT: eksDeployment.apiServer.endpoint,
      CAPI_EKS_CERTIFICATE_AUTHORITY: eksDeployment.apiServer.certificateAuthority,
    });
  });

  it('are exactly the functions with an access entry: the timer uses only queues', () => {
    expect(eks.all('AWS::EKS::AccessEntry')).toHaveLength(reaching.length);
    expect(Object.keys(eks.variablesOf('timer')).filter(name => /EKS|KUBECONFIG/.test(name))).toEqual([]);
  });

  it('have no access entries if the deployment manages them elsewhere', () => {
    const apiServer = { ...eksDeployment.apiServer, accessEntries: false };
    const without = synthesise({ ...eksDeployment, name: 'capi-no-entries', apiServer }, made);
    expect(without.all('AWS::EKS::AccessEntry')).toEqual([]);
  });
});

describe('functions inside a VPC', () => {
  const names = [...reaching, 'timer'];

  it.each(names)('%s has a security group without ingress, and may connect to any TCP port', name => {
    const { SubnetIds, SecurityGroupIds } = eks.resourceOf(name).Properties['VpcConfig'] as {
      readonly SubnetIds: unknown;
      readonly SecurityGroupIds: readonly { readonly 'Fn::GetAtt': readonly string[] }[];
    }; // True: the type of its input.
    expect(SubnetIds).toEqual(eksDeployment.vpc.subnets);
    const group = eks.resources[SecurityGroupIds[0]?.['Fn::GetAtt'][0] ?? ''];
    expect(group?.Type).toBe('AWS::EC2::SecurityGroup');
    expect(group?.Properties['SecurityGroupIngress']).toBeUndefined();
    // API servers of workload clusters listen on 6443 and other ports.
    expect(group?.Properties['SecurityGroupEgress']).toEqual([
      { IpProtocol: 'tcp', FromPort: 1, ToPort: 65_535, CidrIp: '0.0.0.0/0' },
    ]);
  });

  it('are allowed into the cluster by its security group, at the port of the API server', () => {
    const ingress = eks.all('AWS::EC2::SecurityGroupIngress').map(({ Properties }) => Properties);
    expect(ingress).toHaveLength(reaching.length);
    for (const rule of ingress) {
      expect(rule).toMatchObject({ GroupId: 'sg-0123456789abcdef0', FromPort: 443, ToPort: 443 });
    }
  });

  it.each(names)(
    '%s has rights on network interfaces that its code cannot use, and no other right on all resources',
    name => {
      const broad = eks.statementsOf(name).filter(({ Resource }) => list(Resource).includes('*'));
      const [allowed, denied, ...others] = broad;
      expect(others).toEqual([]);
      expect([allowed?.Effect, denied?.Effect]).toEqual(['Allow', 'Deny']);
      expect(denied?.Action).toEqual(allowed?.Action);
      expect(
        list(allowed?.Action ?? []).every(action => /^ec2:\w+(NetworkInterfaces?|IpAddresses|Subnets)$/.test(action)),
      ).toBe(true);
      expect(JSON.stringify(denied?.Condition)).toContain(`:function:capi-eks-${name}`);
    },
  );
});

describe('functions with a kubeconfig', () => {
  it('read the secret that the deployment names', () => {
    const secretArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:mgmt/kubeconfig-AbCdEf';
    const named = synthesise({ name: 'capi-named', apiServer: { kind: 'kubeconfig', secretArn } }, made);
    expect(named.variablesOf('cluster')['CAPI_KUBECONFIG_SECRET']).toBe(secretArn);
    expect(named.mayDo('cluster', 'secretsmanager:GetSecretValue')).toEqual([secretArn]);
    expect(named.mayDo('timer', 'secretsmanager:GetSecretValue')).toEqual([]);
    expect(named.all('AWS::SecretsManager::Secret')).toEqual([]);
  });

  it('read a separate empty secret if the deployment names none, so that no kubeconfig is in a template', () => {
    const own = synthesise({ name: 'capi-own' }, made);
    const [secret, ...others] = own.all('AWS::SecretsManager::Secret');
    expect(others).toEqual([]);
    expect(secret?.Properties).not.toHaveProperty('SecretString');
    expect(secret?.Properties).not.toHaveProperty('GenerateSecretString');
    expect(own.mayDo('cluster', 'secretsmanager:GetSecretValue')).toEqual([
      own.variablesOf('cluster')['CAPI_KUBECONFIG_SECRET'],
    ]);
  });
});

describe('a certificate for extension servers', () => {
  it('is read only by the functions that call hooks', () => {
    const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:client-AbCdEf';
    const settings = { extensionServices: 'dns', extensionClientCertificateSecret: arn };
    const calling = synthesise({ ...eksDeployment, name: 'capi-calling', settings }, made);
    const callers = declarations.filter(({ ports }) => ports.includes('hooks')).map(({ name }) => name);
    const readers = [...reaching, 'timer'].filter(name =>
      calling.mayDo(name, 'secretsmanager:GetSecretValue').some(resource => resource === arn),
    );
    expect(readers.toSorted()).toEqual(callers.toSorted());
    expect(calling.variablesOf('cluster')).toMatchObject({
      CAPI_EXTENSION_SERVICES: 'dns',
      CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET: arn,
    });
  });
});
