// The alarms of a deployment. There is one per problem, for all queues or functions that can have it. CloudWatch bills
// alarms by metric. Pure.
import { deadLetters, missedEvents, waitingMessages } from '../../../shared/kernel/metrics.ts';
import { hasLambdaExtras } from '../regions.ts';
import { type Metric, ofDeployment, ofFunction, ofQueue, ofScheduleGroup } from './metric.ts';
import type { Monitored, MonitoredFunction } from './monitored.ts';

export interface AlarmDraft {
  /** The name of the alarm without the deployment's name, and its section in docs/runbook.md. */
  readonly name: string;
  readonly what: string;
  readonly metrics: readonly Metric[];
  /** An expression over `m0`, `m1`, …. Absent if there is only one metric. */
  readonly expression?: string;
  readonly goesOff: { readonly when: '>=' | '<'; readonly threshold: number };
  readonly periodSeconds: number;
  readonly periods: number;
  /** The number of periods that must breach the threshold. */
  readonly wrongPeriods: number;
  /** The treatment of missing data, and the reason. */
  readonly missing: { readonly is: 'breaching' | 'notBreaching'; readonly because: string };
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create-alarm-on-metric-math-expression.html */
const mostMetricsPerAlarm = 10;

const once = { periodSeconds: 300, periods: 1, wrongPeriods: 1 } as const;

/** Goes off in the minute after the first one, and is over after five minutes without one. */
const atOnce = { periodSeconds: 60, periods: 5, wrongPeriods: 1 } as const;

/** The alarm for errors of functions, and the beginning of its further parts. */
export const functionErrors = 'function-errors';

/** Empty if the deployment has no alarms. */
export function toAlarmDrafts(of: Monitored): readonly AlarmDraft[] {
  const { alarms, metrics } = of.options;
  if (alarms === 'none') {
    return [];
  }
  const errors = ofEach(functionErrors, of.functions, toErrors);
  if (alarms === 'errors') {
    return errors;
  }
  const hasOurs = metrics !== 'off';
  // If one of these functions is throttled, requests of clients fail, and nothing repeats them.
  const isWebhook = ({ name }: MonitoredFunction): boolean => of.webhookFunctions.includes(name);
  const ofQueues =
    alarms === 'all' || !hasOurs
      ? [...ofEach('dead-letters', of.queues, toDeadLetters), ...ofEach('messages-waiting', of.queues, toOldestMessage)]
      : [toAllDeadLetters(of), toAllWaiting(of)];
  return [
    ...ofQueues,
    ...errors,
    ...ofEach('throttles', alarms === 'all' ? of.functions : of.functions.filter(isWebhook), toThrottles),
    toResyncSilent(of),
    ...(of.heartbeatQueue === undefined ? [] : [toForwarderSilent(of.heartbeatQueue)]),
    ...(of.windowedFunction === undefined ? [] : [toWindowedSilent(of.windowedFunction)]),
    ...(hasOurs ? [toMissedEvents(of)] : []),
  ];
}

/** Returns the required number of alarms for the members, numbered from the second alarm on. */
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

const deadLettersText = 'A dead-letter queue holds messages that could not be processed';

/** The resync reports this metric: one metric for all queues. */
function toAllDeadLetters({ deployment, resyncPeriodSeconds }: Monitored): AlarmDraft {
  return {
    name: 'dead-letters',
    what: deadLettersText,
    metrics: [{ ...ofDeployment(deployment, deadLetters), statistic: 'Maximum' }],
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: resyncPeriodSeconds,
    periods: 1,
    wrongPeriods: 1,
    missing: { is: 'notBreaching', because: 'each resync reports how many there are, if any' },
  };
}

/**
 * The number of messages at which a queue seems to have no consumer. Two resyncs must find them, because many objects
 * may change at once.
 */
function toAllWaiting({ deployment, resyncPeriodSeconds }: Monitored): AlarmDraft {
  return {
    name: 'messages-waiting',
    what: 'Two resyncs found more messages in a queue than a served queue ever holds',
    metrics: [{ ...ofDeployment(deployment, waitingMessages), statistic: 'Maximum' }],
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: resyncPeriodSeconds,
    periods: 2,
    wrongPeriods: 2,
    missing: { is: 'notBreaching', because: 'each resync reports how many there are, if too many' },
  };
}

function toDeadLetters(queues: Monitored['queues']): Omit<AlarmDraft, 'name'> {
  const metrics = queues.map(queue => ofQueue(queue.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', 'Maximum'));
  return {
    what: deadLettersText,
    metrics,
    expression: toSum(metrics),
    goesOff: { when: '>=', threshold: 1 },
    ...once,
    missing: { is: 'notBreaching', because: 'an empty queue that is unused for six hours has no metrics' },
  };
}

function toOldestMessage(queues: Monitored['queues']): Omit<AlarmDraft, 'name'> {
  const shares = queues.map(({ oldestSeconds }, index) => `FILL(m${index},0)/${oldestSeconds}`);
  return {
    what: 'A message waits longer than its queue limit; 1 is the limit of each queue',
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
    ...atOnce,
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
    missing: { is: 'notBreaching', because: 'Lambda counts throttles, and there was no invocation' },
  };
}

/**
 * Reports a resync that stopped, and with it the metrics of the other alarms. Only the schedule sends events to the
 * function: the expand queue invokes it synchronously. Lambda drops an event whose run failed, because it does not retry.
 */
function toResyncSilent({ resyncFunction, resyncPeriodSeconds, region }: Monitored): AlarmDraft {
  return {
    name: 'resync-silent',
    what: 'No scheduled run of the resync succeeded in two periods: the alarms that use its metrics are silent',
    // Without these metrics, the calls of the schedule that Lambda accepted. Its group has the name of the function.
    metrics: hasLambdaExtras(region)
      ? [
          ofFunction(resyncFunction, 'AsyncEventsReceived', 'Sum'),
          ofFunction(resyncFunction, 'AsyncEventsDropped', 'Sum'),
        ]
      : [
          ofScheduleGroup(resyncFunction, 'InvocationAttemptCount'),
          ofScheduleGroup(resyncFunction, 'TargetErrorCount'),
        ],
    expression: 'FILL(m0,0)-FILL(m1,0)',
    goesOff: { when: '<', threshold: 1 },
    periodSeconds: resyncPeriodSeconds,
    periods: 2,
    wrongPeriods: 2,
    missing: { is: 'breaching', because: 'missing data is the problem that it detects' },
  };
}

function toForwarderSilent(queue: string): AlarmDraft {
  return {
    name: 'forwarder-silent',
    what: 'No pod of the watch-forwarder sent a heartbeat in 15 minutes: only the resync finds changes',
    metrics: [ofQueue(queue, 'NumberOfMessagesSent', 'Sum')],
    goesOff: { when: '<', threshold: 1 },
    periodSeconds: 300,
    periods: 3,
    wrongPeriods: 3,
    missing: { is: 'breaching', because: 'missing data is the problem that it detects' },
  };
}

function toWindowedSilent(functionName: string): AlarmDraft {
  return {
    name: 'windowed-forwarder-silent',
    what: 'The windowed forwarder had no successful run in 10 minutes: only the resync finds changes',
    metrics: [ofFunction(functionName, 'Invocations', 'Sum'), ofFunction(functionName, 'Errors', 'Sum')],
    expression: 'FILL(m0,0)-FILL(m1,0)',
    goesOff: { when: '<', threshold: 1 },
    periodSeconds: 300,
    periods: 2,
    wrongPeriods: 2,
    missing: { is: 'breaching', because: 'missing data is the problem that it detects' },
  };
}

function toMissedEvents({ deployment }: Monitored): AlarmDraft {
  return {
    name: 'missed-events',
    what: 'In three of six hours the resync found changes that no event source had sent',
    metrics: [ofDeployment(deployment, missedEvents)],
    goesOff: { when: '>=', threshold: 1 },
    periodSeconds: 3600,
    periods: 6,
    wrongPeriods: 3,
    missing: { is: 'notBreaching', because: 'it is reported only if events were missed' },
  };
}
