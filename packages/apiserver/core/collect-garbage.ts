// The garbage collector as an explicit step. It deletes dependents of deleted owners. It also completes the deletion of
// owners or orphans their dependents (Kubernetes documentation, "Garbage Collection").
import type { OwnerReference } from '@capi-serverless/apimachinery';
import type { Context } from './context.ts';
import { collectorFinalizers, deleteObject, type PropagationPolicy, withFinalizers } from './delete.ts';
import { isHeld } from './held.ts';
import type { Resource } from './kinds.ts';
import { finalizersOf, type Stored } from './object.ts';

interface Found {
  readonly resource: Resource;
  readonly object: Stored;
}

/** Examines each object once. Returns the number of objects that it deleted or changed. Repeat until 0. */
export function collectGarbage(context: Context): number {
  const all = context.registry
    .stored()
    .flatMap(resource => context.store.list(resource).map(object => ({ resource, object })));
  const dependents = all.filter(({ object }) => ownersOf(object).length > 0);
  const collected = dependents.filter(found => collectDependent(context, found)).length;
  const byOwner = groupByOwner(dependents);
  const finished = all.filter(found => finishOwner(context, found, byOwner.get(found.object.metadata.uid))).length;
  return collected + finished;
}

/** Without this index, a round takes quadratic time. */
function groupByOwner(dependents: readonly Found[]): ReadonlyMap<string, ReadonlySet<Found>> {
  const byOwner = new Map<string, Set<Found>>();
  for (const found of dependents) {
    for (const { uid } of ownersOf(found.object)) {
      byOwner.set(uid, (byOwner.get(uid) ?? new Set()).add(found));
    }
  }
  return byOwner;
}

function ownersOf({ metadata }: Stored): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

/**
 * Deletes the dependent if all owners are absent or wait for it. Otherwise removes the references to absent owners and
 * to waiting owners. Without this removal, the deletion of a waiting owner would not end.
 */
function collectDependent(context: Context, { resource, object }: Found): boolean {
  const owners = ownersOf(object);
  const states = owners.map(owner => ({ owner, state: stateOf(context, object, owner) }));
  if (states.some(({ state }) => state === 'alive')) {
    const alive = states.filter(({ state }) => state === 'alive').map(({ owner }) => owner);
    return alive.length < owners.length && store(context, resource, withOwners(object, alive));
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    return false;
  }
  const waiting = states.some(({ state }) => state === 'waiting');
  return remove(context, { resource, object }, waiting ? 'Foreground' : 'Background');
}

/**
 * `waiting`: the owner is in foreground deletion. An owner that cannot be resolved is treated as existing: its kind is
 * not served, or the owner is namespaced and the dependent is not.
 */
function stateOf(context: Context, dependent: Stored, owner: OwnerReference): 'alive' | 'waiting' | 'gone' {
  const resource = context.registry.ofGroupKind(owner.apiVersion, owner.kind);
  const { namespace: home } = dependent.metadata;
  if (resource === undefined || (resource.namespaced && home === undefined)) {
    return 'alive';
  }
  const namespace = resource.namespaced ? (home ?? '') : '';
  const object = context.store.get(resource, namespace, owner.name);
  if (object?.metadata.uid !== owner.uid) {
    return 'gone';
  }
  return isHeldBy(object, collectorFinalizers.Foreground) ? 'waiting' : 'alive';
}

function isHeldBy(object: Stored, finalizer: string): boolean {
  return object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes(finalizer);
}

/**
 * Removes the collector's finalizers from an owner whose dependents are deleted or orphaned. `dependents` are those
 * before this round.
 */
function finishOwner(
  context: Context,
  { resource, object }: Found,
  dependents: ReadonlySet<Found> = new Set(),
): boolean {
  const { name, namespace = '', uid } = object.metadata;
  const owner = context.store.get(resource, namespace, name);
  if (owner?.metadata.uid !== uid) {
    return false;
  }
  const own = [...dependents].flatMap(found => stillDependent(context, found, uid));
  if (isHeldBy(owner, collectorFinalizers.Orphan)) {
    for (const dependent of own) {
      const others = ownersOf(dependent.object).filter(each => each.uid !== uid);
      store(context, dependent.resource, withOwners(dependent.object, others));
    }
    return release(context, resource, owner, collectorFinalizers.Orphan);
  }
  const blocked = own.some(dependent =>
    dependent.object.metadata.ownerReferences?.some(each => each.uid === uid && each.blockOwnerDeletion === true),
  );
  return !blocked && isHeldBy(owner, collectorFinalizers.Foreground)
    ? release(context, resource, owner, collectorFinalizers.Foreground)
    : false;
}

function stillDependent(context: Context, { resource, object }: Found, owner: string): readonly Found[] {
  const { name, namespace = '' } = object.metadata;
  const now = context.store.get(resource, namespace, name);
  return now?.metadata.ownerReferences?.some(each => each.uid === owner) ? [{ resource, object: now }] : [];
}

function withOwners(object: Stored, owners: readonly OwnerReference[]): Stored {
  const { ownerReferences: _, ...metadata } = object.metadata;
  return { ...object, metadata: owners.length === 0 ? metadata : { ...metadata, ownerReferences: owners } };
}

function store(context: Context, resource: Resource, object: Stored): true {
  context.store.put(resource, object);
  return true;
}

function release(context: Context, resource: Resource, owner: Stored, finalizer: string): true {
  const released = withFinalizers(
    owner,
    finalizersOf(owner).filter(name => name !== finalizer),
  );
  if (isHeld(resource, released)) {
    context.store.put(resource, released);
  } else {
    context.store.remove(resource, owner);
  }
  return true;
}

/** The uid precondition protects another object with the same name. */
function remove(context: Context, { resource, object }: Found, policy: PropagationPolicy): boolean {
  const [version] = resource.versions;
  const { name, namespace = '', uid } = object.metadata;
  if (version === undefined || context.store.get(resource, namespace, name)?.metadata.uid !== uid) {
    return false;
  }
  const address = { endpoint: { resource, version }, namespace, name };
  deleteObject(context, address, { uid, ...(policy === 'Background' ? {} : { propagationPolicy: policy }) });
  return true;
}
