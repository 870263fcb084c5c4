// What is watched of a deployment: alarms, dashboard and spans, compared with what the code tells and what the runbook says.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heartbeatMs } from '../../functions/watch-forwarder/heartbeat.ts';
import { reconcileQuery } from '../../infra/aws/monitoring/widgets.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { reconcileBatch } from '../../shared/kernel/batch.ts';
import { missedEvents } from '../../shared/kernel/metrics.ts';
import { publishedMetrics } from '../../shared/telemetry/published-metrics.ts';
import { createTelemetry } from '../../shared/telemetry/wire.ts';
import { toBody } from '../../shared/workqueue/message.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { aReconciler, aRecordingLog, aWidget, widgetCrd } from '../support/kernel.ts';
import { createMemoryApi } from '../support/memory-api.ts';
import {
  declarations,
  eksDeployment,
  type Fields,
  functions,
  makeBundles,
  type Synthesised,
  synthesise,
} from '../support/synthesised.ts';

const managementCluster = '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';
const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
const made = makeBundles();
const served = toQueueSpecs(toConsumers(declarations)).flatMap(({ name, redrive }) =>
  redrive === undefined ? [] : [{ name, redrive }],
);
let stack: Synthesised;
let plain: Synthesised;

beforeAll(() => {
  const monitoring = { topic, alarms: 'all', tracing: true, runbook: 'https://wiki.example.com/capi' } as const;
  stack = synthesise({ ...eksDeployment, name: 'capi-full', monitoring }, made);
  plain = synthesise({ name: 'capi-plain' }, made);
}, 120_000);

afterAll(() => made.remove());

interface MetricName {
  readonly namespace: string;
  readonly name: string;
  readonly dimension: { readonly name: string; readonly value: string };
}

interface Alarm {
  readonly name: string;
  readonly fields: Fields;
  readonly metrics: readonly MetricName[];
  readonly expression: string | undefined;
}

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData: boolean;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions: readonly [{ readonly Name: string; readonly Value: string }];
    };
    readonly Period: number;
    readonly Stat: string;
  };
}

function alarmsOf(of: Synthesised): readonly Alarm[] {
  return of.all('AWS::CloudWatch::Alarm').map(({ Properties }) => {
    const queries = Properties['Metrics'] as readonly Query[]; // every alarm is made of queries
    return {
      name: String(Properties['AlarmName']).slice(of.deployment.length + 1),
      fields: Properties,
      expression: queries.find(({ Expression }) => Expression !== undefined)?.Expression,
      metrics: queries.flatMap(({ MetricStat }) =>
        MetricStat === undefined
          ? []
          : [
              {
                namespace: MetricStat.Metric.Namespace,
                name: MetricStat.Metric.MetricName,
                dimension: { name: MetricStat.Metric.Dimensions[0].Name, value: MetricStat.Metric.Dimensions[0].Value },
              },
            ],
      ),
    };
  });
}

function alarmOf(of: Synthesised, name: string): Alarm {
  const found = alarmsOf(of).find(alarm => alarm.name === name);
  if (found === undefined) {
    throw new Error(`No alarm ${name}`);
  }
  return found;
}

/** The dashboard's widgets; what CloudFormation fills in later reads `<later>`. */
function widgetsOf(of: Synthesised) {
  const [dashboard] = of.all('AWS::CloudWatch::Dashboard');
  const body = dashboard?.Properties['DashboardBody'];
  const parts =
    typeof body === 'string'
      ? [body]
      : (body as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'][1]; // the only function used
  const text = parts.map(part => (typeof part === 'string' ? part : '<later>')).join('');
  const { widgets } = JSON.parse(text) as {
    readonly widgets: readonly {
      readonly type: string;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly properties: Fields;
    }[];
  }; // as CloudWatch reads it
  return widgets;
}

function graphedBy(of: Synthesised): readonly MetricName[] {
  return widgetsOf(of)
    .flatMap(({ properties }) => (properties['metrics'] as readonly (readonly unknown[])[] | undefined) ?? [])
    .filter(entry => typeof entry[0] === 'string')
    .map(([namespace, name, dimension, value]) => ({
      namespace: String(namespace),
      name: String(name),
      dimension: { name: String(dimension), value: String(value) },
    }));
}

/** Without the number of an alarm that is one of several. */
function kindOf(alarm: string): string {
  return alarm.replace(/-\d+$/, '');
}

/** Once each, in order. */
function sortedSet(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

const queue = (of: Synthesised, name: string) => `${of.deployment}-${name}`;

describe('an alarm', () => {
  const wanted = [
    {
      name: 'dead-letters',
      missing: 'notBreaching',
      operator: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      of: [1, 1],
      period: 300,
    },
    {
      name: 'messages-waiting',
      missing: 'notBreaching',
      operator: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      of: [2, 2],
      period: 300,
    },
    {
      name: 'function-errors',
      missing: 'notBreaching',
      operator: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      of: [1, 1],
      period: 300,
    },
    {
      name: 'throttles',
      missing: 'notBreaching',
      operator: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      of: [1, 1],
      period: 300,
    },
    {
      name: 'forwarder-silent',
      missing: 'breaching',
      operator: 'LessThanThreshold',
      threshold: 1,
      of: [3, 3],
      period: 300,
    },
    {
      name: 'windowed-forwarder-silent',
      missing: 'breaching',
      operator: 'LessThanThreshold',
      threshold: 1,
      of: [2, 2],
      period: 300,
    },
    {
      name: 'missed-events',
      missing: 'notBreaching',
      operator: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      of: [3, 6],
      period: 3600,
    },
  ];

  it.each(wanted)(
    'about $name goes off as it should, also without data',
    ({ name, missing, operator, threshold, of, period }) => {
      const { fields } = alarmOf(stack, name);
      expect(fields).toMatchObject({
        ComparisonOperator: operator,
        Threshold: threshold,
        DatapointsToAlarm: of[0],
        EvaluationPeriods: of[1],
        TreatMissingData: missing,
      });
      const queries = fields['Metrics'] as readonly Query[]; // every alarm is made of queries
      expect(new Set(queries.flatMap(({ MetricStat }) => MetricStat?.Period ?? []))).toEqual(new Set([period]));
      expect(queries.filter(({ ReturnData }) => ReturnData)).toHaveLength(1);
    },
  );

  it('is there for each thing that may be wrong, and for nothing else', () => {
    expect(sortedSet(alarmsOf(stack).map(({ name }) => kindOf(name)))).toEqual(
      sortedSet(wanted.map(({ name }) => name)),
    );
  });

  it('looks at so many metrics at most as CloudWatch allows, and reads each in its expression', () => {
    for (const { metrics, expression, name } of alarmsOf(stack)) {
      expect(metrics.length, name).toBeLessThanOrEqual(10);
      const read = metrics.filter((_, index) => expression?.includes(`m${index},`) ?? metrics.length === 1);
      expect(read, name).toEqual(metrics);
    }
  });

  it('tells the topic when it goes off and when it is over, and nobody where no topic is given', () => {
    for (const { fields } of alarmsOf(stack)) {
      expect(fields).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
    }
    for (const { fields } of alarmsOf(plain)) {
      expect(fields).toMatchObject({ AlarmActions: [], OKActions: [] });
    }
  });

  it('is none where none is wanted, and the dashboard neither', () => {
    const bare = synthesise(
      { name: 'capi-bare', monitoring: { alarms: 'none', dashboard: false, metrics: 'off' } },
      made,
    );
    expect(bare.all('AWS::CloudWatch::Alarm')).toEqual([]);
    expect(bare.all('AWS::CloudWatch::Dashboard')).toEqual([]);
    expect(bare.variablesOf('timer')['CAPI_METRICS']).toBe('off');
  });
});

describe('the alarms', () => {
  const valuesOf = (of: Synthesised, kind: string) =>
    alarmsOf(of)
      .filter(({ name }) => kindOf(name) === kind)
      .flatMap(({ metrics }) => metrics.map(({ dimension }) => dimension.value));
  const limitsOf = (of: Synthesised) =>
    alarmsOf(of)
      .filter(({ name }) => kindOf(name) === 'messages-waiting')
      .flatMap(({ expression = '' }) => [...expression.matchAll(/\/(\d+)/g)].map(([, limit]) => Number(limit)));

  it('look at every dead-letter queue, and at every queue with its own limit, where all are wanted', () => {
    expect(valuesOf(stack, 'dead-letters')).toEqual(served.map(({ redrive }) => queue(stack, redrive.deadLetterQueue)));
    expect(valuesOf(stack, 'messages-waiting')).toEqual(served.map(({ name }) => queue(stack, name)));
    const limits = limitsOf(stack);
    expect(Object.fromEntries(served.map(({ name }, index) => [name, limits[index]]))).toMatchObject({
      'work-cluster.fifo': 480,
      delay: 1560,
      expand: 960,
    });
  });

  it('give a message that kills its function each time the time to become a dead letter first', () => {
    const limits = limitsOf(stack);
    for (const [index, { name, redrive }] of served.entries()) {
      const timeout = functions.find(each => each.queue === name)?.timeoutSeconds ?? Number.NaN;
      expect(limits[index]).toBeGreaterThan(redrive.maxReceiveCount * (timeout + 5));
    }
  });

  it('look at errors and throttles of every function where all are wanted', () => {
    const all = stack.all('AWS::Lambda::Function').map(({ Properties }) => String(Properties['FunctionName']));
    expect(valuesOf(stack, 'function-errors').toSorted()).toEqual(all.toSorted());
    expect(valuesOf(stack, 'throttles').toSorted()).toEqual(all.toSorted());
  });

  it('leave to its queue what a function behind one fails at, unless all are wanted', () => {
    expect(valuesOf(plain, 'function-errors')).toEqual([queue(plain, 'resync')]);
    const audited = synthesise(
      { name: 'capi-audited', managementCluster, sources: { windowed: true, auditWebhook: {} } },
      made,
    );
    expect(valuesOf(audited, 'function-errors').toSorted()).toEqual(
      ['audit-webhook', 'resync', 'rotate-audit-token'].map(name => queue(audited, name)),
    );
    expect(alarmsOf(plain).map(({ name }) => name)).not.toContain('throttles');
  });

  it('take from the resync what waits or is dead, as often as it looks, unless all are wanted or our metrics are off', () => {
    for (const [name, metric, periods] of [
      ['dead-letters', 'capi_serverless_dead_letters', 1],
      ['messages-waiting', 'capi_serverless_waiting_messages', 2],
    ] as const) {
      const { metrics, fields } = alarmOf(plain, name);
      expect(metrics).toMatchObject([{ namespace: 'capi-serverless', name: metric }]);
      expect(fields).toMatchObject({
        Metrics: [{ MetricStat: { Period: 600, Stat: 'Maximum' } }],
        EvaluationPeriods: periods,
        DatapointsToAlarm: periods,
        TreatMissingData: 'notBreaching',
      });
    }
    const mute = synthesise({ name: 'capi-mute', monitoring: { metrics: 'off' } }, made);
    expect(valuesOf(mute, 'dead-letters')).toEqual(served.map(({ redrive }) => queue(mute, redrive.deadLetterQueue)));
    expect(alarmsOf(mute).map(({ name }) => name)).not.toContain('missed-events');
  });

  it('let the resync look into every queue', () => {
    const queues = served.flatMap(({ name, redrive }) => [plain.arnOf(name), plain.arnOf(redrive.deadLetterQueue)]);
    expect(plain.mayDo('resync', 'sqs:GetQueueAttributes')).toEqual(expect.arrayContaining(queues));
  });

  it('miss each event source that is deployed and can be missed', () => {
    expect(valuesOf(stack, 'forwarder-silent')).toEqual([queue(stack, 'heartbeat')]);
    expect(valuesOf(stack, 'windowed-forwarder-silent')).toEqual(Array(2).fill(queue(stack, 'windowed-forwarder')));
    const names = alarmsOf(plain).map(({ name }) => name);
    expect(names.filter(name => name.endsWith('silent'))).toEqual([]);
  });

  it('hear several heartbeats of the forwarder before they call it silent', () => {
    expect((3 * 300_000) / heartbeatMs).toBeGreaterThan(5);
    const { Type, Properties } = stack.resourceOf('heartbeat');
    expect(Type).toBe('AWS::SQS::Queue');
    expect(Properties).toMatchObject({ MessageRetentionPeriod: 60, SqsManagedSseEnabled: true });
    expect(() => plain.idOf('heartbeat')).toThrow();
  });
});

describe('the runbook', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
  const [, alarmPart = ''] = text.split(/^# Alarms$|^# Procedures$/m);
  const sections = new Map(
    alarmPart
      .split(/^## /m)
      .slice(1)
      .map(section => {
        const [title = '', ...lines] = section.split('\n');
        return [title.toLowerCase().replaceAll(' ', '-'), lines.join('\n')] as const;
      }),
  );

  it('has a section for each alarm, to which the alarm leads, and none for alarms that are not', () => {
    const led = alarmsOf(stack).map(({ fields }) => String(fields['AlarmDescription']).replace(/^.*#/s, ''));
    expect([...sections.keys()].toSorted()).toEqual(sortedSet(led));
    expect(String(alarmsOf(stack)[0]?.fields['AlarmDescription'])).toContain('https://wiki.example.com/capi#');
    expect(String(alarmsOf(plain)[0]?.fields['AlarmDescription'])).toContain('docs/runbook.md#');
  });

  it('says of each what it means, what the user sees, how to find the cause, what to do and when it is over', () => {
    for (const [title, section] of sections) {
      for (const question of ['It means', 'Users see', 'Find the cause', 'Do', 'It is over']) {
        expect(section, title).toContain(`**${question}`);
      }
    }
  });

  it('names only scripts, files and metrics that exist', () => {
    const root = path.resolve(import.meta.dirname, '../..');
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, script]) => script ?? '');
    expect(named.filter(script => !Object.hasOwn(scripts, script))).toEqual([]);
    const metrics = [...text.matchAll(/\b(?:capi_serverless|controller_runtime|workqueue)_\w+/g)].map(([name]) => name);
    expect(metrics.filter(name => !publishedMetrics.some(published => published.name === name))).toEqual([]);
    expect(metrics).toContain(missedEvents);
  });
});

/** Every metric of ours as one invocation with that environment tells it, with its dimensions' values. */
function emittedWith(variables: Fields): readonly MetricName[] {
  const lines: string[] = [];
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => typeof value === 'string'),
  ) as Readonly<Record<string, string>>; // filtered just here
  const config = parseConfig({ ...given, CAPI_TRACING: 'off' });
  const clock = { now: () => 0, sleep: async () => undefined };
  const { metrics, flush } = createTelemetry({ config, functionName: 'f', clock, write: line => lines.push(line) });
  for (const { name, labels } of publishedMetrics) {
    metrics.count(name, Object.fromEntries(labels.map(label => [label, 'some'])));
  }
  void flush();
  return lines
    .map(line => JSON.parse(line))
    .flatMap(line =>
      (
        (line._aws?.CloudWatchMetrics ?? []) as readonly {
          readonly Namespace: string;
          readonly Dimensions: readonly (readonly string[])[];
          readonly Metrics: readonly { readonly Name: string }[];
        }[]
      ).flatMap(({ Namespace: namespace, Dimensions: sets, Metrics: named }) =>
        named.flatMap(({ Name: name }) =>
          sets
            .filter(set => set.length === 1)
            .map(([dimension = '']) => ({
              namespace,
              name,
              dimension: { name: dimension, value: String(line[dimension]) },
            })),
        ),
      ),
    );
}

describe('metrics of ours', () => {
  it.each(['few', 'all'])(
    'that alarms and dashboard use are told by the functions under these dimensions, at level %s',
    level => {
      const of = synthesise({ name: 'capi-level', monitoring: { metrics: level } }, made);
      const emitted = emittedWith(of.variablesOf('cluster'));
      const used = [...alarmsOf(of).flatMap(({ metrics }) => metrics), ...graphedBy(of)].filter(
        ({ namespace }) => !namespace.startsWith('AWS/'),
      );
      expect(used.length).toBeGreaterThan(publishedMetrics.filter(metric => metric.level === 'few').length);
      for (const metric of used) {
        expect(emitted).toContainEqual(metric);
      }
    },
  );

  it('are told by every function of the deployment, under its name', () => {
    for (const name of [
      ...functions.map(plan => plan.name),
      'windowed-forwarder',
      'audit-webhook',
      'rotate-audit-token',
    ]) {
      expect(stack.variablesOf(name)).toMatchObject({
        CAPI_METRICS: 'few',
        CAPI_DEPLOYMENT: 'capi-full',
        CAPI_TRACING: 'xray',
      });
    }
  });
});

describe("AWS's own metrics", () => {
  const known: Readonly<Record<string, { readonly dimension: string; readonly names: readonly string[] }>> = {
    'AWS/SQS': {
      dimension: 'QueueName',
      names: [
        'ApproximateAgeOfOldestMessage',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesVisible',
        'NumberOfEmptyReceives',
        'NumberOfMessagesDeleted',
        'NumberOfMessagesReceived',
        'NumberOfMessagesSent',
        'SentMessageSize',
      ],
    },
    'AWS/Lambda': {
      dimension: 'FunctionName',
      names: ['ConcurrentExecutions', 'Duration', 'Errors', 'Invocations', 'Throttles'],
    },
    'AWS/Logs': { dimension: 'LogGroupName', names: ['IncomingBytes', 'IncomingLogEvents'] },
  };

  it('are those that AWS documents, of queues, functions and log groups that the stack makes', () => {
    const used = [...alarmsOf(stack).flatMap(({ metrics }) => metrics), ...graphedBy(stack)].filter(({ namespace }) =>
      namespace.startsWith('AWS/'),
    );
    const physical = stack.all('AWS::SQS::Queue').map(({ Properties }) => Properties['QueueName']);
    const names = [
      ...physical,
      ...stack.all('AWS::Lambda::Function').map(({ Properties }) => Properties['FunctionName']),
      ...stack.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties['LogGroupName']),
    ];
    expect(used.length).toBeGreaterThan(50);
    for (const { namespace, name, dimension } of used) {
      expect(known[namespace]?.names).toContain(name);
      expect(dimension.name).toBe(known[namespace]?.dimension);
      expect(names).toContain(dimension.value);
    }
  });
});

describe('the dashboard', () => {
  const titles = () => widgetsOf(stack).map(({ properties }) => String(properties['title']));

  it('shows what comes in, is done, fails, waits, and costs', () => {
    expect(titles().map(title => title.split(/[:,(]/)[0]?.trim())).toEqual([
      'Alarms',
      'Events in',
      'Requests served',
      'Invocations',
      'Reconciles',
      'Latency',
      'What went wrong',
      'Errors of functions',
      'Throttles',
      'Queue depth',
      'Age of the oldest message',
      'Dead letters',
      'Heartbeats of the watch-forwarder',
      'What it costs',
    ]);
    expect(titles()).not.toContain('');
  });

  it('puts no widget over another, and none beyond the grid', () => {
    const cells = widgetsOf(stack).flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, cell) => `${x + (cell % width)},${y + Math.floor(cell / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(widgetsOf(stack).every(({ x, width }) => x + width <= 24)).toBe(true);
  });

  it('reads metric math that CloudWatch can: known names, no exponents, not too long', () => {
    const entries = widgetsOf(stack).flatMap(
      ({ properties }) => (properties['metrics'] as readonly (readonly unknown[])[] | undefined) ?? [],
    );
    const expressions = entries.flatMap(([first]) =>
      typeof first === 'object' ? [first as { readonly expression: string; readonly id: string }] : [],
    ); // what is no name of a namespace
    const ids = new Set(entries.flatMap(entry => (entry[4] as { readonly id?: string } | undefined)?.id ?? []));
    expect(expressions.map(({ id }) => id)).toEqual(['lambda', 'sqs', 'logs', 'fixed']);
    for (const { expression } of expressions) {
      expect(expression.length).toBeLessThanOrEqual(2048);
      expect(expression).not.toMatch(/\de-\d|undefined|NaN/);
      const read = [...expression.matchAll(/FILL\((\w+),0\)/g)].map(([, id]) => id);
      expect(read.filter(id => !ids.has(id ?? ''))).toEqual([]);
    }
  });

  it('asks the log for fields that the end of a reconcile has', async () => {
    const api = createMemoryApi({ crds: [widgetCrd] });
    api.given(aWidget());
    const log = aRecordingLog();
    const key = {
      managementCluster: 'mc',
      group: 'conformance.example.com',
      kind: 'Widget',
      namespace: 'ns',
      name: 'w1',
    };
    const body = toBody({ v: 1, reconciler: 'widget', key, cause: 'event', attempt: 0, trace: 't' });
    const failing = aReconciler({
      report: () => ({ events: [], result: { kind: 'failed', error: new Error('no'), terminal: true } }),
    });
    for (const reconciler of [aReconciler(), failing]) {
      await reconcileBatch(
        {
          reconciler,
          kubernetes: api.kubernetes,
          ports: {},
          clock: api.clock,
          signal: new AbortController().signal,
          log,
          watchFilter: '',
          managementCluster: 'mc',
          queues: { send: async () => [] },
          metrics: { count: () => undefined, observe: () => undefined },
          newId: () => 'id',
          resyncPeriodMs: undefined,
        },
        [{ messageId: 'm', body }],
      );
    }
    const messages = [...reconcileQuery.matchAll(/"([^"]+)"/g)].map(([, message]) => message);
    expect(log.lines.map(({ message }) => message)).toEqual(messages);
    for (const field of ['controller', 'result', 'seconds', 'writes']) {
      expect(reconcileQuery).toMatch(new RegExp(`\\b${field}\\b`));
      expect(log.lines.every(line => field in line)).toBe(true);
    }
  });
});

describe('spans', () => {
  it('are handed to the daemon that Lambda runs where they are asked for, with the two rights for it', () => {
    for (const { name } of functions) {
      expect(stack.resourceOf(name).Properties['TracingConfig']).toEqual({ Mode: 'Active' });
      expect(stack.mayDo(name, 'xray:PutTraceSegments')).toEqual(['*']);
      expect(stack.mayDo(name, 'xray:PutTelemetryRecords')).toEqual(['*']);
    }
  });

  it('are none by default, and nobody may send any', () => {
    for (const { name } of functions) {
      expect(plain.resourceOf(name).Properties['TracingConfig']).toBeUndefined();
      expect(plain.mayDo(name, 'xray:PutTraceSegments')).toEqual([]);
      expect(plain.variablesOf(name)['CAPI_TRACING']).toBe('off');
    }
  });
});
