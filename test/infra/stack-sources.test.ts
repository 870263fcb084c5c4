// The event sources of a deployment: a Function URL, a log subscription, a schedule, and a role for pods.

import { type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAuditLogPattern } from '../../infra/aws/audit-log-pattern.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { defaultProviderGroups } from '../../shared/config/setting-defaults.ts';
import { resolveIntrinsics } from '../support/intrinsics.ts';
import {
  type CloudFormationResource,
  declarations,
  eksDeployment,
  makeBundles,
  type Synthesised,
  synthesise,
  toStatements,
} from '../support/synthesised.ts';

const made = makeBundles();
let stack: Synthesised;

beforeAll(() => {
  stack = synthesise(eksDeployment, made);
});

afterAll(() => made.remove());

const targets = [...declarations.map(({ name }) => `work-${name}.fifo`), 'expand'];
const forwarderTargets = [...targets, 'heartbeat'];
const propertiesOf = (type: string) => stack.all(type).map(({ Properties }) => Properties);
const permissions = () =>
  stack
    .all('AWS::Lambda::Permission')
    .filter(
      ({ Properties }) => JSON.stringify(Properties['FunctionName']) === JSON.stringify(stack.liveOf('audit-webhook')),
    );

describe('a deployment without sources', () => {
  it('has a resync and no public function', () => {
    const plain = synthesise({ name: 'capi-plain' }, made);
    for (const type of ['AWS::Lambda::Url', 'AWS::Logs::SubscriptionFilter']) {
      expect(plain.all(type)).toEqual([]);
    }
    const callers = plain.all('AWS::Lambda::Permission').map(({ Properties }) => Properties['Principal']);
    expect(callers).toEqual(['events.amazonaws.com']);
    expect(plain.all('AWS::Scheduler::Schedule')).toHaveLength(1);
    expect(() => plain.idOf('audit-webhook')).toThrow();
    expect(() => plain.idOf('windowed-forwarder')).toThrow();
  });
});

describe('the audit webhook', () => {
  it('is a Function URL without IAM, as API servers cannot sign requests', () => {
    expect(propertiesOf('AWS::Lambda::Url')).toEqual([
      { AuthType: 'NONE', TargetFunctionArn: stack.arnOf('audit-webhook'), Qualifier: 'live' },
    ]);
    const [url] = stack.all('AWS::Lambda::Url');
    expect(url?.DependsOn).toContain(stack.liveOf('audit-webhook').Ref);
  });

  it('allows requests from everyone through the URL, and otherwise only from the log subscription', () => {
    const byEveryone = permissions().filter(({ Properties }) => Properties['Principal'] === '*');
    expect(byEveryone.map(({ Properties }) => Properties)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' }),
        expect.objectContaining({ Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true }),
      ]),
    );
    expect(byEveryone).toHaveLength(2);
    expect(permissions()).toHaveLength(3);
  });

  it('serves as many concurrent requests as the deployment allows', () => {
    expect(stack.resourceOf('audit-webhook').Properties['ReservedConcurrentExecutions']).toBe(3);
  });

  it('reads its token from a secret that only it and the rotation may read', () => {
    const secrets = Object.entries(stack.resources).filter(([, { Type }]) => Type === 'AWS::SecretsManager::Secret');
    expect(secrets).toHaveLength(1);
    const [id, secret] = secrets[0] ?? [];
    expect(secret?.Properties['GenerateSecretString']).toEqual({ ExcludePunctuation: true, PasswordLength: 43 });
    expect(stack.variablesOf('audit-webhook')['CAPI_AUDIT_TOKENS_SECRET']).toEqual({ Ref: id });
    expect(stack.mayDo('audit-webhook', 'secretsmanager:GetSecretValue')).toEqual([{ Ref: id }]);
    expect(stack.mayDo('rotate-audit-token', 'secretsmanager:GetSecretValue')).toEqual([{ Ref: id }]);
    for (const name of ['cluster', 'timer', 'resync', 'windowed-forwarder']) {
      expect(stack.mayDo(name, 'secretsmanager:GetSecretValue')).toEqual([]);
    }
  });

  it('has its token rotated every 90 days, by a function that only Secrets Manager may invoke for that secret', () => {
    const [[id = ''] = []] = Object.entries(stack.resources).filter(
      ([, { Type }]) => Type === 'AWS::SecretsManager::Secret',
    );
    const [schedule, ...others] = stack.all('AWS::SecretsManager::RotationSchedule');
    expect(others).toEqual([]);
    expect(schedule?.Properties).toEqual({
      SecretId: { Ref: id },
      RotationLambdaARN: stack.arnOf('rotate-audit-token'),
      RotationRules: { AutomaticallyAfterDays: 90 },
      RotateImmediatelyOnUpdate: false,
    });
    const calling = stack
      .all('AWS::Lambda::Permission')
      .filter(({ Properties }) =>
        JSON.stringify(Properties['FunctionName']).includes(stack.idOf('rotate-audit-token')),
      );
    expect(calling.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        Action: 'lambda:InvokeFunction',
        Principal: 'secretsmanager.amazonaws.com',
        SourceAccount: '123456789012',
        SourceArn: { Ref: id },
      }),
    ]);
    for (const action of ['DescribeSecret', 'PutSecretValue', 'UpdateSecretVersionStage']) {
      expect(stack.mayDo('rotate-audit-token', `secretsmanager:${action}`)).toEqual([{ Ref: id }]);
    }
    expect(stack.mayDo('rotate-audit-token', 'sqs:SendMessage')).toEqual([]);
  });

  it('keeps its token if the deployment disables rotation', () => {
    const sources = { auditWebhook: { rotateTokenDays: 0 } };
    const kept = synthesise({ ...eksDeployment, name: 'capi-kept', sources }, made);
    expect(kept.all('AWS::SecretsManager::RotationSchedule')).toEqual([]);
    expect(() => kept.idOf('rotate-audit-token')).toThrow();
  });

  it('may send to the work queues and the expand queue', () => {
    const allowed = stack.mayDo('audit-webhook', 'sqs:SendMessage');
    expect(allowed).toHaveLength(targets.length);
    expect(allowed).toEqual(expect.arrayContaining(targets.map(name => stack.arnOf(name))));
  });

  it('needs no access to the API server of a management cluster whose uid is known', () => {
    const known = synthesise(
      { ...eksDeployment, name: 'capi-known', managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d' },
      made,
    );
    expect(Object.keys(known.variablesOf('audit-webhook'))).not.toContain('CAPI_EKS_CLUSTER');
    expect(known.variablesOf('audit-webhook')['CAPI_MANAGEMENT_CLUSTER']).toBe('6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d');
  });
});

describe('the subscription of an EKS audit log', () => {
  const filters = (): readonly CloudFormationResource[] => stack.all('AWS::Logs::SubscriptionFilter');

  it('delivers completed changes, once it has the permission', () => {
    expect(filters().map(({ Properties }) => Properties)).toEqual([
      {
        LogGroupName: '/aws/eks/mgmt/cluster',
        DestinationArn: stack.liveOf('audit-webhook'),
        FilterPattern: toAuditLogPattern(declarations, defaultProviderGroups),
      },
    ]);
    const [permission = ''] = filters()[0]?.DependsOn ?? [];
    expect(stack.resources[permission]?.Properties).toMatchObject({
      Action: 'lambda:InvokeFunction',
      Principal: 'logs.amazonaws.com',
      SourceAccount: '123456789012',
    });
    expect(JSON.stringify(stack.resources[permission]?.Properties['SourceArn'])).toContain(
      ':logs:eu-central-1:123456789012:log-group:/aws/eks/mgmt/cluster:*',
    );
  });
});

describe('the filter of the audit log', () => {
  const event = (verb: string, objectRef: JsonObject, more: JsonObject = {}): JsonObject => ({
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    verb,
    objectRef,
    ...more,
  });
  const clusters = { resource: 'clusters', apiGroup: 'cluster.x-k8s.io' };

  /** Evaluates a pattern of comparisons, `&&`, `||` and parentheses. */
  function matches(pattern: string, value: JsonObject): boolean {
    const at = (name: string) => name.split('.').reduce<unknown>((part, key) => toRecord(part)[key], value);
    const comparisons = pattern.replaceAll(/\$\.([\w.]+) (!?=) "([^"]*)"/g, (_, name, sign, text) =>
      String((at(name) === text) === (sign === '=')),
    );
    const reduce = (text: string): string => {
      const next = text
        .replaceAll(/\((true|false)\)/g, '$1')
        .replaceAll(/(true|false) && (true|false)/g, (_, a, b) => String(a === 'true' && b === 'true'))
        .replaceAll(/(true|false) \|\| (true|false)(?! &&)/g, (_, a, b) => String(a === 'true' || b === 'true'));
      return next === text ? text : reduce(next);
    };
    const result = reduce(comparisons);
    expect(result).toMatch(/^\{ (true|false) \}$/);
    return result === '{ true }';
  }

  it.each([
    { of: event('patch', clusters), selected: true, reason: 'a change of a Cluster' },
    {
      of: event('create', { resource: 'dockerclusters', apiGroup: 'infrastructure.cluster.x-k8s.io' }),
      selected: true,
      reason: 'a change of a provider object',
    },
    {
      of: event('update', { resource: 'customresourcedefinitions', apiGroup: 'apiextensions.k8s.io' }),
      selected: true,
      reason: 'a change of a CRD',
    },
    {
      of: event('create', { resource: 'rackclusters', apiGroup: 'racks.example.com' }),
      selected: true,
      reason: 'a group of the settings',
    },
    { of: event('get', clusters), selected: false, reason: 'a read' },
    {
      of: event('patch', clusters, { stage: 'RequestReceived' }),
      selected: false,
      reason: 'a request that is not complete',
    },
    {
      of: event('update', { resource: 'leases', apiGroup: 'coordination.k8s.io' }),
      selected: false,
      reason: 'a lease',
    },
    { of: event('create', { resource: 'pods' }), selected: false, reason: 'a Pod' },
    { of: event('create', { resource: 'events' }), selected: false, reason: 'an Event' },
  ])('selects only changes that a reconciler watches: $reason', ({ of, selected }) => {
    const pattern = toAuditLogPattern(declarations, [...defaultProviderGroups, 'racks.example.com']);
    expect(matches(pattern, of)).toBe(selected);
  });

  it('refuses a pattern that CloudWatch would refuse', () => {
    const groups = Array.from({ length: 20 }, (_, index) => `group-${index}.infrastructure.example.com`);
    expect(() => toAuditLogPattern(declarations, groups)).toThrow('characters, more than 1024; name fewer groups');
  });
});

describe('an HTTP API as the door of the audit webhook', () => {
  const sources = { auditWebhook: { door: 'http-api', concurrency: 0 } };

  it('passes all requests to the function in the format of a Function URL, and limits their rate', () => {
    const door = synthesise({ ...eksDeployment, name: 'capi-door', region: 'eu-central-2', sources }, made);
    const only = (type: string) => {
      const [resource, ...others] = Object.entries(door.resources).filter(([, { Type }]) => Type === type);
      expect(others, type).toEqual([]);
      return { id: resource?.[0], ...resource?.[1].Properties };
    };
    const api = only('AWS::ApiGatewayV2::Api');
    expect(api).toMatchObject({ ProtocolType: 'HTTP' });
    const integration = only('AWS::ApiGatewayV2::Integration');
    expect(integration).toMatchObject({
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: door.liveOf('audit-webhook'),
      PayloadFormatVersion: '2.0',
    });
    expect(only('AWS::ApiGatewayV2::Route')).toMatchObject({
      RouteKey: '$default',
      Target: { 'Fn::Join': ['/', ['integrations', { Ref: integration.id }]] },
    });
    expect(only('AWS::ApiGatewayV2::Stage')).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 50 },
    });
    expect(door.all('AWS::Lambda::Url')).toEqual([]);
    const [invoke] = door
      .all('AWS::Lambda::Permission')
      .filter(({ Properties }) => Properties['Principal'] === 'apigateway.amazonaws.com');
    expect(JSON.stringify(invoke?.Properties['SourceArn'])).toContain(`{"Ref":"${api.id}"},"/*/$default"`);
    const [, output = {}] = Object.entries(door.outputs).find(([id]) => id.includes('AuditWebhookUrl')) ?? [];
    expect(output['Value']).toEqual({ 'Fn::Join': ['', [{ 'Fn::GetAtt': [api.id, 'ApiEndpoint'] }, '/']] });
  });

  it('and a Function URL reserve no concurrency if it is 0', () => {
    const url = { auditWebhook: { concurrency: 0 } };
    for (const [name, given] of Object.entries({ 'capi-door': sources, 'capi-url': url })) {
      const built = synthesise({ ...eksDeployment, name, sources: given }, made);
      for (const { Properties } of built.all('AWS::Lambda::Function')) {
        expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
      }
    }
  });
});

describe('the windowed forwarder', () => {
  it('runs every minute', () => {
    expect(
      propertiesOf('AWS::Scheduler::Schedule').find(({ Name }) => Name === 'capi-eks-windowed-forwarder'),
    ).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      GroupName: expect.anything(),
      Target: { Arn: stack.liveOf('windowed-forwarder') },
    });
  });

  it('is not run again after a failure, and neither is the resync: the next run reads the same changes', () => {
    const configs = propertiesOf('AWS::Lambda::EventInvokeConfig');
    const named = configs.map(({ FunctionName, MaximumRetryAttempts, MaximumEventAgeInSeconds }) => [
      FunctionName,
      MaximumRetryAttempts,
      MaximumEventAgeInSeconds,
    ]);
    expect(named).toHaveLength(2);
    expect(named).toEqual(
      expect.arrayContaining([
        [{ Ref: stack.idOf('windowed-forwarder') }, 0, 60],
        [{ Ref: stack.idOf('resync') }, 0, 600],
      ]),
    );
  });

  it('may send to the work queues and the expand queue', () => {
    const allowed = stack.mayDo('windowed-forwarder', 'sqs:SendMessage');
    expect(allowed).toHaveLength(targets.length);
    expect(allowed).toEqual(expect.arrayContaining(targets.map(name => stack.arnOf(name))));
  });
});

describe('the role of the watch-forwarder', () => {
  const rolesTrusting = (built: Synthesised, service: string): readonly CloudFormationResource[] =>
    built.all('AWS::IAM::Role').filter(role => JSON.stringify(role.Properties).includes(service));

  it('is assumed only by the pods of its service account in that cluster', () => {
    const [role, ...others] = rolesTrusting(stack, 'pods.eks.amazonaws.com');
    expect(others).toEqual([]);
    expect(role?.Properties['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [
        {
          Action: ['sts:AssumeRole', 'sts:TagSession'],
          Condition: {
            StringEquals: {
              'aws:RequestTag/eks-cluster-arn': expect.anything(),
              'aws:RequestTag/kubernetes-namespace': 'capi-serverless',
              'aws:RequestTag/kubernetes-service-account': 'watch-forwarder',
            },
          },
        },
      ],
    });
    expect(propertiesOf('AWS::EKS::PodIdentityAssociation')).toEqual([
      expect.objectContaining({ ClusterName: 'mgmt', Namespace: 'capi-serverless', ServiceAccount: 'watch-forwarder' }),
    ]);
  });

  it('is assumed with a token of that service account if the cluster is an OIDC issuer', () => {
    const provider = 'arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/ABC';
    const irsa = synthesise(
      { name: 'capi-irsa', sources: { forwarder: { kind: 'irsa', oidcProvider: provider } } },
      made,
    );
    expect(rolesTrusting(irsa, provider).map(({ Properties }) => Properties['AssumeRolePolicyDocument'])).toEqual([
      expect.objectContaining({
        Statement: [
          {
            Action: 'sts:AssumeRoleWithWebIdentity',
            Effect: 'Allow',
            Principal: { Federated: provider },
            Condition: {
              StringEquals: {
                'oidc.eks.eu-central-1.amazonaws.com/id/ABC:aud': 'sts.amazonaws.com',
                'oidc.eks.eu-central-1.amazonaws.com/id/ABC:sub':
                  'system:serviceaccount:capi-serverless:watch-forwarder',
              },
            },
          },
        ],
      }),
    ]);
  });

  it('may send to the work queues, the expand queue and the heartbeat queue, and has no other right', () => {
    const [id] = Object.entries(stack.resources)
      .filter(
        ([, { Type, Properties }]) => Type === 'AWS::IAM::Role' && JSON.stringify(Properties).includes('pods.eks'),
      )
      .map(([name]) => name);
    const statements = stack
      .all('AWS::IAM::Policy')
      .filter(({ Properties }) => JSON.stringify(Properties['Roles']) === JSON.stringify([{ Ref: id }]))
      .flatMap(toStatements);
    expect(statements).toHaveLength(1);
    expect(statements[0]?.Action).toBe('sqs:SendMessage');
    expect(statements[0]?.Resource).toHaveLength(forwarderTargets.length);
    expect(statements[0]?.Resource).toEqual(expect.arrayContaining(forwarderTargets.map(name => stack.arnOf(name))));
  });

  it('comes with the URLs of the queues', () => {
    const [, output = {}] = Object.entries(stack.outputs).find(([id]) => id.includes('QueueUrls')) ?? [];
    const place = { partition: 'aws', region: 'eu-central-1', account: '123456789012' };
    const text = String(resolveIntrinsics(output['Value'], { ref: id => id, attribute: id => id }, place));
    const { queueUrls } = parseConfig({ CAPI_QUEUE_URLS: text });
    expect(queueUrls['expand']).toBe('https://sqs.eu-central-1.amazonaws.com/123456789012/capi-eks-expand');
    expect(Object.keys(queueUrls)).toEqual(forwarderTargets);
  });
});
