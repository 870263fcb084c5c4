// The costs of a deployment as metric math over AWS's metrics and the prices of the estimate. Pure.
import { month, usdOf } from '../../prices.ts';
import { toAlarmDrafts } from './alarm-drafts.ts';
import { type Line, type Metric, ofFunction, ofLogGroup, ofQueue } from './metric.ts';
import { logGroupOf, type Monitored } from './monitored.ts';

interface Share {
  readonly metric: Metric;
  /** USD per unit of the metric. */
  readonly usdEach: number;
}

/** One line per service, with a period of one day. */
export function toCostLines(of: Monitored): readonly Line[] {
  return [
    ...toLines('lambda', 'Lambda', toLambda(of)),
    ...toLines('sqs', 'SQS', toSqs(of)),
    ...toLines('logs', 'Logs', toLogs(of)),
    { expression: `TIME_SERIES(${toExact(toFixedUsd(of) / month.days)})`, id: 'fixed', label: 'Alarms and secrets' },
  ];
}

function toLambda({ functions }: Monitored): readonly Share[] {
  return functions.flatMap(({ physicalName, memoryMiB }) => [
    { metric: ofFunction(physicalName, 'Invocations', 'Sum'), usdEach: usdOf.lambdaRequest },
    {
      metric: ofFunction(physicalName, 'Duration', 'Sum'),
      usdEach: (usdOf.lambdaGbSecondArm64 * (memoryMiB / 1024)) / 1000,
    },
  ]);
}

/** Each message is counted as a request, although up to ten messages share one. The result is an upper bound. */
function toSqs({ queues, heartbeatQueue }: Monitored): readonly Share[] {
  const calls = [
    'NumberOfMessagesSent',
    'NumberOfMessagesReceived',
    'NumberOfMessagesDeleted',
    'NumberOfEmptyReceives',
  ] as const;
  const beats = heartbeatQueue === undefined ? [] : [ofQueue(heartbeatQueue, 'NumberOfMessagesSent', 'Sum')];
  return [
    ...queues.flatMap(({ physicalName, fifo }) =>
      calls.map(name => ({
        metric: ofQueue(physicalName, name, 'Sum'),
        usdEach: fifo ? usdOf.sqsFifoRequest : usdOf.sqsStandardRequest,
      })),
    ),
    ...beats.map(metric => ({ metric, usdEach: usdOf.sqsStandardRequest })),
  ];
}

function toLogs({ functions }: Monitored): readonly Share[] {
  return functions.map(each => ({ metric: ofLogGroup(logGroupOf(each)), usdEach: usdOf.logGb / 1e9 }));
}

function toLines(id: string, label: string, shares: readonly Share[]): readonly Line[] {
  const named = shares.map((share, index) => ({ ...share, id: `${id}${index}` }));
  const terms = [...Map.groupBy(named, ({ usdEach }) => usdEach)].map(
    ([usdEach, group]) => `SUM([${group.map(share => `FILL(${share.id},0)`).join(',')}])*${toExact(usdEach)}`,
  );
  return [
    ...named.map(share => ({ metric: share.metric, id: share.id, isHidden: true })),
    { expression: terms.join('+'), id, label },
  ];
}

/** The monthly costs that do not depend on use. */
function toFixedUsd(of: Monitored): number {
  const alarmMetrics = toAlarmDrafts(of).reduce((sum, { metrics }) => sum + metrics.length, 0);
  return alarmMetrics * usdOf.alarmMonth + of.secrets * usdOf.secretMonth;
}

/** Formats the number without an exponent, which metric math does not support. */
function toExact(usd: number): string {
  return usd.toFixed(15).replace(/\.?0+$/, '');
}
