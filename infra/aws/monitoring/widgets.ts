// The widgets of the dashboard. Pure.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
import { withoutUndefined } from '@capi-serverless/apimachinery';
import * as kernel from '../../../shared/kernel/metrics.ts';
import { publishedMetrics } from '../../../shared/telemetry/published-metrics.ts';
import { countMetrics } from '../../billable-units.ts';
import { freeDashboards } from '../../prices.ts';
import { toCostLines } from './cost-lines.ts';
import { type Line, type Metric, ofDeployment, ofFunction, ofQueue } from './metric.ts';
import { logGroupOf, type Monitored } from './monitored.ts';

interface Widget {
  readonly type: 'alarm' | 'metric' | 'log' | 'text';
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

type Placed = Omit<Widget, 'x' | 'y'>;

const gridWidth = 24;

interface Graph {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly width?: number;
  readonly periodSeconds?: number;
  readonly view?: 'timeSeries' | 'singleValue';
  readonly stacked?: boolean;
}

/** The widgets from left to right, row by row: problems, waiting messages, input, reconciles, costs. */
export function toWidgets(of: Monitored, alarmArns: readonly string[]): readonly Widget[] {
  const graph = (given: Graph): Placed => toGraph(of.region, given);
  const urgentFirst = [
    graph({ title: 'Failures', lines: toTroubles(of) }),
    graph({ title: 'Dead letters', lines: toDeadLetters(of) }),
    graph({ title: 'Errors of functions', lines: perFunction(of, 'Errors', 'Sum') }),
    graph({ title: 'Age of the oldest message, s', lines: perQueue(of, 'ApproximateAgeOfOldestMessage', 'Maximum') }),
    ...toHeartbeat(of).map(lines => graph({ title: 'Heartbeats of the watch-forwarder', lines })),
    graph({ title: 'Messages sent to the queues', lines: perQueue(of, 'NumberOfMessagesSent', 'Sum') }),
    graph({ title: 'Requests served', lines: perQueue(of, 'NumberOfMessagesDeleted', 'Sum') }),
    graph({ title: 'Invocations', lines: perFunction(of, 'Invocations', 'Sum') }),
    toReconcileTable(of),
    graph({ title: 'Latency: duration of invocations, ms', lines: toLatency(of) }),
    graph({ title: 'Throttles', lines: perFunction(of, 'Throttles', 'Sum') }),
    graph({ title: 'Queue depth', lines: toDepth(of), stacked: true }),
    graph({
      title: 'Costs, USD per day, without pods and free tiers',
      lines: toCostLines(of),
      width: gridWidth,
      periodSeconds: 86_400,
      stacked: true,
    }),
  ];
  return place([
    ...(alarmArns.length === 0
      ? []
      : [{ type: 'alarm' as const, width: gridWidth, height: 3, properties: { title: 'Alarms', alarms: alarmArns } }]),
    ...(of.options.dashboard === 'full' ? urgentFirst : withinFree(urgentFirst)),
  ]);
}

/** Leaves out each widget with which the dashboard would have more metrics than a free one. */
function withinFree(widgets: readonly Placed[]): readonly Placed[] {
  const chosen: Placed[] = [];
  for (const widget of widgets) {
    if (countMetrics([...chosen, widget]) <= freeDashboards.metrics) {
      chosen.push(widget);
    }
  }
  return chosen;
}

function perQueue(of: Monitored, name: Parameters<typeof ofQueue>[1], statistic: Metric['statistic']): readonly Line[] {
  return of.queues.map(queue => ({ metric: ofQueue(queue.physicalName, name, statistic), label: queue.name }));
}

function perFunction(
  of: Monitored,
  name: Parameters<typeof ofFunction>[1],
  statistic: Metric['statistic'],
): readonly Line[] {
  return of.functions.map(each => ({ metric: ofFunction(each.physicalName, name, statistic), label: each.name }));
}

function toLatency({ functions }: Monitored): readonly Line[] {
  return functions
    .filter(({ isReconciler }) => isReconciler)
    .flatMap(({ name, physicalName }) =>
      (['p50', 'p99'] as const).map(statistic => ({
        metric: ofFunction(physicalName, 'Duration', statistic),
        label: `${name} ${statistic}`,
      })),
    );
}

/** All metrics of this project that are published at each level. */
function toTroubles({ deployment, options }: Monitored): readonly Line[] {
  return options.metrics === 'off'
    ? []
    : publishedMetrics
        .filter(({ level }) => level === 'few')
        .map(({ name }) => ({ metric: ofDeployment(deployment, name), label: name }));
}

/** The number of visible, in-flight and delayed messages. */
function toDepth({ queues }: Monitored): readonly Line[] {
  const names = [
    'ApproximateNumberOfMessagesVisible',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const words = ['waiting', 'being served', 'held back'];
  return queues.flatMap(({ name, physicalName, fifo }) =>
    names
      .filter(metric => !fifo || metric !== 'ApproximateNumberOfMessagesDelayed')
      .map((metric, index) => ({
        metric: ofQueue(physicalName, metric, 'Maximum'),
        label: `${name} ${words[index]}`,
      })),
  );
}

function toDeadLetters({ queues }: Monitored): readonly Line[] {
  return queues.map(({ name, deadLetterQueue }) => ({
    metric: ofQueue(deadLetterQueue, 'ApproximateNumberOfMessagesVisible', 'Maximum'),
    label: name,
  }));
}

function toHeartbeat({ heartbeatQueue }: Monitored): readonly (readonly Line[])[] {
  return heartbeatQueue === undefined ? [] : [[{ metric: ofQueue(heartbeatQueue, 'NumberOfMessagesSent', 'Sum') }]];
}

/** Fields of the log lines that end a reconcile. The query costs 0.005 USD per GB, each time it is shown. */
export const reconcileQuery = [
  'filter message in ["Reconciled", "Reconciler error"]',
  'stats count(*) as reconciles, avg(seconds) as mean, pct(seconds, 99) as p99, sum(writes) as writes by controller, result',
  'sort reconciles desc',
].join(' | ');

function toReconcileTable({ functions, region }: Monitored): Placed {
  const sources = functions.filter(({ isReconciler }) => isReconciler).map(each => `SOURCE '${logGroupOf(each)}'`);
  const properties = {
    title: `Reconciles (${kernel.reconcileTotal}, ${kernel.reconcileSeconds})`,
    query: [...sources, reconcileQuery].join(' | '),
    region,
    view: 'table',
  };
  return { type: 'log', width: 8, height: 6, properties };
}

function toGraph(region: string, given: Graph): Placed {
  const { title, lines, width = 8, periodSeconds = 300, view = 'timeSeries', stacked = false } = given;
  const properties = { title, region, view, stacked, period: periodSeconds, metrics: lines.map(toEntry) };
  return { type: 'metric', width, height: 6, properties };
}

function toEntry(line: Line): readonly unknown[] {
  if ('expression' in line) {
    return [line];
  }
  const { namespace, name, dimension, statistic } = line.metric;
  const options = {
    stat: statistic,
    ...withoutUndefined({ id: line.id, label: line.label }),
    ...(line.isHidden === true ? { visible: false } : {}),
  };
  return [namespace, name, dimension.name, dimension.value, options];
}

/** Places the widgets in rows of the grid's width. */
function place(widgets: readonly Placed[]): readonly Widget[] {
  const placed: Widget[] = [];
  let [x, y, rowHeight] = [0, 0, 0];
  for (const widget of widgets) {
    if (x + widget.width > gridWidth) {
      [x, y, rowHeight] = [0, y + rowHeight, 0];
    }
    placed.push({ ...widget, x, y });
    x += widget.width;
    rowHeight = Math.max(rowHeight, widget.height);
  }
  return placed;
}
