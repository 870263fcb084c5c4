// The monitoring of a deployment: alarms, dashboard and spans. Compares them with the metrics in the code and with the
// runbook.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heartbeatMs } from '../../functions/watch-forwarder/heartbeat.ts';
import { missedEvents } from '../../shared/kernel/metrics.ts';
import { publishedMetrics } from '../../shared/telemetry/published-metrics.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import {
  type Alarm,
  alarmsOf,
  type MetricDataQuery,
  managementCluster,
  monitoredStacks,
  topic,
} from '../support/monitored-stack.ts';
import { declarations, functions, makeBundles, type Synthesised, synthesise } from '../support/synthesised.ts';

const made = makeBundles();
let stack: Synthesised;
let plain: Synthesised;

beforeAll(() => {
  ({ stack, plain } = monitoredStacks(made));
});

afterAll(() => made.remove());

const served = toQueueSpecs(toConsumers(declarations)).flatMap(({ name, redrive }) =>
  redrive === undefined ? [] : [{ name, redrive }],
);

function alarmOf(of: Synthesised, name: string): Alarm {
  const found = alarmsOf(of).find(alarm => alarm.name === name);
  if (found === undefined) {
    throw new Error(`No alarm ${name}`);
  }
  return found;
}

/** Removes the number of an alarm that is one of several. */
function kindOf(alarm: string): string {
  return alarm.replace(/-\d+$/, '');
}

/** Returns unique values in order. */
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
      of: [1, 5],
      period: 60,
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
      name: 'resync-silent',
      missing: 'breaching',
      operator: 'LessThanThreshold',
      threshold: 1,
      of: [2, 2],
      period: 600,
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
    'for $name has the expected thresholds and treats missing data as expected',
    ({ name, missing, operator, threshold, of, period }) => {
      const { fields } = alarmOf(stack, name);
      expect(fields).toMatchObject({
        ComparisonOperator: operator,
        Threshold: threshold,
        DatapointsToAlarm: of[0],
        EvaluationPeriods: of[1],
        TreatMissingData: missing,
      });
      const queries = fields['Metrics'] as readonly MetricDataQuery[]; // true: every alarm consists of queries
      expect(new Set(queries.flatMap(({ MetricStat }) => MetricStat?.Period ?? []))).toEqual(new Set([period]));
      expect(queries.filter(({ ReturnData }) => ReturnData)).toHaveLength(1);
    },
  );

  it('exists for each failure in the list, and for no other', () => {
    expect(sortedSet(alarmsOf(stack).map(({ name }) => kindOf(name)))).toEqual(
      sortedSet(wanted.map(({ name }) => name)),
    );
  });

  it('uses no more metrics than CloudWatch allows, and each metric in its expression', () => {
    for (const { metrics, expression, name } of alarmsOf(stack)) {
      expect(metrics.length, name).toBeLessThanOrEqual(10);
      const read = metrics.filter((_, index) => expression?.includes(`m${index},`) ?? metrics.length === 1);
      expect(read, name).toEqual(metrics);
    }
  });

  it('notifies the topic on ALARM and on OK, if a topic is given', () => {
    for (const { fields } of alarmsOf(stack)) {
      expect(fields).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
    }
    for (const { fields } of alarmsOf(plain)) {
      expect(fields).toMatchObject({ AlarmActions: [], OKActions: [] });
    }
  });

  it('is not created if alarms are off, nor is the dashboard', () => {
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

  it('cover every dead-letter queue, and every queue with its own limit, at level all', () => {
    expect(valuesOf(stack, 'dead-letters')).toEqual(served.map(({ redrive }) => queue(stack, redrive.deadLetterQueue)));
    expect(valuesOf(stack, 'messages-waiting')).toEqual(served.map(({ name }) => queue(stack, name)));
    const limits = limitsOf(stack);
    expect(Object.fromEntries(served.map(({ name }, index) => [name, limits[index]]))).toMatchObject({
      'work-cluster.fifo': 1320,
      delay: 2280,
      expand: 1320,
    });
  });

  it('allow a message that kills its function time to become a dead letter first', () => {
    const limits = limitsOf(stack);
    for (const [index, { name, redrive }] of served.entries()) {
      const timeout = functions.find(each => each.queue === name)?.timeoutSeconds ?? Number.NaN;
      expect(limits[index]).toBeGreaterThan(redrive.maxReceiveCount * (timeout + 5));
    }
  });

  const functionsOf = (of: Synthesised): readonly string[] =>
    of.all('AWS::Lambda::Function').map(({ Properties }) => String(Properties['FunctionName']));

  it('cover throttles of every function at level all only', () => {
    expect(valuesOf(stack, 'throttles').toSorted()).toEqual(functionsOf(stack).toSorted());
    expect(alarmsOf(plain).map(({ name }) => name)).not.toContain('throttles');
  });

  it.each(['errors', 'essential', 'all'])('cover errors of every function within five minutes at level %s', alarms => {
    const given = { managementCluster, sources: { windowed: true, auditWebhook: {} }, admission: {} };
    for (const layout of ['per-kind', 'compact']) {
      const of = synthesise({ ...given, name: 'capi-audited', layout, monitoring: { alarms } }, made);
      expect(valuesOf(of, 'function-errors').toSorted()).toEqual(functionsOf(of).toSorted());
      const errors = alarmsOf(of).filter(({ name }) => kindOf(name) === 'function-errors');
      expect(errors.length === alarmsOf(of).length).toBe(alarms === 'errors');
      for (const { fields } of errors) {
        // One minute with an error is enough, and CloudWatch looks each minute.
        expect(fields).toMatchObject({ Threshold: 1, DatapointsToAlarm: 1 });
        expect(JSON.stringify(fields['Metrics']).match(/"Period":\d+/g)).toEqual(
          expect.arrayContaining(['"Period":60']),
        );
      }
    }
  });

  it('use the resync metrics of waiting and dead messages, in its period, unless at level all or without our metrics', () => {
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

  it('require that the resync reads every queue', () => {
    const queues = served.flatMap(({ name, redrive }) => [plain.arnOf(name), plain.arnOf(redrive.deadLetterQueue)]);
    expect(plain.mayDo('resync', 'sqs:GetQueueAttributes')).toEqual(expect.arrayContaining(queues));
  });

  it('report the absence of each deployed event source that has a heartbeat', () => {
    expect(valuesOf(stack, 'forwarder-silent')).toEqual([queue(stack, 'heartbeat')]);
    expect(valuesOf(stack, 'windowed-forwarder-silent')).toEqual(Array(2).fill(queue(stack, 'windowed-forwarder')));
    const names = alarmsOf(plain).map(({ name }) => name);
    expect(names.filter(name => name.endsWith('silent'))).toEqual(['resync-silent']);
  });

  it('allow for several missed heartbeats of the forwarder', () => {
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

  it('has a section for each alarm, which the alarm links to, and no others', () => {
    const led = alarmsOf(stack).map(({ fields }) => String(fields['AlarmDescription']).replace(/^.*#/s, ''));
    expect([...sections.keys()].toSorted()).toEqual(sortedSet(led));
    expect(String(alarmsOf(stack)[0]?.fields['AlarmDescription'])).toContain('https://wiki.example.com/capi#');
    expect(String(alarmsOf(plain)[0]?.fields['AlarmDescription'])).toContain('docs/runbook.md#');
  });

  it('has for each its meaning, the user impact, the cause, the remedy and the end', () => {
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
