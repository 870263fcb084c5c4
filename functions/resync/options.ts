// The options of both resync and expansion.
import type { Clock, Kind, Kubernetes, PartialObject, Watches } from '@capi-serverless/apimachinery';
import type { Declaration, Log } from '@capi-serverless/reconciler';
import type { StateOptions } from '../../shared/event-source/state-config-map.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import type { Key } from '../../shared/workqueue/message.ts';
import type { QueueName, QueueSender } from '../../shared/workqueue/port.ts';
import type { WorkQueueLayout } from '../../shared/workqueue/queue-specs.ts';
import type { ResyncPeriods } from './slots.ts';

export interface ExpandOptions {
  readonly declarations: readonly Declaration[];
  readonly watches: Pick<Watches, 'page'>;
  readonly queues: QueueSender;
  /** The uid of the kube-system namespace. */
  readonly managementCluster: string;
  readonly newId: NewId;
  /** "" selects every object. */
  readonly watchFilter: string;
  readonly log: Log;
  /** Aborts at the deadline of the invocation. */
  readonly signal: AbortSignal;
}

export interface ResyncOptions extends ExpandOptions, StateOptions, ResyncPeriods {
  /** The layout of the work queues. After it has changed, every object is enqueued. */
  readonly layout: WorkQueueLayout;
  readonly kubernetes: Pick<Kubernetes, 'get' | 'metadata' | 'create' | 'mergePatch'>;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
  /** Undefined: dead letters are not known, and none are sent again. */
  readonly deadLetters?: DeadLetters;
}

interface DeadLetters {
  /** The messages of each dead-letter queue. A queue that could not be read is missing. */
  readonly letters: ReadonlyMap<QueueName, number>;
  /** Sends the dead letters of this dead-letter queue again. Returns their number. Never rejects. */
  readonly sendAgain: (queue: QueueName) => Promise<number>;
}

export function toKey(managementCluster: string, { group, kind }: Kind, { metadata }: PartialObject): Key {
  return { managementCluster, group, kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** Returns `Kind.group`, the name of a kind in logs. */
export function toKindName({ group, kind }: Kind): string {
  return group === '' ? kind : `${kind}.${group}`;
}
