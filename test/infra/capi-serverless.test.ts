// The construct CapiServerless in an app of its user: own network, groups, keys, secrets and tags; several constructs; and
// properties that are refused.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, type AppProps, Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Cluster, KubernetesVersion } from 'aws-cdk-lib/aws-eks-v2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, describe, expect, it } from 'vitest';
import { CapiServerless } from '../../infra/aws/capi-serverless.ts';
import type { CapiServerlessProps } from '../../infra/aws/capi-serverless-props.ts';
import { DeploymentError } from '../../infra/aws/deployment.ts';
import { eksApiServer } from '../../infra/aws/eks-api-server.ts';
import { Provider } from '../../infra/aws/provider.ts';
import { makeProviders, reconcilers } from '../support/provider-stack.ts';
import {
  declarations,
  eksDeployment,
  everyGate,
  functions,
  makeApp,
  makeBundles,
  quickApp,
  Synthesised,
  synthesise,
} from '../support/synthesised.ts';

const made = makeBundles();
const parts = { declarations, functions, bundles: made.bundles };
const providers = makeProviders();

afterAll(() => {
  made.remove();
  providers.remove();
});

const env = { account: '123456789012', region: 'eu-central-1' };
const quiet = { monitoring: { alarms: 'none' }, sources: { windowed: true } } as const;

/** An app whose warnings are not in the output of this test. */
function anApp(props: AppProps = quickApp): App {
  const app = makeApp(made.folder, props);
  app.node.setContext('@aws-cdk/core:annotationsInValidationReport', false);
  return app;
}

const aStack = (app = anApp(), id = 'Platform'): Stack => new Stack(app, id);

function create(stack: Stack, props: CapiServerlessProps, id = props.name): CapiServerless {
  return new CapiServerless(stack, id, { ...quiet, parts, ...props });
}

const templateOf = (stack: Stack, name: string): Synthesised => new Synthesised(name, Template.fromStack(stack));

describe('the construct in a VPC of its user', () => {
  const stack = aStack();
  // true: the class implements the interface; its optional members may also be undefined
  const vpc = new Vpc(stack, 'Vpc', { maxAzs: 2, natGateways: 1 }) as IVpc;
  const groups = ['One', 'Two'].map(id => new SecurityGroup(stack, id, { vpc }));
  const cluster = new Cluster(stack, 'Cluster', { version: KubernetesVersion.V1_34, vpc });
  const capi = create(stack, {
    name: 'capi-own',
    apiServer: eksApiServer(cluster, { isInVpc: true }),
    vpc,
    securityGroups: groups,
    sources: { windowed: true, forwarder: { kind: 'pod-identity', cluster: cluster.clusterName } },
  });
  const template = templateOf(stack, 'capi-own');

  it('puts functions that reach the API server into its private subnets and security groups', () => {
    const expected = {
      SubnetIds: stack.resolve(vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS }).subnetIds),
      SecurityGroupIds: stack.resolve(groups.map(group => group.securityGroupId)),
    };
    expect(template.resourceOf('cluster').Properties['VpcConfig']).toEqual(expected);
    expect(template.resourceOf('timer').Properties['VpcConfig']).toBeUndefined();
  });

  it('creates no security group, and opens that of the cluster for each given one', () => {
    const isOurs = ({ Properties }: { readonly Properties: object }): boolean =>
      JSON.stringify(Properties).includes('capi-own: outgoing');
    expect(template.all('AWS::EC2::SecurityGroup').filter(isOurs)).toEqual([]);
    const opened = template
      .all('AWS::EC2::SecurityGroupIngress')
      .filter(({ Properties }) => Properties['Description'] === 'functions of capi-serverless');
    expect(opened.map(({ Properties }) => [Properties['GroupId'], Properties['SourceSecurityGroupId']])).toEqual(
      groups.map(group => [
        stack.resolve(cluster.clusterSecurityGroup.securityGroupId),
        stack.resolve(group.securityGroupId),
      ]),
    );
  });

  it('reaches a cluster of the same app, whose certificate is known only on AWS', () => {
    expect(template.variablesOf('cluster')).toMatchObject({
      CAPI_EKS_CLUSTER: stack.resolve(cluster.clusterName),
      CAPI_EKS_ENDPOINT: stack.resolve(cluster.clusterEndpoint),
      CAPI_EKS_CERTIFICATE_AUTHORITY_FILE: {
        'Fn::Join': ['', ['data:;base64,', stack.resolve(cluster.clusterCertificateAuthorityData)]],
      },
    });
    expect(template.all('AWS::Lambda::LayerVersion')).toEqual([]);
    expect(template.all('AWS::EKS::AccessEntry').length).toBeGreaterThan(3);
  });

  it('exposes roles, manifests and the settings of the forwarder', () => {
    expect(stack.resolve(capi.roles['cluster']?.roleArn)).toEqual({
      'Fn::GetAtt': [template.roleOf('cluster'), 'Arn'],
    });
    expect(capi.kubeconfigSecretArn).toBeUndefined();
    expect(JSON.stringify(stack.resolve(capi.forwarder?.queueUrls))).toContain('capi-own-{');
    expect(capi.rbac).toContain('capi-serverless:cluster');
  });
});

describe('the keys and secrets of the user', () => {
  const stack = aStack();
  const key = new Key(stack, 'Key');
  const secretKey = new Key(stack, 'SecretKey');
  const secret = new Secret(stack, 'Kubeconfig', { encryptionKey: secretKey });
  const topic = new Topic(stack, 'Topic');
  create(stack, {
    name: 'capi-keys',
    managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d',
    apiServer: { kind: 'kubeconfig', secret },
    encryptionKey: key,
    sources: { windowed: true, auditWebhook: { door: 'http-api' } },
    monitoring: { topic },
    tags: { team: 'platform' },
  });
  const template = templateOf(stack, 'capi-keys');
  const [keyArn, secretKeyArn] = [key, secretKey].map(each => stack.resolve(each.keyArn));
  const region = (service: string) => ({ 'Fn::Join': ['', [`${service}.`, { Ref: 'AWS::Region' }, '.amazonaws.com']] });

  it('encrypts every queue, log group, environment and created secret', () => {
    const queues = template.all('AWS::SQS::Queue').map(({ Properties }) => Properties);
    expect(queues.length).toBeGreaterThan(8);
    expect(queues.filter(each => JSON.stringify(each['KmsMasterKeyId']) !== JSON.stringify(keyArn))).toEqual([]);
    expect(queues.filter(each => 'SqsManagedSseEnabled' in each)).toEqual([]);
    const logs = template.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties['KmsKeyId']);
    expect(logs.length).toBeGreaterThan(5);
    expect(new Set(logs.map(each => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(keyArn)]));
    const functionKeys = template.all('AWS::Lambda::Function').map(({ Properties }) => Properties['KmsKeyArn']);
    expect(new Set(functionKeys.map(each => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(keyArn)]));
    const secrets = template.all('AWS::SecretsManager::Secret').map(({ Properties }) => Properties['KmsKeyId']);
    expect(secrets).toEqual([secretKeyArn, keyArn]);
  });

  it('lets functions use the keys through the services alone', () => {
    const allowed = template
      .statementsOf('cluster')
      .filter(({ Action }) => JSON.stringify(Action).includes('kms:'))
      .map(({ Action, Resource, Condition }) => ({ Action, Resource, Condition }));
    expect(allowed).toHaveLength(2);
    expect(allowed).toContainEqual({
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: keyArn,
      Condition: { StringEquals: { 'kms:ViaService': region('sqs') } },
    });
    expect(allowed).toContainEqual({
      Action: 'kms:Decrypt',
      Resource: secretKeyArn,
      Condition: { StringEquals: { 'kms:ViaService': region('secretsmanager') } },
    });
  });

  it('lets CloudWatch use the key for its own log groups', () => {
    Template.fromStack(stack).hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: region('logs') },
            Condition: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': Match.anyValue() } },
          }),
        ]),
      },
    });
  });

  it('notifies the topic, reads the secret, and tags its resources and no others', () => {
    const topicArn = stack.resolve(topic.topicArn);
    for (const { Properties } of template.all('AWS::CloudWatch::Alarm')) {
      expect(Properties['AlarmActions']).toEqual([topicArn]);
    }
    expect(template.mayDo('cluster', 'secretsmanager:GetSecretValue')).toEqual([stack.resolve(secret.secretArn)]);
    const tag = { Key: 'team', Value: 'platform' };
    for (const type of ['AWS::SQS::Queue', 'AWS::Lambda::Function', 'AWS::Logs::LogGroup']) {
      expect(
        template.all(type).filter(({ Properties }) => !JSON.stringify(Properties['Tags'])?.includes('team')),
      ).toEqual([]);
    }
    expect(template.resourceOf('cluster').Properties['Tags']).toEqual([tag]);
    expect(template.all('AWS::KMS::Key').filter(({ Properties }) => 'Tags' in Properties)).toEqual([]);
  });
});

describe('several constructs', () => {
  const allIds = (stack: Stack): readonly string[] => Object.keys(Template.fromStack(stack).toJSON()['Resources']);

  it('share no resource and no name in one stack, and pass the rule checks', () => {
    const app = anApp({});
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const stack = aStack(app);
    create(stack, { name: 'capi-blue' });
    create(stack, { name: 'capi-green' });
    const other = aStack();
    create(other, { name: 'capi-blue' });
    const alone = allIds(other).length;
    expect(allIds(stack)).toHaveLength(2 * alone);
    const { directory } = app.synth();
    const report = JSON.parse(readFileSync(path.join(directory, 'validation-report.json'), 'utf8'));
    expect(report.pluginReports).toEqual([]);
    const text = JSON.stringify(Template.fromStack(stack).toJSON());
    for (const [, name = ''] of text.matchAll(/"(?:FunctionName|QueueName)":"([^"]+)"/g)) {
      expect(name).toMatch(/^capi-(blue|green)-/);
    }
  });

  it.each([
    { reason: 'in one stack', other: (first: Stack) => first },
    { reason: 'in two stacks of one environment', other: (first: Stack) => new Stack(App.of(first) as App, 'Other') },
  ])('are refused with one name $reason', ({ other }) => {
    const stack = aStack();
    create(stack, { name: 'capi-blue' }, 'One');
    expect(() => create(other(stack), { name: 'capi-blue' }, 'Two')).toThrow(
      /^Deployment capi-blue: the name is not unique; choose another name \(Platform\/One and (Platform|Other)\/Two\)$/,
    );
  });

  it('may have one name in two regions', () => {
    const app = anApp();
    for (const region of ['eu-central-1', 'eu-west-1']) {
      create(new Stack(app, region, { env: { ...env, region } }), { name: 'capi-blue' });
    }
    expect(app.node.children).toHaveLength(2);
  });

  it('are refused if they would reconcile the same objects, also in two accounts', () => {
    const app = anApp();
    const { securityGroup: _group, ...apiServer } = eksDeployment.apiServer;
    create(new Stack(app, 'One', { env }), { name: 'capi-blue', apiServer });
    const other = new Stack(app, 'Two', { env: { ...env, account: '210987654321' } });
    expect(() => create(other, { name: 'capi-green', apiServer })).toThrow(
      'Deployment capi-green: reconciles the same objects as capi-blue; set a different settings.watchFilter in each',
    );
  });

  it('get the roles that one of them needs, if they share a management cluster', () => {
    const stack = aStack();
    const { securityGroup: _group, ...apiServer } = eksDeployment.apiServer;
    const filtered = (filter: string, featureGates: string) =>
      create(stack, { name: `capi-${filter}`, apiServer, settings: { watchFilter: filter, featureGates } });
    const blue = filtered('blue', 'ClusterTopology=false');
    expect(blue.rbac).not.toContain('name: capi-serverless-topology\n');
    filtered('green', 'ClusterTopology=true');
    expect(blue.rbac).toContain('name: capi-serverless-topology\n');
  });

  it('share no name with a provider', () => {
    const stack = aStack();
    create(stack, { name: 'racks' });
    const provider = (name: string) =>
      new Provider(stack, `Provider-${name}`, {
        deployment: { name, monitoring: { alarms: 'none' } },
        reconcilers,
        code: providers.code,
      });
    expect(() => provider('racks')).toThrow('Deployment racks: the name is not unique');
    expect(() => provider('racks-two')).not.toThrow();
  });
});

describe('properties', () => {
  const vpcIn = (stack: Stack) => new Vpc(stack, 'Vpc', { natGateways: 0 });
  const partial = (stack: Stack) => Secret.fromSecretNameV2(stack, 'Partial', 'kubeconfig');
  const cases: readonly { readonly says: string; readonly props: (stack: Stack) => object }[] = [
    { says: 'Deployment Capi: name: must be 3 to 30', props: () => ({ name: 'Capi' }) },
    { says: 'concurrency: Too small: expected number to be >=2', props: () => ({ concurrency: 1 }) },
    { says: 'Unrecognized key: "concurency"', props: () => ({ concurency: 5 }) },
    { says: 'settings: Unrecognized key: "filter"', props: () => ({ settings: { filter: 'x' } }) },
    { says: 'vpcSubnets: requires a VPC; set vpc as well', props: () => ({ vpcSubnets: {} }) },
    { says: 'securityGroups: requires a VPC; set vpc as well', props: () => ({ securityGroups: [] }) },
    {
      says: 'terminationProtection: is a property of the stack; set it there',
      props: () => ({ terminationProtection: true }),
    },
    {
      says: 'kmsKeyArn: is the property encryptionKey of the construct; import the key with Key.fromKeyArn',
      props: () => ({ kmsKeyArn: 'arn:aws:kms:eu-central-2:123456789012:key/6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d' }),
    },
    { says: 'ipv6: requires a VPC; set vpc as well', props: () => ({ ipv6: true }) },
    {
      says: 'securityGroups: is empty; name a group, or omit it for a new one',
      props: stack => ({
        vpc: vpcIn(stack),
        securityGroups: [],
        vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
      }),
    },
    {
      says: "vpcSubnets: There are no 'Private' subnet groups in this VPC",
      props: stack => ({ vpc: vpcIn(stack), vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS } }),
    },
    {
      says: 'vpcSubnets: functions in public subnets have no way to the internet; select private subnets',
      props: stack => ({ vpc: vpcIn(stack), vpcSubnets: { subnetType: SubnetType.PUBLIC } }),
    },
    {
      says: 'vpcSubnets: selects no subnet; select private subnets of vpc',
      props: stack => ({ vpc: vpcIn(stack), vpcSubnets: { subnets: [] } }),
    },
    {
      says: 'apiServer.secret: its complete ARN is not known; import it with Secret.fromSecretCompleteArn',
      props: stack => ({ apiServer: { kind: 'kubeconfig', secret: partial(stack) } }),
    },
    {
      says: 'settings.extensionClientCertificateSecret: its complete ARN is not known',
      props: stack => ({ settings: { extensionClientCertificateSecret: partial(stack) } }),
    },
    {
      says: 'sources.forwarder.oidcProvider: must be the ARN of an IAM OIDC provider',
      props: stack => ({ sources: { forwarder: { kind: 'irsa', oidcProvider: new Topic(stack, 'T').topicArn } } }),
    },
    { says: 'settings.logLevel: Environment is not valid', props: () => ({ settings: { logLevel: 'loud' } }) },
    { says: 'tags.aws:team: Invalid key in record', props: () => ({ tags: { 'aws:team': 'x' } }) },
    {
      says: 'sources.auditWebhook.door: eu-central-2 has no Function URLs; set it to http-api',
      props: () => ({ sources: { auditWebhook: {} } }),
    },
  ];

  it.each(cases)('are refused with the property and what to do: $says', ({ says, props }) => {
    const stack = new Stack(anApp(), 'Platform', { env: { ...env, region: 'eu-central-2' } });
    const given = { name: 'capi-blue', ...props(stack) };
    const thrown = (() => {
      try {
        return create(stack, given, 'Capi');
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(DeploymentError);
    expect(String(thrown)).toContain(says);
    expect(String(thrown)).not.toContain('\n');
  });
});

describe('the stack of npm run synth', () => {
  const stack = synthesise({ name: 'capi-lab', sources: { windowed: true } }, made);

  it('gives queues and secrets the logical ids that existing stacks have, because CloudFormation replaces others', () => {
    const queues = ['work-cluster.fifo', 'work-cluster-dlq.fifo', 'delay', 'expand'];
    expect(queues.map(name => stack.idOf(name))).toEqual([
      'QueuesWorkClusterFifo310ADFBB',
      'QueuesWorkClusterDlqFifoCAEB86A0',
      'QueuesDelayE96ECFB9',
      'QueuesExpand79EB40F9',
    ]);
    expect(Object.keys(stack.outputs)).toEqual(['ApiServerKubeconfigSecretC201AF0D', 'AllQueues']);
  });

  it('has the resources that the construct has elsewhere', () => {
    const user = aStack();
    create(user, {
      name: 'capi-lab',
      sources: { windowed: true },
      monitoring: {},
      settings: { featureGates: everyGate },
    });
    const types = ({ resources }: Synthesised) =>
      Object.values(resources)
        .map(({ Type }) => Type)
        .toSorted();
    expect(types(templateOf(user, 'capi-lab'))).toEqual(types(stack));
  });

  it('passes tags of a deployment on', () => {
    const tagged = synthesise({ name: 'capi-lab', tags: { team: 'platform' } }, made);
    expect(tagged.resourceOf('delay').Properties['Tags']).toEqual([{ Key: 'team', Value: 'platform' }]);
  });
});
