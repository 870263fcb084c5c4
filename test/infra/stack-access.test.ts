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
      CAPI_EKS_CERTIFICATE_AUTHORITY_FILE: '/opt/certificate-authority.pem',
    });
  });

  it('are exactly the functions with an access entry: the timer uses only queues', () => {
    expect(eks.all('AWS::EKS::AccessEntry')).toHaveLength(reaching.length);
    expect(Object.keys(eks.variablesOf('timer')).filter(name => /EKS|KUBECONFIG/.test(name))).toEqual([]);
  });

  it('have the certificate authority in a layer, which others do not have', () => {
    const layers = Object.entries(eks.resources).filter(([, { Type }]) => Type === 'AWS::Lambda::LayerVersion');
    expect(layers).toHaveLength(1);
    for (const name of reaching) {
      expect(eks.resourceOf(name).Properties['Layers'], name).toEqual([{ Ref: layers[0]?.[0] }]);
    }
    expect(eks.resourceOf('timer').Properties).not.toHaveProperty('Layers');
    const { certificateAuthority } = eksDeployment.apiServer;
    const pem = Buffer.from(certificateAuthority, 'base64').toString();
    expect(eks.assets('certificate-authority.pem')).toEqual([pem]);
    expect(JSON.stringify(eks.resources)).not.toContain(certificateAuthority);
  });

  it('have no access entries if the deployment manages them elsewhere', () => {
    const apiServer = { ...eksDeployment.apiServer, accessEntries: false };
    const without = synthesise({ ...eksDeployment, name: 'capi-no-entries', apiServer }, made);
    expect(without.all('AWS::EKS::AccessEntry')).toEqual([]);
  });
});

describe('functions inside a VPC', () => {
  it('share one security group without ingress, which allows any TCP port and DNS', () => {
    const groups = Object.entries(eks.resources).filter(([, { Type }]) => Type === 'AWS::EC2::SecurityGroup');
    expect(groups).toHaveLength(1);
    const [id, group] = groups[0] ?? [];
    expect(group?.Properties['SecurityGroupIngress']).toBeUndefined();
    expect(group?.Properties['SecurityGroupEgress']).toEqual([
      // API servers of workload clusters listen on 6443 and other ports.
      { IpProtocol: 'tcp', FromPort: 1, ToPort: 65_535, CidrIp: '0.0.0.0/0' },
      // Rules of security groups apply to resolvers other than that of the VPC.
      { IpProtocol: 'udp', FromPort: 53, ToPort: 53, CidrIp: '0.0.0.0/0' },
    ]);
    for (const name of reaching) {
      expect(eks.resourceOf(name).Properties['VpcConfig'], name).toEqual({
        SubnetIds: eksDeployment.vpc.subnets,
        SecurityGroupIds: [{ 'Fn::GetAtt': [id, 'GroupId'] }],
      });
    }
  });

  it('use IPv6 as well if the deployment says so', () => {
    const vpc = { ...eksDeployment.vpc, ipv6: true };
    const dualStack = synthesise({ ...eksDeployment, name: 'capi-dual-stack', vpc }, made);
    expect(dualStack.resourceOf('cluster').Properties['VpcConfig']).toMatchObject({ Ipv6AllowedForDualStack: true });
    const [group] = dualStack.all('AWS::EC2::SecurityGroup');
    expect(group?.Properties['SecurityGroupEgress']).toEqual([
      { IpProtocol: 'tcp', FromPort: 1, ToPort: 65_535, CidrIp: '0.0.0.0/0' },
      { IpProtocol: 'udp', FromPort: 53, ToPort: 53, CidrIp: '0.0.0.0/0' },
      { IpProtocol: 'tcp', FromPort: 1, ToPort: 65_535, CidrIpv6: '::/0' },
      { IpProtocol: 'udp', FromPort: 53, ToPort: 53, CidrIpv6: '::/0' },
    ]);
  });

  it('are those that reach an API server: others have no network interface and no right to make one', () => {
    const known = { ...eksDeployment, name: 'capi-apart', managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d' };
    const apart = synthesise(known, made);
    for (const name of ['timer', 'rotate-audit-token', 'audit-webhook']) {
      expect(apart.resourceOf(name).Properties, name).not.toHaveProperty('VpcConfig');
      expect(JSON.stringify(apart.statementsOf(name)), name).not.toContain('ec2:');
    }
    expect(apart.resourceOf('cluster').Properties).toHaveProperty('VpcConfig');
  });

  it('are allowed into the cluster by one rule of its security group, at the port of the API server', () => {
    const [rule, ...others] = eks.all('AWS::EC2::SecurityGroupIngress').map(({ Properties }) => Properties);
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ GroupId: 'sg-0123456789abcdef0', FromPort: 443, ToPort: 443 });
  });

  it.each(reaching)(
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

describe('a customer-managed key', () => {
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';
  const viaSecretsManager = { StringEquals: { 'kms:ViaService': 'secretsmanager.eu-central-1.amazonaws.com' } };
  const rightsOn = (of: Synthesised, name: string, resource: string) =>
    of
      .statementsOf(name)
      .filter(({ Resource }) => list(Resource).includes(resource))
      .map(({ Action, Condition }) => ({ actions: list(Action), condition: Condition }));
  const decrypts = [{ actions: ['kms:Decrypt'], condition: viaSecretsManager }];

  it('of the kubeconfig encrypts the secret of the stack, and lets its readers decrypt through Secrets Manager', () => {
    const own = synthesise({ name: 'capi-own-key', apiServer: { kind: 'kubeconfig', kmsKeyArn: key } }, made);
    expect(own.all('AWS::SecretsManager::Secret').map(({ Properties }) => Properties['KmsKeyId'])).toEqual([key]);
    for (const { name } of functions) {
      expect(rightsOn(own, name, key), name).toEqual(name === 'timer' ? [] : decrypts);
    }
  });

  it('of a named secret lets its readers decrypt', () => {
    const secretArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:mgmt/kubeconfig-AbCdEf';
    const apiServer = { kind: 'kubeconfig', secretArn, kmsKeyArn: key };
    expect(rightsOn(synthesise({ name: 'capi-named-key', apiServer }, made), 'cluster', key)).toEqual(decrypts);
  });

  it('of the audit token lets its reader decrypt, and its rotation also encrypt', () => {
    const sources = { auditWebhook: { kmsKeyArn: key } };
    const audited = synthesise({ ...eksDeployment, name: 'capi-audit-key', sources }, made);
    expect(audited.all('AWS::SecretsManager::Secret').map(({ Properties }) => Properties['KmsKeyId'])).toEqual([key]);
    expect(audited.all('AWS::KMS::Key')).toEqual([]);
    expect(rightsOn(audited, 'audit-webhook', key)).toEqual(decrypts);
    expect(rightsOn(audited, 'rotate-audit-token', key)).toEqual([
      { actions: ['kms:Decrypt', 'kms:GenerateDataKey'], condition: viaSecretsManager },
    ]);
    expect(rightsOn(audited, 'cluster', key)).toEqual([]);
  });

  it('of the client certificate lets only the functions that call hooks decrypt', () => {
    const settings = {
      extensionClientCertificateSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:client-AbCdEf',
      extensionClientCertificateKmsKeyArn: key,
    };
    const calling = synthesise({ ...eksDeployment, name: 'capi-client-key', settings }, made);
    for (const { name, ports } of declarations) {
      expect(rightsOn(calling, name, key), name).toEqual(ports.includes('hooks') ? decrypts : []);
    }
    expect(JSON.stringify(calling.variablesOf('topology'))).not.toContain('arn:aws:kms');
  });

  it('of the deployment encrypts queues, log groups, environments, and secrets of the stack that have no other', () => {
    const token = key.replace('6f1a', '0000');
    const sources = { auditWebhook: { door: 'http-api' } };
    const own = { managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d', kmsKeyArn: key, sources };
    const stack = synthesise({ name: 'capi-all-keys', ...own, admission: { kmsKeyArn: token } }, made);
    const keysOf = (type: string, field: string) => [
      ...new Set(stack.all(type).map(({ Properties }) => Properties[field])),
    ];
    expect(keysOf('AWS::SQS::Queue', 'KmsMasterKeyId')).toEqual([key]);
    expect(keysOf('AWS::Logs::LogGroup', 'KmsKeyId')).toEqual([key]);
    expect(keysOf('AWS::Lambda::Function', 'KmsKeyArn')).toEqual([key]);
    expect(keysOf('AWS::SecretsManager::Secret', 'KmsKeyId').toSorted()).toEqual([token, key].toSorted());
    const viaSqs = { StringEquals: { 'kms:ViaService': expect.anything() } };
    expect(rightsOn(stack, 'timer', key)).toEqual([
      { actions: ['kms:Decrypt', 'kms:GenerateDataKey'], condition: viaSqs },
    ]);
  });

  it('in China also accepts the service name with the ending of its endpoints', () => {
    const apiServer = { kind: 'kubeconfig', kmsKeyArn: key.replace('aws:kms:eu-central-1', 'aws-cn:kms:cn-north-1') };
    const chinese = synthesise({ name: 'capi-cn-key', apiServer }, made);
    const names = ['secretsmanager.cn-north-1.amazonaws.com', 'secretsmanager.cn-north-1.amazonaws.com.cn'];
    expect(rightsOn(chinese, 'cluster', apiServer.kmsKeyArn)).toEqual([
      { actions: ['kms:Decrypt'], condition: { StringEquals: { 'kms:ViaService': names } } },
    ]);
  });
});
