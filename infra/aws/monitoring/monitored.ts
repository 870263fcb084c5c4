// The monitored queues and functions, with their names in AWS's metrics. Pure.
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';
import { maxDelaySeconds } from '../../../shared/workqueue/timer-grid.ts';
import type { Deployment } from '../deployment-schema.ts';
import { toPhysicalName } from '../physical-names.ts';

interface MonitoredQueue {
  readonly name: string;
  readonly physicalName: string;
  readonly fifo: boolean;
  readonly deadLetterQueue: string;
  /** The maximum age of a message in normal operation, even if the function crashes with it each time. */
  readonly oldestSeconds: number;
}

export interface MonitoredFunction {
  readonly name: string;
  readonly physicalName: string;
  readonly memoryMiB: number;
  readonly isReconciler: boolean;
}

export interface Monitored {
  readonly deployment: string;
  readonly region: string;
  readonly options: Deployment['monitoring'];
  readonly resyncPeriodSeconds: number;
  /** The physical name of the resync, of its schedule, and of the group of its schedule. */
  readonly resyncFunction: string;
  readonly queues: readonly MonitoredQueue[];
  readonly functions: readonly MonitoredFunction[];
  /** The physical name of the heartbeat queue. Undefined without a forwarder. */
  readonly heartbeatQueue: string | undefined;
  /** The physical name of the windowed forwarder. Undefined without one. */
  readonly windowedFunction: string | undefined;
  /** The names of the functions without which requests of clients fail. */
  readonly webhookFunctions: readonly string[];
  /** The number of secrets that the stack creates. */
  readonly secrets: number;
}

export function logGroupOf({ physicalName }: Pick<MonitoredFunction, 'physicalName'>): string {
  return `/aws/lambda/${physicalName}`;
}

/** The additional time for many simultaneous objects, a cold start, or a deployment. */
const patienceSeconds = 300;

/** The values for each queue that a function consumes. */
export function toMonitoredQueues(
  deployment: string,
  specs: readonly QueueSpec[],
  delayQueue: string,
): readonly MonitoredQueue[] {
  return specs.flatMap(({ name, fifo, visibilityTimeoutSeconds, redrive }) => {
    if (redrive === undefined) {
      return [];
    }
    const tries = redrive.maxReceiveCount * visibilityTimeoutSeconds;
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
