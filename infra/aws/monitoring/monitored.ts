// What of a deployment is looked at, under the names by which AWS's metrics know it. Pure.
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';
import { visibilityPerTimeout } from '../../../shared/workqueue/queue-specs.ts';
import { maxDelaySeconds } from '../../../shared/workqueue/timer-grid.ts';
import type { Deployment } from '../deployment.ts';
import { toPhysicalName } from '../names.ts';

export interface MonitoredQueue {
  readonly name: string;
  readonly physicalName: string;
  readonly fifo: boolean;
  readonly deadLetterQueue: string;
  /** So old no message becomes while all goes well, even if it kills its function each time. */
  readonly oldestSeconds: number;
}

export interface MonitoredFunction {
  readonly name: string;
  readonly physicalName: string;
  readonly memoryMiB: number;
  /** Nothing but a queue calls it: a message that fails comes back, and becomes a dead letter in the end. */
  readonly isBehindQueueAlone: boolean;
  readonly isReconciler: boolean;
}

export interface Monitored {
  readonly deployment: string;
  readonly region: string;
  readonly options: Deployment['monitoring'];
  readonly resyncPeriodSeconds: number;
  readonly queues: readonly MonitoredQueue[];
  readonly functions: readonly MonitoredFunction[];
  /** The physical name of the queue of the forwarder's heartbeats, where a forwarder is deployed. */
  readonly heartbeatQueue: string | undefined;
  /** The physical name of the windowed forwarder, where it is deployed. */
  readonly windowedFunction: string | undefined;
  /** How many the stack makes. */
  readonly secrets: number;
}

export function logGroupOf({ physicalName }: Pick<MonitoredFunction, 'physicalName'>): string {
  return `/aws/lambda/${physicalName}`;
}

/** Of what a function leaves after its time, as its handler hides messages. */
const slackSeconds = 5;
/** For whoever waits for others: many objects at once, a cold start, a deployment. */
const patienceSeconds = 300;

/** Of each queue that a function serves. */
export function toMonitoredQueues(
  deployment: string,
  specs: readonly QueueSpec[],
  delayQueue: string,
): readonly MonitoredQueue[] {
  return specs.flatMap(({ name, fifo, visibilityTimeoutSeconds, redrive }) => {
    if (redrive === undefined) {
      return [];
    }
    const tries = redrive.maxReceiveCount * (visibilityTimeoutSeconds / visibilityPerTimeout + slackSeconds);
    const heldBack = name === delayQueue ? maxDelaySeconds : 0;
    return [
      {
        name,
        physicalName: toPhysicalName(deployment, name),
        fifo,
        deadLetterQueue: toPhysicalName(deployment, redrive.deadLetterQueue),
        oldestSeconds: Math.ceil((heldBack + tries + patienceSeconds) / 60) * 60,
      },
    ];
  });
}
