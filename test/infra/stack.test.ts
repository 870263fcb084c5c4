// The resources of a deployment in the synthesized template: queues, functions, triggers and permissions.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../shared/config/env.ts';
import { leaseSeconds, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { resolveIntrinsics } from '../support/intrinsics.ts';
import {
  type CloudFormationResource,
  declarations,
  functions,
  list,
  makeBundles,
  type Synthesised,
  synthesise,
  toStatements,
} from '../support/synthesised.ts';

const specs = toQueueSpecs(toConsumers(declarations));
const made = makeBundles();
let stack: Synthesised;

beforeAll(() => {
  stack = synthesise({ name: 'capi-test', concurrency: 30, settings: { watchFilter: 'blue' } }, made);
});

afterAll(() => made.remove());

const all = (type: string): readonly CloudFormationResource[] => stack.all(type);
const arnOf = (name: string): JsonObject => stack.arnOf(name);
const idOf = (name: string): string => stack.idOf(name);
const resourceOf = (name: string): CloudFormationResource => stack.resourceOf(name);
const mayDo = (functionName: string, action: string): readonly unknown[] => stack.mayDo(functionName, action);

const mappingsOf = (functionName: string): readonly CloudFormationResource[] => stack.mappingsOf(functionName);

/** The URLs of queues in the function's environment, by name. */
function urlsOf(functionName: string): Readonly<Record<string, string>> {
  return parseConfig({ CAPI_QUEUE_URLS: toText(stack.variablesOf(functionName)['CAPI_QUEUE_URLS']) }).queueUrls;
}

const place = { partition: 'aws', region: 'eu-central-1', account: '123456789012' };

/** Resolves a variable. The only resources in variables are secrets. */
function toText(value: unknown): string {
  const ref = (id: string): string => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${id}`;
  return String(resolveIntrinsics(value, { ref, attribute: id => id }, place));
}

describe.each(specs)('queue $name', ({ name, fifo, redrive, visibilityTimeoutSeconds, retentionSeconds }) => {
  it('has the settings of its table, encrypted by SQS', () => {
    const { Type, Properties } = resourceOf(name);
    expect(Type).toBe('AWS::SQS::Queue');
    expect(Properties).toMatchObject({
      SqsManagedSseEnabled: true,
      VisibilityTimeout: visibilityTimeoutSeconds,
      MessageRetentionPeriod: retentionSeconds,
      DelaySeconds: 0,
    });
    expect(Properties['FifoQueue']).toBe(fifo ? true : undefined);
    expect(Properties['DeduplicationScope']).toBe(fifo ? 'messageGroup' : undefined);
    expect(Properties['FifoThroughputLimit']).toBe(fifo ? 'perMessageGroupId' : undefined);
  });

  it('redrives to its dead-letter queue, unless it is one', () => {
    expect(resourceOf(name).Properties['RedrivePolicy']).toEqual(
      redrive && {
        deadLetterTargetArn: arnOf(redrive.deadLetterQueue),
        maxReceiveCount: redrive.maxReceiveCount,
      },
    );
    expect(redrive === undefined).toBe(name.includes('-dlq'));
  });

  it('accepts dead letters only from its own queue', () => {
    const source = specs.find(spec => spec.redrive?.deadLetterQueue === name);
    const policy = resourceOf(name).Properties['RedriveAllowPolicy'];
    if (source === undefined) {
      expect(policy).toEqual({ redrivePermission: 'denyAll' });
    } else {
      expect(policy).toMatchObject({ redrivePermission: 'byQueue', sourceQueueArns: [expect.anything()] });
      expect(JSON.stringify(policy)).toMatch(new RegExp(`:capi-test-${source.name.replace('.', '\\.')}"`));
      expect(specs.filter(spec => spec.redrive?.deadLetterQueue === name)).toHaveLength(1);
    }
  });

  it('rejects requests without TLS', () => {
    const policies = all('AWS::SQS::QueuePolicy').filter(
      ({ Properties }) => JSON.stringify(Properties['Queues']) === JSON.stringify([{ Ref: idOf(name) }]),
    );
    expect(policies.flatMap(toStatements)).toEqual([
      {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'sqs:*',
        Resource: arnOf(name),
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ]);
  });
});

describe.each(functions)('function $name', ({ name, queue, batchSize, timeoutSeconds }) => {
  it('runs its bundle on Node 24 and arm64 with the timeout of its declaration', () => {
    expect(resourceOf(name)).toMatchObject({
      Type: 'AWS::Lambda::Function',
      Properties: {
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'handler.handler',
        Timeout: timeoutSeconds,
      },
    });
  });

  it('may be invoked repeatedly by its own messages, as objects with requeueAfter require', () => {
    expect(resourceOf(name).Properties['RecursiveLoop']).toBe('Allow');
  });

  it('serves only its queue, in batches of its size, and reports failed messages one by one', () => {
    expect(mappingsOf(name).map(({ Properties }) => Properties)).toEqual([
      {
        FunctionName: stack.liveNameOf(name),
        EventSourceArn: arnOf(queue),
        BatchSize: batchSize,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 30 },
      },
    ]);
  });

  it('has a queue that hides messages for longer than an invocation, and ends soon if no invocation starts', () => {
    const { VisibilityTimeout: seconds, RedrivePolicy } = resourceOf(queue).Properties;
    const { maxReceiveCount } = RedrivePolicy as { readonly maxReceiveCount: number }; // true: see the queue's own test
    // Longer than a death takes (shared/kernel/deaths.ts), so that a throttled delivery is none.
    expect(seconds).toBeGreaterThan(timeoutSeconds + leaseSeconds + 15);
    expect(Number(seconds) * maxReceiveCount).toBeLessThanOrEqual(18 * 60);
  });

  it('may receive only from its queue, and the resync also dead letters that it sends again', () => {
    const letters = name === 'resync' ? ['delay-dlq', 'expand-dlq'] : [];
    const byText = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
    for (const action of ['sqs:ReceiveMessage', 'sqs:DeleteMessage']) {
      expect(mayDo(name, action).toSorted(byText)).toEqual([queue, ...letters].map(arnOf).toSorted(byText));
    }
    expect(mayDo(name, 'sqs:ChangeMessageVisibility')).toEqual([arnOf(queue)]);
  });

  it('may send only to its targets, and knows the URLs of these and of its own queue', () => {
    const workQueues = declarations.map(declaration => `work-${declaration.name}.fifo`);
    const reconcilers = ['timer', 'resync'].includes(name) ? workQueues : [];
    const targets = [...new Set([...reconcilers, queue, 'delay'])];
    const byText = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
    expect(mayDo(name, 'sqs:SendMessage').toSorted(byText)).toEqual(targets.map(arnOf).toSorted(byText));
    // The resync reads the attributes of all queues.
    const known = name === 'resync' ? specs.map(spec => spec.name) : targets;
    expect(urlsOf(name)).toEqual(
      Object.fromEntries(
        known.map(each => [each, `https://sqs.eu-central-1.amazonaws.com/123456789012/capi-test-${each}`]),
      ),
    );
  });

  it('may write only to its own log group, which keeps its lines for a month', () => {
    const { LoggingConfig } = resourceOf(name).Properties as { readonly LoggingConfig: JsonObject }; // true: the next assertion checks it
    const [logGroup = ''] = Object.entries(stack.resources)
      .filter(([, { Properties }]) => Properties?.['LogGroupName'] === `/aws/lambda/capi-test-${name}`)
      .map(([id]) => id);
    expect(LoggingConfig).toEqual({ LogGroup: { Ref: logGroup } });
    expect(mayDo(name, 'logs:PutLogEvents')).toEqual([{ 'Fn::GetAtt': [logGroup, 'Arn'] }]);
    expect(stack.resources[logGroup]?.Properties).toMatchObject({ RetentionInDays: 30 });
  });

  it('is created after its role has its rights, so that no message arrives earlier', () => {
    const policies = stack.policiesOf(name);
    expect(policies).toHaveLength(1);
    expect(resourceOf(name).DependsOn).toEqual(expect.arrayContaining([...policies]));
  });

  it('gets an environment that it can parse, without secrets', () => {
    const resolved = Object.fromEntries(
      Object.entries(stack.variablesOf(name)).map(([variable, value]) => [variable, toText(value)]),
    );
    expect(parseConfig(resolved).deployment).toBe('capi-test');
    expect(Object.keys(resolved)).not.toContain('NODE_OPTIONS');
    expect(JSON.stringify(stack.variablesOf(name))).not.toContain('{{resolve:');
  });
});

describe('the stack', () => {
  it('has the plumbing that every reconciler needs', () => {
    expect(resourceOf('delay').Properties['RedrivePolicy']).toMatchObject({ maxReceiveCount: 10 });
    expect(mappingsOf('timer')[0]?.Properties['EventSourceArn']).toEqual(arnOf('delay'));
    expect(mappingsOf('resync')[0]?.Properties['EventSourceArn']).toEqual(arnOf('expand'));
  });

  it('gives each reconciler a FIFO queue with five receives before the dead-letter queue', () => {
    for (const { name } of declarations) {
      expect(resourceOf(`work-${name}.fifo`).Properties).toMatchObject({
        FifoQueue: true,
        RedrivePolicy: { maxReceiveCount: 5, deadLetterTargetArn: arnOf(`work-${name}-dlq.fifo`) },
      });
      expect(resourceOf(`work-${name}-dlq.fifo`).Properties['FifoQueue']).toBe(true);
    }
  });

  it('reports purges of its queues to the resync, if CloudTrail records them', () => {
    const [rule, ...others] = all('AWS::Events::Rule');
    expect(others).toEqual([]);
    const purgeable = specs.filter(({ redrive }) => redrive !== undefined);
    expect(rule?.Properties).toMatchObject({
      EventPattern: {
        source: ['aws.sqs'],
        'detail-type': ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['sqs.amazonaws.com'],
          eventName: ['PurgeQueue'],
          errorCode: [{ exists: false }],
          requestParameters: { queueUrl: purgeable.map(({ name }) => ({ suffix: `/capi-test-${name}` })) },
        },
      },
      Targets: [{ Arn: stack.liveOf('resync') }],
    });
  });

  it("resyncs on a schedule, at the interval in the functions' environment", () => {
    const [schedule, ...others] = all('AWS::Scheduler::Schedule');
    expect(others).toEqual([]);
    expect(schedule?.Properties).toMatchObject({
      ScheduleExpression: 'rate(10 minutes)',
      State: 'ENABLED',
      Target: { Arn: stack.liveOf('resync') },
    });
    for (const { name } of functions) {
      expect(resourceOf(name).Properties['Environment']).toMatchObject({
        Variables: { CAPI_RESYNC_PERIOD_SECONDS: '600' },
      });
    }
  });

  it('retries no failed resync: the schedule starts the next one', () => {
    expect(all('AWS::Lambda::EventInvokeConfig').map(({ Properties }) => Properties)).toEqual([
      {
        FunctionName: { Ref: stack.idOf('resync') },
        Qualifier: { 'Fn::Select': [7, { 'Fn::Split': [':', stack.liveOf('resync')] }] },
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 600,
      },
    ]);
  });

  it.each([
    { resyncPeriodMinutes: 1, seconds: 60, reason: 'the shortest that Lambda accepts' },
    { resyncPeriodMinutes: 1440, seconds: 21_600, reason: 'the longest that Lambda accepts' },
  ])('drops a resync that waited for a period: $reason', ({ resyncPeriodMinutes, seconds }) => {
    const built = synthesise({ name: 'capi-aged', resyncPeriodMinutes }, made);
    const configs = built.all('AWS::Lambda::EventInvokeConfig');
    expect(configs.map(({ Properties }) => Properties['MaximumEventAgeInSeconds'])).toEqual([seconds]);
  });

  it('passes the watch filter of the deployment to the functions', () => {
    for (const { name } of functions) {
      expect(resourceOf(name).Properties['Environment']).toMatchObject({
        Variables: { CAPI_WATCH_FILTER: 'blue' },
      });
    }
  });

  it.each([
    {
      featureGates: undefined,
      idle: ['clusterclass', 'extensionconfig', 'machinedeployment-topology', 'machineset-topology', 'topology'],
      reason: 'those of Cluster API',
    },
    { featureGates: 'ClusterTopology=true', idle: ['extensionconfig'], reason: 'topologies without extensions' },
    {
      featureGates: 'RuntimeSDK=true',
      idle: ['clusterclass', 'machinedeployment-topology', 'machineset-topology', 'topology'],
      reason: 'extensions alone',
    },
    {
      featureGates: 'ClusterTopology=true,RuntimeSDK=true,MachinePool=false,ClusterResourceSet=false',
      idle: ['clusterresourceset', 'clusterresourcesetbinding', 'machinepool'],
      reason: 'neither pools nor resource sets',
    },
  ])('omits reconcilers whose feature gate is off: $reason', ({ featureGates, idle }) => {
    const gated = synthesise({ name: 'capi-gated', settings: { featureGates } }, made);
    const template = JSON.stringify([gated.resources, gated.outputs]);
    const named = declarations.filter(({ name }) => template.includes(`capi-gated-work-${name}.fifo`));
    expect(declarations.map(({ name }) => name).filter(name => !named.some(each => each.name === name))).toEqual(idle);
    expect(idle.filter(name => template.includes(`"capi-gated-${name}"`) || template.includes(`work-${name}`))).toEqual(
      [],
    );
  });

  it('rejects a function without a bundle', () => {
    const make = () => synthesise({ name: 'capi-unbundled' }, { folder: made.folder, bundles: [] });
    expect(make).toThrow('Function cluster was not bundled');
  });
});

describe('rights', () => {
  it('name each action and each resource', () => {
    const statements = all('AWS::IAM::Policy').flatMap(toStatements);
    expect(statements.length).toBeGreaterThan(functions.length);
    // Except the reads of CodeDeploy: stack-updates.test.ts.
    const ofCodeDeploy = ['lambda:UpdateAlias', 'cloudwatch:DescribeAlarms'];
    const others = statements.filter(({ Action }) => !list(Action).some(action => ofCodeDeploy.includes(action)));
    expect(others.filter(({ Action, Resource }) => JSON.stringify([Action, Resource]).includes('*'))).toEqual([]);
  });

  it('do not depend on managed policies, which can change', () => {
    const roles = all('AWS::IAM::Role');
    // Those of the schedules and of CodeDeploy.
    expect(roles).toHaveLength(functions.length + 2);
    for (const { Properties } of roles) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
    }
    // The CDK moves the statements of a long policy to a managed one.
    expect(all('AWS::IAM::ManagedPolicy')).toEqual([]);
  });

  it('let the schedule invoke only the resync function', () => {
    const invoking = all('AWS::IAM::Policy')
      .flatMap(toStatements)
      .filter(({ Action }) => list(Action).includes('lambda:InvokeFunction'));
    expect(invoking.map(({ Resource }) => Resource)).toEqual([stack.liveOf('resync')]);
  });
});

describe('what a deployment may change', () => {
  let changed: Synthesised;
  const kept = ['AWS::SQS::Queue', 'AWS::Logs::LogGroup'];
  const policiesIn = (of: Synthesised): readonly unknown[] => [
    ...new Set(kept.flatMap(type => of.all(type)).flatMap(each => [each.DeletionPolicy, each.UpdateReplacePolicy])),
  ];

  beforeAll(() => {
    const fields = { architecture: 'x86_64', removal: 'retain', terminationProtection: true };
    changed = synthesise({ name: 'capi-kept', ...fields }, made);
  });

  it('are the processors of its functions', () => {
    expect(changed.resourceOf('cluster').Properties['Architectures']).toEqual(['x86_64']);
  });

  it('is whether its queues and log groups remain', () => {
    expect(policiesIn(stack)).toEqual(['Delete']);
    expect(policiesIn(changed)).toEqual(['Retain']);
  });

  it('is whether CloudFormation refuses to delete the stack', () => {
    expect([stack.isProtected, changed.isProtected]).toEqual([false, true]);
  });
});
