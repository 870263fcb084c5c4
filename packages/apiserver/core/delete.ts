// DELETE of one object: preconditions, grace period, propagation policy, finalizers.

import { type DeleteOptions, type Instant, sameJson } from '@capi-serverless/apimachinery';
import { instantOf, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { admitWrite } from './admit-write.ts';
import { type Context, liveAt, put, remove, servedAt } from './context.ts';
import { isHeld } from './held.ts';
import { type Address, storageOf } from './kinds.ts';
import { finalizersOf, type Stored, withMetadata } from './object.ts';
import { forbidden, preconditionFailed } from './status.ts';

export type PropagationPolicy = NonNullable<DeleteOptions['propagationPolicy']>;

/** `gone`: the object was removed, with its last state. Otherwise finalizers or a grace period keep the object. */
export interface Deleted {
  readonly gone: boolean;
  readonly object: Stored;
}

/** Finalizers that the garbage collector removes. */
export const collectorFinalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;

/** Marks the object for deletion, or removes it if neither a finalizer nor a grace period keeps it. */
export function deleteObject(context: Context, address: Address, options: DeleteOptions = {}): Deleted {
  const { endpoint, name } = address;
  const { resource } = endpoint;
  const live = liveAt(context, address);
  checkPreconditions(address, live, options);
  const why = resource.strategy.forbidsDelete?.(live);
  if (why !== undefined) {
    throw forbidden(resource, name, why);
  }
  admitWrite(context, { operation: 'DELETE', resource, name, old: live });
  const grace = toGrace(options.gracePeriodSeconds);
  if (isPending(live, grace)) {
    return { gone: false, object: servedAt(endpoint, live) };
  }
  const begun = begin(context, address, { object: withPolicy(live, options.propagationPolicy), grace });
  const gone = !isHeld(resource, begun);
  // A kind with graceful deletion stores each step of it. Other kinds are removed in one step.
  const isStored = !gone || resource.strategy.graceSeconds !== undefined;
  const object = isStored && !sameJson(begun, live) ? put(context, resource, begun) : live;
  if (gone) {
    remove(context, resource, object);
  }
  return { gone, object: servedAt(endpoint, object) };
}

/** kube-apiserver uses one second for a negative grace period. */
function toGrace(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

/** A grace period that has begun can only be shortened. */
function isPending({ metadata }: Stored, grace: number | undefined): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds > 0 &&
    (grace === undefined || grace >= deletionGracePeriodSeconds)
  );
}

/** Throws Conflict if the object has another uid or resourceVersion. */
export function checkPreconditions({ endpoint, name }: Address, live: Stored, options: DeleteOptions): void {
  const { uid, resourceVersion } = live.metadata;
  const { resource } = storageOf(endpoint);
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(resource, name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw preconditionFailed(resource, name, why);
  }
}

function withPolicy(live: Stored, policy: PropagationPolicy | undefined): Stored {
  if (policy === undefined) {
    return live;
  }
  const ofCollector: readonly string[] = Object.values(collectorFinalizers);
  const others = finalizersOf(live).filter(name => !ofCollector.includes(name));
  return withFinalizers(live, policy === 'Background' ? others : [...others, collectorFinalizers[policy]]);
}

/** An empty list is omitted, as in all metadata. */
export function withFinalizers(object: Stored, finalizers: readonly string[]): Stored {
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}

interface Beginning {
  readonly object: Stored;
  /** The requested grace period. */
  readonly grace: number | undefined;
}

function begin(context: Context, { endpoint }: Address, { object, grace }: Beginning): Stored {
  const { strategy } = endpoint.resource;
  const { deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp !== undefined) {
    return grace === undefined ? object : shorten(object, { deletionTimestamp, grace });
  }
  const deletionGracePeriodSeconds = strategy.graceSeconds?.(object, grace) ?? 0;
  const deleting = withMetadata(object, {
    deletionTimestamp: toTimestamp(after(context.now(), deletionGracePeriodSeconds)),
    deletionGracePeriodSeconds,
    ...(generation === undefined ? {} : { generation: generation + 1 }),
  });
  return strategy.beforeDelete?.(deleting, context.now()) ?? deleting;
}

function after(instant: Instant, seconds: number): Instant {
  return instant + seconds * 1000;
}

function shorten(
  object: Stored,
  { deletionTimestamp, grace }: { readonly deletionTimestamp: string; readonly grace: number },
): Stored {
  const { deletionGracePeriodSeconds = 0 } = object.metadata;
  const endsAt = instantOf(deletionTimestamp);
  return endsAt === undefined || deletionGracePeriodSeconds === 0
    ? object
    : withMetadata(object, {
        deletionTimestamp: toTimestamp(after(endsAt, grace - deletionGracePeriodSeconds)),
        deletionGracePeriodSeconds: grace,
      });
}
