// Which alarms a deployment has: one for each thing that may be wrong, over all queues or functions that it may be wrong with.
// Alarms cost by the metric, not by the alarm. Pure.
import { deadLetters, missedEvents, waitingMessages } from '../../../shared/kernel/metrics.ts';
import { type Metric, ofDeployment, ofFunction, ofQueue } from './metric.ts';
import type { Monitored, MonitoredFunction } from './monitored.ts';

export interface AlarmDraft {
  /** Of the alarm, behind the deployment's, and the section of docs/runbook.md that is about it. */
  readonly name: string;
  readonly what: string;
  readonly metrics: readonly Metric[];
  /** Over `m0`, `m1`, …; absent where there is one metric that says it all. */
  readonly expression?: string;
  readonly goesOff: { readonly when: '>=' | '<'; readonly threshold: number };
  readonly periodSeconds: number;
  readonly periods: number;
  /** How many of the periods must be wrong. */
  readonly wrongPeriods: number;
  /** What an alarm takes no data for, and why. */
  readonly missing: { readonly is: 'breaching' | 'notBreaching'; readonly because: string };
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create-alarm-on-metric-math-expression.html */
export const mostMetricsPerAlarm = 10;

const once = { periodSeconds: 300, periods: 1, wrongPeriods: 1 } as const;

/** None where the deployment wants none. */
export function toAlarmDrafts(of: Monitored): readonly AlarmDraft[] {
  const { alarms, metrics } = of.options;
  if (alarms === 'none') {
    return [];
  }
  const guarded = of.functions.filter(each => alarms === 'all' || needsAlarm(each, of));
  const hasOurs = metrics !== 'off';
  const ofQueues =
    alarms === 'all' || !hasOurs
      ? [...ofEach('dead-letters', of.queues, toDeadLetters), ...ofEach('messages-waiting', of.queues, toOldestMessage)]
      : [toAllDeadLetters(of), toAllWaiting(of)];
  return [
    ...ofQueues,
    ...ofEach('function-errors', guarded, toErrors),
    ...(alarms === 'all' ? ofEach('throttles', guarded, toThrottles) : []),
    ...(of.heartbeatQueue === undefined ? [] : [toForwarderSilent(of.heartbeatQueue)]),
    ...(of.windowedFunction === undefined ? [] : [toWindowedSilent(of.windowedFunction)]),
    ...(hasOurs ? [toMissedEvents(of)] : []),
  ];
}

/**
 * Behind a queue alone, what a function fails at becomes a dead letter, and what it does not get to, throttled or slow, grows
 * old; the windowed forwarder has an alarm of its own for both.
 */
function needsAlarm({ isBehindQueueAlone, physicalName }: MonitoredFunction, of: Monitored): boolean {
  return !isBehindQueueAlone && physicalName !== of.windowedFunction;
}

/** As many alarms as the members need, numbered from the second on. */
function ofEach<T>(
  name: string,
  members: readonly T[],
  toDraft: (members: readonly T[]) => Omit<AlarmDraft, 'name'>,
): readonly AlarmDraft[] {
  const count = Math.ceil(members.length / mostMetricsPerAlarm);
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? name : `${name}-${index + 1}`,
    ...toDraft(members.slice(index * mostMetricsPerAlarm, (index + 1) * mostMetricsPerAlarm)),
  }));
}

function toSum(metrics: readonly Metric[]): string {
  return `SUM([${metrics.map((_, index) => `FILL(m${index},0)`).join(',')}])`;
}

const deadLettersLie = 'Messages that nobody could serve lie in a dead-letter queue';

/** What the resync counted, which is one metric for all queues. */
function toAllDeadLetters({ deployment, resyncPeriodSeconds }: Monitored): AlarmDraft {
  return {
    name: 'dead-letters',
    what: deadLettersLie,
    metrics: [{ ...ofDeployment(deployment, deadLetters), statistic: 'Maximum' }],
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: resyncPeriodSeconds,
    periods: 1,
    wrongPeriods: 1,
    missing: { is: 'notBreaching', because: 'each resync tells how many there are, if any' },
  };
}

/** So many that the queue cannot be served; at two resyncs, as many objects may change at once. */
function toAllWaiting({ deployment, resyncPeriodSeconds }: Monitored): AlarmDraft {
  return {
    name: 'messages-waiting',
    what: 'Two resyncs found more messages waiting in a queue than one that is served ever holds',
    metrics: [{ ...ofDeployment(deployment, waitingMessages), statistic: 'Maximum' }],
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: resyncPeriodSeconds,
    periods: 2,
    wrongPeriods: 2,
    missing: { is: 'notBreaching', because: 'each resync tells how many there are, if too many' },
  };
}

function toDeadLetters(queues: Monitored['queues']): Omit<AlarmDraft, 'name'> {
  const metrics = queues.map(queue => ofQueue(queue.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', 'Maximum'));
  return {
    what: deadLettersLie,
    metrics,
    expression: toSum(metrics),
    goesOff: { when: '>=', threshold: 1 },
    ...once,
    missing: { is: 'notBreaching', because: 'a queue that nobody touched for six hours has no metrics: it is empty' },
  };
}

function toOldestMessage(queues: Monitored['queues']): Omit<AlarmDraft, 'name'> {
  const shares = queues.map(({ oldestSeconds }, index) => `FILL(m${index},0)/${oldestSeconds}`);
  return {
    what: 'A message waits for longer than its queue should let it: 1 is the limit of each queue',
    metrics: queues.map(queue => ofQueue(queue.physicalName, 'ApproximateAgeOfOldestMessage', 'Maximum')),
    expression: `MAX([${shares.join(',')}])`,
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: 300,
    periods: 2,
    wrongPeriods: 2,
    missing: { is: 'notBreaching', because: 'an empty queue has no oldest message' },
  };
}

function toErrors(functions: Monitored['functions']): Omit<AlarmDraft, 'name'> {
  const metrics = functions.map(({ physicalName }) => ofFunction(physicalName, 'Errors', 'Sum'));
  return {
    what: 'Invocations of a function failed as a whole: it threw, ran out of time or memory, or could not start',
    metrics,
    expression: toSum(metrics),
    goesOff: { when: '>=', threshold: 1 },
    ...once,
    missing: { is: 'notBreaching', because: 'Lambda counts errors of invocations, and there was none' },
  };
}

function toThrottles(functions: Monitored['functions']): Omit<AlarmDraft, 'name'> {
  const metrics = functions.map(({ physicalName }) => ofFunction(physicalName, 'Throttles', 'Sum'));
  return {
    what: 'Lambda refused to invoke a function: no concurrency was left',
    metrics,
    expression: toSum(metrics),
    goesOff: { when: '>=', threshold: 1 },
    ...once,
    missing: { is: 'notBreaching', because: 'Lambda counts refusals, and nobody asked' },
  };
}

function toForwarderSilent(queue: string): AlarmDraft {
  return {
    name: 'forwarder-silent',
    what: 'No pod of the watch-forwarder told in 15 minutes that it watches: changes are found by the resync alone',
    metrics: [ofQueue(queue, 'NumberOfMessagesSent', 'Sum')],
    goesOff: { when: '<', threshold: 1 },
    periodSeconds: 300,
    periods: 3,
    wrongPeriods: 3,
    missing: { is: 'breaching', because: 'silence is what it is about' },
  };
}

function toWindowedSilent(functionName: string): AlarmDraft {
  return {
    name: 'windowed-forwarder-silent',
    what: 'The windowed forwarder did not end well once in 10 minutes: changes are found by the resync alone',
    metrics: [ofFunction(functionName, 'Invocations', 'Sum'), ofFunction(functionName, 'Errors', 'Sum')],
    expression: 'FILL(m0,0)-FILL(m1,0)',
    goesOff: { when: '<', threshold: 1 },
    periodSeconds: 300,
    periods: 2,
    wrongPeriods: 2,
    missing: { is: 'breaching', because: 'silence is what it is about' },
  };
}

function toMissedEvents({ deployment }: Monitored): AlarmDraft {
  return {
    name: 'missed-events',
    what: 'In three of six hours the resync found changes that no event source had told',
    metrics: [ofDeployment(deployment, missedEvents)],
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: 3600,
    periods: 6,
    wrongPeriods: 3,
    missing: { is: 'notBreaching', because: 'it is told only where something was missed' },
  };
}
