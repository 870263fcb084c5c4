// What a deployment creates, read from the synthesised template: queues, functions, triggers and rights.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, type CfnElement } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declarations as coreDeclarations } from '../../functions/declarations.ts';
import { CapiServerlessStack, toConstructId } from '../../infra/aws/stack.ts';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { plumbingFunctions, toReconcilerFunctions } from '../../infra/functions.ts';
import { simulatedDeclarations } from '../../infra/local/provider/declarations.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Resource {
  readonly Type: string;
  readonly Properties: Fields;
  readonly DependsOn?: readonly string[];
}
interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** More than the product has today, so that what holds for each holds for several. */
const declarations = [...coreDeclarations, ...simulatedDeclarations];
const functions = [...toReconcilerFunctions(declarations, 'functions'), ...plumbingFunctions];
const specs = toQueueSpecs(toConsumers(declarations));

const defaults = { concurrency: 20, settings: {} };

let folder: string;
let stack: CapiServerlessStack;
let resources: Readonly<Record<string, Resource>>;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-stack-'));
  const bundles = functions.map(({ name }) => {
    mkdirSync(path.join(folder, name));
    const file = path.join(folder, name, 'handler.mjs');
    writeFileSync(file, `export const handler = () => '${name}';\n`);
    return { name, file };
  });
  const { context } = JSON.parse(readFileSync(path.join(projectRoot, 'cdk.json'), 'utf8'));
  const app = new App({ context, outdir: path.join(folder, 'out') });
  stack = new CapiServerlessStack(app, 'Test', {
    declarations,
    functions,
    bundles,
    queueDesign: 'default',
    concurrency: 30,
    settings: { CAPI_WATCH_FILTER: 'blue' },
  });
  resources = Template.fromStack(stack).toJSON()['Resources'];
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The id in the template of what the stack made for this queue or function. */
function idOf(name: string): string {
  const { defaultChild } = stack.node.findChild(toConstructId(name)).node;
  return stack.getLogicalId(defaultChild as CfnElement); // queues and functions are made of one element
}

function resourceOf(name: string): Resource {
  const resource = resources[idOf(name)];
  if (resource === undefined) {
    throw new Error(`The template has nothing for ${name}`);
  }
  return resource;
}

const all = (type: string): readonly Resource[] => Object.values(resources).filter(({ Type }) => Type === type);
const arnOf = (name: string): Fields => ({ 'Fn::GetAtt': [idOf(name), 'Arn'] });
const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]); // one or many, as IAM writes both

function mappingsOf(functionName: string): readonly Resource[] {
  return all('AWS::Lambda::EventSourceMapping').filter(
    ({ Properties }) => JSON.stringify(Properties['FunctionName']) === JSON.stringify({ Ref: idOf(functionName) }),
  );
}

/** What the function's role may do. */
function statementsOf(functionName: string): readonly Statement[] {
  return policiesOf(functionName)
    .flatMap(id => resources[id] ?? [])
    .flatMap(toStatements);
}

/** The ids in the template of the policies that are attached to the function's role. */
function policiesOf(functionName: string): readonly string[] {
  const { Role } = resourceOf(functionName).Properties as {
    readonly Role: { readonly 'Fn::GetAtt': readonly string[] };
  }; // roles are referred to by ARN
  const attached = JSON.stringify([{ Ref: Role['Fn::GetAtt'][0] }]);
  return Object.entries(resources)
    .filter(
      ([, { Type, Properties }]) => Type === 'AWS::IAM::Policy' && JSON.stringify(Properties['Roles']) === attached,
    )
    .map(([id]) => id);
}

function toStatements({ Properties }: Resource): readonly Statement[] {
  return (Properties['PolicyDocument'] as { readonly Statement: readonly Statement[] }).Statement; // by the type of the resource
}

function mayDo(functionName: string, action: string): readonly unknown[] {
  return statementsOf(functionName)
    .filter(({ Action }) => list(Action).includes(action))
    .flatMap(({ Resource }) => list(Resource));
}

function sendTargetsOf(functionName: string): readonly string[] {
  const environment = resourceOf(functionName).Properties['Environment'] as { readonly Variables: Fields }; // by its type
  const text = JSON.stringify(environment.Variables['CAPI_QUEUE_URLS']);
  return specs.map(({ name }) => name).filter(name => text.includes(`\\"${name}\\":\\"",{"Ref":"${idOf(name)}"}`));
}

describe.each(specs)('queue $name', ({ name, fifo, redrive, visibilityTimeoutSeconds, retentionSeconds }) => {
  it('is set as its table says, encrypted by SQS', () => {
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

  it('leads to its dead-letter queue, if it is none itself', () => {
    expect(resourceOf(name).Properties['RedrivePolicy']).toEqual(
      redrive && {
        deadLetterTargetArn: arnOf(redrive.deadLetterQueue),
        maxReceiveCount: redrive.maxReceiveCount,
      },
    );
    expect(redrive === undefined).toBe(name.includes('-dlq'));
  });

  it('refuses whoever does not come by TLS', () => {
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

describe.each(functions)('function $name', ({ name, queue, timeoutSeconds }) => {
  it('runs its bundle on Node 24 and arm64 as long as its declaration allows', () => {
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

  it('serves its queue alone, ten messages at a time, and fails them one by one', () => {
    expect(mappingsOf(name).map(({ Properties }) => Properties)).toEqual([
      {
        FunctionName: { Ref: idOf(name) },
        EventSourceArn: arnOf(queue),
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 30 },
      },
    ]);
  });

  it('leaves its queue six of its timeouts before a message is seen again', () => {
    expect(resourceOf(queue).Properties['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * timeoutSeconds);
  });

  it('may receive from its queue alone', () => {
    for (const action of ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility']) {
      expect(mayDo(name, action)).toEqual([arnOf(queue)]);
    }
  });

  it('may send to the queues that it knows, and to no other', () => {
    const workQueues = declarations.map(declaration => `work-${declaration.name}.fifo`);
    const targets = ['timer', 'resync'].includes(name) ? [...workQueues, 'delay'] : [queue, 'delay'];
    expect(sendTargetsOf(name).toSorted()).toEqual(targets.toSorted());
    const byText = (a: unknown, b: unknown): number => JSON.stringify(a).localeCompare(JSON.stringify(b));
    expect(mayDo(name, 'sqs:SendMessage').toSorted(byText)).toEqual(targets.map(arnOf).toSorted(byText));
  });

  it('may write to its own log group, which keeps its lines for a month', () => {
    const { LoggingConfig } = resourceOf(name).Properties as { readonly LoggingConfig: Fields }; // asserted below
    const logGroup = stack.getLogicalId(
      stack.node.findChild(`${toConstructId(name)}Logs`).node.defaultChild as CfnElement, // a log group is one element
    );
    expect(LoggingConfig).toEqual({ LogGroup: { Ref: logGroup } });
    expect(mayDo(name, 'logs:PutLogEvents')).toEqual([{ 'Fn::GetAtt': [logGroup, 'Arn'] }]);
    expect(resources[logGroup]?.Properties).toEqual({ RetentionInDays: 30 });
  });

  it('exists only once its role has its rights, so that no message comes before them', () => {
    const policies = policiesOf(name);
    expect(policies).toHaveLength(1);
    expect(resourceOf(name).DependsOn).toEqual(expect.arrayContaining([...policies]));
  });

  it('gets an environment that it can read', () => {
    const { Variables } = resourceOf(name).Properties['Environment'] as { readonly Variables: Fields }; // by its type
    const resolved = Object.fromEntries(
      Object.entries(Variables).map(([variable, value]) => [variable, withUrls(value)]),
    );
    expect(Object.keys(parseConfig(resolved).queueUrls).toSorted()).toEqual(sendTargetsOf(name).toSorted());
    expect(Object.keys(resolved)).not.toContain('NODE_OPTIONS');
  });
});

/** The text as it is once the queues exist. */
function withUrls(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const [separator, parts] = (value as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join']; // the only function used
  return parts.map(part => (typeof part === 'string' ? part : 'https://sqs.example.com/q')).join(separator);
}

describe('the stack', () => {
  it('has the plumbing that every reconciler needs', () => {
    expect(resourceOf('delay').Properties['RedrivePolicy']).toMatchObject({ maxReceiveCount: 10 });
    expect(mappingsOf('timer')[0]?.Properties['EventSourceArn']).toEqual(arnOf('delay'));
    expect(mappingsOf('resync')[0]?.Properties['EventSourceArn']).toEqual(arnOf('expand'));
  });

  it('gives each reconciler a FIFO queue that gives up after five receives', () => {
    for (const { name } of declarations) {
      expect(resourceOf(`work-${name}.fifo`).Properties).toMatchObject({
        FifoQueue: true,
        RedrivePolicy: { maxReceiveCount: 5, deadLetterTargetArn: arnOf(`work-${name}-dlq.fifo`) },
      });
      expect(resourceOf(`work-${name}-dlq.fifo`).Properties['FifoQueue']).toBe(true);
    }
  });

  it('resyncs on a schedule, as often as the functions are told', () => {
    const [schedule, ...others] = all('AWS::Scheduler::Schedule');
    expect(others).toEqual([]);
    expect(schedule?.Properties).toMatchObject({
      ScheduleExpression: 'rate(10 minutes)',
      State: 'ENABLED',
      Target: { Arn: arnOf('resync') },
    });
    for (const { name } of functions) {
      expect(resourceOf(name).Properties['Environment']).toMatchObject({
        Variables: { CAPI_RESYNC_PERIOD_SECONDS: '600' },
      });
    }
  });

  it('tells the functions which queue design the queues were created with', () => {
    for (const { name } of functions) {
      expect(resourceOf(name).Properties['Environment']).toMatchObject({
        Variables: { CAPI_QUEUE_DESIGN: 'default', CAPI_WATCH_FILTER: 'blue' },
      });
    }
  });

  it('holds back what goes to the reconcilers where buckets merge events', () => {
    const bucketStack = new CapiServerlessStack(new App(), 'Buckets', {
      declarations,
      functions: [],
      bundles: [],
      queueDesign: 'bucket',
      ...defaults,
    });
    const queues = Template.fromStack(bucketStack).findResources('AWS::SQS::Queue', {
      Properties: { DelaySeconds: 2 },
    });
    expect(Object.keys(queues)).toHaveLength(declarations.length);
  });

  it('refuses a function that was not bundled', () => {
    const props = { declarations, functions, bundles: [], queueDesign: 'default', ...defaults } as const;
    const make = () => new CapiServerlessStack(new App(), 'Unbundled', props);
    expect(make).toThrow('Function cluster was not bundled');
  });
});

describe('rights', () => {
  /** Every other statement names its resources one by one. */
  const exceptions = [
    {
      text: ':*',
      where: 'lambda:InvokeFunction',
      reason: 'the scheduler may invoke any version of the resync function',
    },
  ];

  it('name each action and each resource', () => {
    const statements = all('AWS::IAM::Policy').flatMap(toStatements);
    expect(statements.length).toBeGreaterThan(functions.length);
    const broad = statements.filter(
      ({ Action, Resource }) =>
        JSON.stringify(Action).includes('*') ||
        (JSON.stringify(Resource).includes('*') && !exceptions.some(({ where }) => where === Action)),
    );
    expect(broad).toEqual([]);
  });

  it('are broader than one resource only where an exception says why', () => {
    const statements = all('AWS::IAM::Policy').flatMap(toStatements);
    for (const { where, text } of exceptions) {
      const resourcesOf = statements.filter(({ Action }) => Action === where).flatMap(({ Resource }) => list(Resource));
      expect(resourcesOf).toEqual([arnOf('resync'), { 'Fn::Join': ['', [arnOf('resync'), text]] }]);
    }
  });

  it('come from no policy that somebody else may change', () => {
    const roles = all('AWS::IAM::Role');
    expect(roles).toHaveLength(functions.length + 1);
    for (const { Properties } of roles) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
    }
  });
});
