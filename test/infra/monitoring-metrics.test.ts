// The metrics of a deployment, from the code and from AWS, and their widgets in the dashboard.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reconcileQuery } from '../../infra/aws/monitoring/widgets.ts';
import { countMetrics } from '../../infra/billable-units.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { reconcileBatch } from '../../shared/kernel/batch.ts';
import { publishedMetrics } from '../../shared/telemetry/published-metrics.ts';
import { createTelemetry } from '../../shared/telemetry/wire.ts';
import { toBody } from '../../shared/workqueue/message.ts';
import { aReconciler, aRecordingLog, aWidget, widgetCrd } from '../support/kernel.ts';
import { createMemoryApi } from '../support/memory-api.ts';
import { alarmsOf, type MetricName, monitoredStacks } from '../support/monitored-stack.ts';
import { functions, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
let stack: Synthesised;
let plain: Synthesised;

beforeAll(() => {
  ({ stack, plain } = monitoredStacks(made));
});

afterAll(() => made.remove());

/** The dashboard's widgets. `<later>` replaces values that CloudFormation resolves during deployment. */
function widgetsOf(of: Synthesised) {
  const [dashboard] = of.all('AWS::CloudWatch::Dashboard');
  const body = dashboard?.Properties['DashboardBody'];
  const parts =
    typeof body === 'string'
      ? [body]
      : (body as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'][1]; // true: it is the only function in use
  const text = parts.map(part => (typeof part === 'string' ? part : '<later>')).join('');
  const { widgets } = JSON.parse(text) as {
    readonly widgets: readonly {
      readonly type: string;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly properties: JsonObject;
    }[];
  }; // true: the line is in CloudWatch's format
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

/**
 * Publishes every metric of this project in one invocation with this environment. Returns the values of the dimensions.
 */
function emittedWith(variables: JsonObject): readonly MetricName[] {
  const lines: string[] = [];
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => typeof value === 'string'),
  ) as Readonly<Record<string, string>>; // true: filtered in the line above
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
    'in alarms and on the dashboard are published by the functions under these dimensions, at level %s',
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

  it('are published by every function of the deployment, under its name', () => {
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
      names: [
        'AsyncEventsDropped',
        'AsyncEventsReceived',
        'ConcurrentExecutions',
        'Duration',
        'Errors',
        'Invocations',
        'Throttles',
      ],
    },
    'AWS/Logs': { dimension: 'LogGroupName', names: ['IncomingBytes', 'IncomingLogEvents'] },
  };

  it('are those that AWS documents, for queues, functions and log groups of the stack', () => {
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

  it('shows input, results, failures, backlog and cost', () => {
    expect(titles().map(title => title.split(/[:,(]/)[0]?.trim())).toEqual([
      'Alarms',
      'Failures',
      'Dead letters',
      'Errors of functions',
      'Age of the oldest message',
      'Heartbeats of the watch-forwarder',
      'Messages sent to the queues',
      'Requests served',
      'Invocations',
      'Reconciles',
      'Latency',
      'Throttles',
      'Queue depth',
      'Costs',
    ]);
    expect(titles()).not.toContain('');
  });

  it.each([
    { given: {}, layout: 'per-kind' },
    { given: { layout: 'compact' }, layout: 'compact' },
  ])('has no more metrics than a free one may have, the most urgent, with the layout $layout', ({ given }) => {
    const free = synthesise({ name: 'capi-free', ...given }, made);
    expect(countMetrics(widgetsOf(free))).toBeLessThanOrEqual(50);
    const shown = widgetsOf(free).map(({ properties }) => properties['title']);
    expect(shown).toEqual(expect.arrayContaining(['Failures', 'Dead letters']));
    const all = synthesise({ name: 'capi-free', ...given, monitoring: { dashboard: 'full' } }, made);
    expect(countMetrics(widgetsOf(all))).toBeGreaterThan(50);
    expect(widgetsOf(all).length).toBeGreaterThan(shown.length);
  });

  it('has no overlapping widgets, and none outside the grid', () => {
    const cells = widgetsOf(stack).flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, cell) => `${x + (cell % width)},${y + Math.floor(cell / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(widgetsOf(stack).every(({ x, width }) => x + width <= 24)).toBe(true);
  });

  it('uses only metric math that CloudWatch supports: known names, no exponents, limited length', () => {
    const entries = widgetsOf(stack).flatMap(
      ({ properties }) => (properties['metrics'] as readonly (readonly unknown[])[] | undefined) ?? [],
    );
    const expressions = entries.flatMap(([first]) =>
      typeof first === 'object' ? [first as { readonly expression: string; readonly id: string }] : [],
    ); // other words are names of metrics
    const ids = new Set(entries.flatMap(entry => (entry[4] as { readonly id?: string } | undefined)?.id ?? []));
    expect(expressions.map(({ id }) => id)).toEqual(['lambda', 'sqs', 'logs', 'fixed']);
    for (const { expression } of expressions) {
      expect(expression.length).toBeLessThanOrEqual(2048);
      expect(expression).not.toMatch(/\de-\d|undefined|NaN/);
      const read = [...expression.matchAll(/FILL\((\w+),0\)/g)].map(([, id]) => id);
      expect(read.filter(id => !ids.has(id ?? ''))).toEqual([]);
    }
  });

  it('queries only log fields that the log line of a reconcile has', async () => {
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
          queues: { send: async () => [], delete: async () => undefined },
          metrics: { count: () => undefined, observe: () => undefined },
          newId: () => 'id',
          fullResyncPeriodMs: undefined,
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
  it("are sent to Lambda's X-Ray daemon if enabled, with the two rights for it", () => {
    for (const { name } of functions) {
      expect(stack.resourceOf(name).Properties['TracingConfig']).toEqual({ Mode: 'Active' });
      expect(stack.mayDo(name, 'xray:PutTraceSegments')).toEqual(['*']);
      expect(stack.mayDo(name, 'xray:PutTelemetryRecords')).toEqual(['*']);
    }
  });

  it('are off by default, and no reconciler may send any', () => {
    for (const { name } of functions) {
      expect(plain.resourceOf(name).Properties['TracingConfig']).toBeUndefined();
      expect(plain.mayDo(name, 'xray:PutTraceSegments')).toEqual([]);
      expect(plain.variablesOf(name)['CAPI_TRACING']).toBe('off');
    }
  });
});
