// DELETE of one object: preconditions, propagation policy, finalizers.

import { type DeleteOptions, sameJson } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { admitWrite } from './admit-write.ts';
import { type Context, liveAt, put, remove, servedAt } from './context.ts';
import { type Address, storageOf } from './kinds.ts';
import { finalizersOf, type Stored, withMetadata } from './object.ts';
import { forbidden, preconditionFailed } from './status.ts';

export type PropagationPolicy = NonNullable<DeleteOptions['propagationPolicy']>;

/** `gone`: the object was removed, with its last state. Otherwise finalizers keep the object. */
export interface Deleted {
  readonly gone: boolean;
  readonly object: Stored;
}

/** Finalizers that the garbage collector removes. */
export const collectorFinalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;

/** Marks the object for deletion, or removes it if no finalizer keeps it. */
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
  const begun = begin(context, address, withPolicy(live, options.propagationPolicy));
  if (finalizersOf(begun).length === 0 && resource.strategy.holds?.(begun) !== true) {
    remove(context, resource, live);
    return { gone: true, object: servedAt(endpoint, live) };
  }
  const object = sameJson(begun, live) ? live : put(context, resource, begun);
  return { gone: false, object: servedAt(endpoint, object) };
}

function checkPreconditions({ endpoint, name }: Address, live: Stored, options: DeleteOptions): void {
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

function begin(context: Context, { endpoint }: Address, object: Stored): Stored {
  if (object.metadata.deletionTimestamp !== undefined) {
    return object;
  }
  const { generation } = object.metadata;
  const deleting = withMetadata(object, {
    deletionTimestamp: toTimestamp(context.now()),
    deletionGracePeriodSeconds: 0,
    ...(generation === undefined ? {} : { generation: generation + 1 }),
  });
  return endpoint.resource.strategy.beforeDelete?.(deleting, context.now()) ?? deleting;
}
