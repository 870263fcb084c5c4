// The CDK construct for provider authors: its resources, compared with the stack of this project.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '@capi-serverless/apimachinery';
import { Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeploymentError } from '../../infra/aws/deployment.ts';
import { Provider } from '../../infra/aws/provider.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { leaseSeconds, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import {
  declarations,
  functions,
  type GivenDeployment,
  inEks,
  makeProviders,
  reconcilers,
  serving,
} from '../support/provider-stack.ts';
import {
  type CloudFormationResource,
  list,
  makeBundles,
  Synthesised,
  synthesise,
  toStatements,
} from '../support/synthesised.ts';

const specs = toQueueSpecs(toConsumers(declarations));
const providers = makeProviders();
const { anApp, code, deploy } = providers;
const ours = makeBundles();

afterAll(() => {
  ours.remove();
  providers.remove();
});

let plain: ReturnType<typeof deploy>;

beforeAll(() => {
  plain = deploy({ name: 'racks', concurrency: 30 });
});

describe.each(serving)('function $name of a provider', ({ name, queue, targets }) => {
  it('serves only its queue, ten messages at a time, and reports failed messages one by one', () => {
    expect(plain.made.mappingsOf(name).map(({ Properties }) => Properties)).toEqual([
      {
        FunctionName: plain.made.liveNameOf(name),
        EventSourceArn: plain.made.arnOf(queue),
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 30 },
      },
    ]);
  });

  it('may receive only from its queue, and send only to its targets', () => {
    const byText = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
    const letters = name === 'resync' ? ['delay-dlq', 'expand-dlq'] : [];
    expect(plain.made.mayDo(name, 'sqs:ReceiveMessage').toSorted(byText)).toEqual(
      [queue, ...letters].map(each => plain.made.arnOf(each)).toSorted(byText),
    );
    expect(plain.made.mayDo(name, 'sqs:SendMessage').toSorted(byText)).toEqual(
      targets.map(target => plain.made.arnOf(target)).toSorted(byText),
    );
  });

  it('has a queue that hides messages for longer than an invocation', () => {
    const timeout = Number(plain.made.resourceOf(name).Properties['Timeout']);
    const declared = declarations.find(each => each.name === name)?.timeoutSeconds ?? timeout;
    expect(timeout).toBe(declared);
    expect(plain.made.resourceOf(queue).Properties['VisibilityTimeout']).toBeGreaterThan(timeout + leaseSeconds + 15);
  });
});

describe('the queues of a provider', () => {
  it('are those of its reconcilers and of the plumbing, with the settings of their table', () => {
    const queues = plain.made.all('AWS::SQS::Queue').map(({ Properties }) => Properties['QueueName']);
    expect(queues.toSorted()).toEqual(specs.map(({ name }) => `racks-${name}`).toSorted());
    for (const { name, redrive, visibilityTimeoutSeconds, retentionSeconds } of specs) {
      expect(plain.made.resourceOf(name).Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        VisibilityTimeout: visibilityTimeoutSeconds,
        MessageRetentionPeriod: retentionSeconds,
        ...(redrive === undefined
          ? {}
          : {
              RedrivePolicy: {
                deadLetterTargetArn: plain.made.arnOf(redrive.deadLetterQueue),
                maxReceiveCount: redrive.maxReceiveCount,
              },
            }),
      });
    }
  });

  it('are outputs for operators who inspect queues or redrive dead letters', () => {
    const [output, ...others] = Object.entries(plain.made.outputs).filter(([id]) => id.includes('AllQueues'));
    expect(others).toEqual([]);
    const text = JSON.stringify(output?.[1]['Value']);
    const [, names = ''] = /racks-\{([^}]*)\}/.exec(text) ?? [];
    expect(names.split(',').toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
  });
});

it('exposes its functions, so that their author can grant rights and change settings', () => {
  const stack = new Stack(anApp(), 'Granting');
  const { functions: made } = new Provider(stack, 'Racks', { deployment: { name: 'racks' }, reconcilers, code });
  expect(Object.keys(made)).toEqual(declarations.map(({ name }) => name));
  const topic = 'arn:aws:sns:eu-central-1:123456789012:racks';
  made['rack-cluster']?.allow(['sns:Publish'], [topic]);
  made['rack-cluster']?.set('RACKS_TOPIC', topic);
  const synthesised = new Synthesised('racks', Template.fromStack(stack));
  expect(synthesised.mayDo('rack-cluster', 'sns:Publish')).toEqual([topic]);
  expect(synthesised.mayDo('old-cluster', 'sns:Publish')).toEqual([]);
  expect(synthesised.variablesOf('rack-cluster')).toMatchObject({
    RACKS_TOPIC: topic,
    CAPI_QUEUE_URLS: expect.anything(),
  });
});

describe('the rights of a provider', () => {
  const policies = () => plain.made.all('AWS::IAM::Policy').flatMap(toStatements);
  /** Reads of alarms, and of versions that exist only after an update: test/infra/stack-updates.test.ts. */
  const isOfCodeDeploy = ({ Action }: { readonly Action: string | readonly string[] }): boolean =>
    list(Action).some(action => ['lambda:UpdateAlias', 'cloudwatch:DescribeAlarms'].includes(action));

  it('name each action and each resource', () => {
    expect(policies().length).toBeGreaterThan(functions.length);
    const broad = policies().filter(({ Action, Resource }) => JSON.stringify([Action, Resource]).includes('*'));
    expect(broad.filter(statement => !isOfCodeDeploy(statement))).toEqual([]);
  });

  it('do not depend on managed policies, which can change', () => {
    const roles = plain.made.all('AWS::IAM::Role');
    // Those of the schedules and of CodeDeploy.
    expect(roles).toHaveLength(functions.length + 2);
    for (const { Properties } of roles) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
    }
  });

  it('let schedules invoke only the resync and the windowed forwarder', () => {
    const invoked = policies()
      .filter(({ Action }) => list(Action).includes('lambda:InvokeFunction'))
      .flatMap(({ Resource }) => list(Resource));
    expect(invoked).toEqual([plain.made.liveOf('resync'), plain.made.liveOf('windowed-forwarder')]);
  });

  it.each(functions)('let %s write only to its own log group', name => {
    const [logGroup = ''] = Object.entries(plain.made.resources)
      .filter(([, { Properties }]) => Properties?.['LogGroupName'] === `/aws/lambda/racks-${name}`)
      .map(([id]) => id);
    expect(plain.made.mayDo(name, 'logs:PutLogEvents')).toEqual([{ 'Fn::GetAtt': [logGroup, 'Arn'] }]);
  });
});

describe('the monitoring of a provider', () => {
  /** Returns names, thresholds and periods, without values that are specific to one deployment. */
  const alarmsOf = (of: Synthesised) =>
    of
      .all('AWS::CloudWatch::Alarm')
      .map(({ Properties: { Metrics, AlarmName, ...fields } }) => ({
        ...fields,
        name: String(AlarmName).slice(of.deployment.length + 1),
        metrics: (Metrics as readonly JsonObject[]).length,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));

  it('has the alarms and the dashboard of our own deployment', () => {
    const own = synthesise({ name: 'capi-ours', sources: { windowed: true } }, ours);
    expect(alarmsOf(plain.made).length).toBeGreaterThan(4);
    // The alarms for errors watch each function.
    const isOfErrors = ({ name }: { readonly name: string }): boolean => name.startsWith('function-errors');
    expect(alarmsOf(plain.made).filter(alarm => !isOfErrors(alarm))).toEqual(
      alarmsOf(own).filter(alarm => !isOfErrors(alarm)),
    );
    expect(alarmsOf(plain.made).filter(isOfErrors)).toMatchObject([{ metrics: functions.length + 1 }]);
    expect(plain.made.all('AWS::CloudWatch::Dashboard').map(({ Properties }) => Properties['DashboardName'])).toEqual([
      { 'Fn::Join': ['', ['racks-', { Ref: 'AWS::Region' }]] },
    ]);
    const body = JSON.stringify(plain.made.all('AWS::CloudWatch::Dashboard'));
    expect(functions.filter(name => !body.includes(`racks-${name}`))).toEqual([]);
  });

  it('notifies its topic, covers every function at level all, and is absent when it is off', () => {
    const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
    const { made: all } = deploy({ name: 'racks-all', monitoring: { alarms: 'all', topic } });
    const alarms = all.all('AWS::CloudWatch::Alarm');
    expect(alarms.filter(({ Properties }) => JSON.stringify(Properties['AlarmActions']) !== `["${topic}"]`)).toEqual(
      [],
    );
    expect(functions.filter(name => !JSON.stringify(alarms).includes(`"racks-all-${name}"`))).toEqual([]);
    const { made: none } = deploy({ name: 'racks-bare', monitoring: { alarms: 'none', dashboard: false } });
    expect([...none.all('AWS::CloudWatch::Alarm'), ...none.all('AWS::CloudWatch::Dashboard')]).toEqual([]);
  });

  it('has no alarm for a windowed forwarder that is not deployed', () => {
    const { made: deaf } = deploy({ name: 'racks-deaf' }, { windowed: false });
    expect(alarmsOf(deaf).map(({ name }) => name)).not.toContain('windowed-forwarder-silent');
    expect(deaf.all('AWS::Scheduler::Schedule')).toHaveLength(1);
  });
});

describe('a provider', () => {
  it('gives each function an environment that it can parse, without secrets', () => {
    for (const name of functions) {
      const given = plain.made.variablesOf(name);
      const { CAPI_QUEUE_URLS: urls, CAPI_KUBECONFIG_SECRET: _secret, ...rest } = given;
      expect(parseConfig(toTexts(rest)).resyncPeriodSeconds).toBe(600);
      expect(rest['CAPI_DEPLOYMENT']).toBe('racks');
      expect(JSON.stringify(urls)).toContain('work-');
      expect(JSON.stringify(given)).not.toContain('{{resolve:');
    }
  });

  it('has its queues, logs, environments and secret under the key of its deployment', () => {
    const kmsKeyArn = 'arn:aws:kms:eu-central-1:123456789012:key/6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';
    const { made } = deploy({ name: 'racks', kmsKeyArn });
    const keysOf = (type: string, field: string) => [
      ...new Set(made.all(type).map(({ Properties }) => Properties[field])),
    ];
    expect(keysOf('AWS::SQS::Queue', 'KmsMasterKeyId')).toEqual([kmsKeyArn]);
    expect(keysOf('AWS::Logs::LogGroup', 'KmsKeyId')).toEqual([kmsKeyArn]);
    expect(keysOf('AWS::Lambda::Function', 'KmsKeyArn')).toEqual([kmsKeyArn]);
    expect(keysOf('AWS::SecretsManager::Secret', 'KmsKeyId')).toEqual([kmsKeyArn]);
  });

  it('has no unexplained findings in the rule checks', () => {
    const app = anApp({});
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const given: readonly GivenDeployment[] = [
      { ...inEks, name: 'racks-eks', monitoring: { tracing: true } },
      { name: 'racks', monitoring: { alarms: 'all' } },
    ];
    for (const deployment of given) {
      new Provider(new Stack(app, `Of-${deployment.name}`), 'Racks', { deployment, reconcilers, code });
    }
    const { directory } = app.synth();
    const report = JSON.parse(readFileSync(path.join(directory, 'validation-report.json'), 'utf8'));
    expect(report.pluginReports).toEqual([]);
  });

  it('shares no name with our own deployment or with another provider, in one stack or in several', () => {
    const stack = new Stack(anApp(), 'Both');
    const two = ['racks-blue', 'racks-green'].map(name => {
      new Provider(stack, name, { deployment: { name }, reconcilers, code });
      return name;
    });
    const own = synthesise({ name: 'capi-ours', sources: { windowed: true } }, ours);
    const names = [...Object.values(Template.fromStack(stack).toJSON()['Resources']), ...Object.values(own.resources)]
      .map(resource => resource as CloudFormationResource) // true: it is a resource of a template
      .filter(({ Type }) => Type !== 'AWS::Lambda::Alias') // A name within its function.
      .flatMap(({ Type, Properties }) =>
        nameFields.flatMap(field => [Properties?.[field]].filter(isText).map(name => `${Type} ${name}`)),
      );
    expect(names.filter(name => two.some(one => name.includes(one))).length).toBeGreaterThan(40);
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  it('limits the concurrency only of its reconcilers if its plumbing is uncapped', () => {
    const { made: uncapped } = deploy({ name: 'racks-open', plumbing: 'uncapped' });
    const capped = uncapped
      .all('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => 'ScalingConfig' in Properties)
      .map(({ Properties }) => JSON.stringify(Properties['FunctionName']));
    expect(capped).toHaveLength(declarations.length);
  });

  it.each([
    { name: 'resync', problem: 'is that of a function of the deployment itself' },
    { name: 'windowed-forwarder', problem: 'is that of a function of the deployment itself' },
    { name: 'rack-cluster', problem: 'is that of two reconcilers' },
    { name: `o${'l'.repeat(60)}d`, problem: 'makes the name of a function longer than 64 characters' },
    { name: 'old.cluster', problem: 'must consist of lower-case letters, digits and hyphens' },
  ])('rejects a reconciler with an invalid function name: $name $problem', ({ name, problem }) => {
    const [first, second] = reconcilers;
    const renamed = { declaration: { ...second.declaration, name } };
    const make = () => deploy({ name: 'racks' }, { reconcilers: [first, renamed] });
    expect(make).toThrow(DeploymentError);
    expect(make).toThrow(problem);
  });

  it('rejects a shared work queue, which it cannot create', () => {
    const shared = { name: 'racks', layout: 'compact' };
    expect(() => deploy(shared)).toThrow(DeploymentError);
    expect(() => deploy(shared)).toThrow(/^Deployment racks: layout: compact is not available for a provider/);
    const { made } = deploy({ name: 'racks', ...{ layout: 'per-kind' } });
    expect(made.all('AWS::SQS::Queue')).toHaveLength(plain.made.all('AWS::SQS::Queue').length);
  });

  it('rejects an invalid deployment, and names it', () => {
    expect(() => deploy({ name: 'racks', concurrency: 1 })).toThrow(/^Deployment racks: concurrency/);
  });
});

/** Names that AWS keeps unique within an account and region. */
const nameFields = ['QueueName', 'FunctionName', 'LogGroupName', 'Name', 'AlarmName', 'DashboardName'];

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function toTexts(fields: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
