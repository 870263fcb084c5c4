// The options of both resync and expansion.
import type { Kind, PartialObject, Watches } from '@capi-serverless/apimachinery';
import type { Declaration, Log } from '@capi-serverless/reconciler';
import type { NewId } from '../../shared/workqueue/ids.ts';
import type { Key } from '../../shared/workqueue/message.ts';
import type { QueueSender } from '../../shared/workqueue/port.ts';

export interface ResyncOptions {
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

export function toKey(managementCluster: string, { group, kind }: Kind, { metadata }: PartialObject): Key {
  return { managementCluster, group, kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** Returns `Kind.group`, the name of a kind in logs. */
export function toKindName({ group, kind }: Kind): string {
  return group === '' ? kind : `${kind}.${group}`;
}
