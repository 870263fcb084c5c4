// Objects and their history. One counter of resource versions for everything; one log of changes per resource, from
// which watches are served and pages of an earlier snapshot are rebuilt.
import type { Instant } from '../../../../shared/api/object.ts';
import { deepFreeze } from './json.ts';
import { type Resource, resourceKey } from './kinds.ts';
import { type Stored, withMetadata } from './object.ts';
import { expired } from './status.ts';

/** Real servers count on from whatever etcd holds; starting above 1 keeps "1" an ancient version. */
const firstVersion = 100;

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** After the change; for DELETED the last state under the resourceVersion of the deletion. */
  readonly object: Stored;
  readonly previous: Stored | undefined;
  readonly at: Instant;
}

/** How much history every resource keeps: at least so many changes, and at least those of so many milliseconds. */
export interface Window {
  readonly changes: number;
  readonly ms: number;
}

/** A place in the log of one resource. It ends when history it has not read yet is dropped. */
export interface Position {
  readonly log: Log;
  readonly epoch: number;
  next: number;
}

export interface Log {
  changes: Change[];
  /** Sequence number of the first kept change. */
  first: number;
  /** Changes up to this version may be gone. */
  floor: number;
  /** Rises when everyone who reads this log must start anew. */
  epoch: number;
}

interface Collection {
  readonly namespaces: Map<string, Map<string, Stored>>;
  readonly log: Log;
}

export interface Store {
  /** Of the last committed write. */
  version(): number;
  get(resource: Resource, namespace: string, name: string): Stored | undefined;
  /** By namespace, then name, byte-wise. All namespaces when none is given. */
  list(resource: Resource, namespace?: string): readonly Stored[];
  /** The same at an earlier version. Throws Expired when history does not reach that far. */
  listAt(resource: Resource, version: number, namespace?: string): readonly Stored[];
  /** Stores the object under the next version; freezes and returns it. */
  put(resource: Resource, object: Stored): Stored;
  /** Takes the object out; a deletion uses up a version too. */
  remove(resource: Resource, object: Stored): void;
  /** Where a watch from this version goes on. Throws Expired when changes after it may be gone. */
  positionAt(resource: Resource, version: number): Position;
  /** Drops the history of this resource and ends those who read it. */
  restart(resource: Resource): void;
  /** Forgets the resource. */
  drop(resource: Resource): void;
  /** Drops the history of all resources; readers that are up to date go on. */
  compact(): void;
  /** Calls the listener after every change. Returns how to stop. */
  onChange(listener: (resource: Resource, change: Change) => void): () => void;
}

export function createStore(options: { readonly now: () => Instant; readonly window: Window }): Store {
  const collections = new Map<string, Collection>();
  const listeners = new Set<(resource: Resource, change: Change) => void>();
  let version = firstVersion;

  const collectionOf = (resource: Resource): Collection => {
    const key = resourceKey(resource);
    const known = collections.get(key);
    if (known !== undefined) {
      return known;
    }
    const created: Collection = { namespaces: new Map(), log: { changes: [], first: 0, floor: version, epoch: 0 } };
    collections.set(key, created);
    return created;
  };
  const record = (resource: Resource, change: Omit<Change, 'version' | 'at'>): void => {
    const { log } = collectionOf(resource);
    const whole = { ...change, version, at: options.now() };
    log.changes.push(whole);
    trim(log, options.window, whole.at);
    for (const listener of listeners) {
      listener(resource, whole);
    }
  };
  const atNextVersion = (object: Stored): Stored => {
    version += 1;
    return deepFreeze(withMetadata(object, { resourceVersion: String(version) }));
  };

  return {
    version: () => version,
    get: (resource, namespace, name) => collectionOf(resource).namespaces.get(namespace)?.get(name),
    list: (resource, namespace) => sorted(currentOf(collectionOf(resource), namespace)),
    listAt(resource, at, namespace) {
      const collection = collectionOf(resource);
      checkReach(collection.log, at);
      return sorted(undo(currentOf(collection, namespace), collection.log, at, namespace));
    },
    put(resource, object) {
      const { namespaces } = collectionOf(resource);
      const { name, namespace = '' } = object.metadata;
      const objects = namespaces.get(namespace) ?? new Map<string, Stored>();
      const previous = objects.get(name);
      const stored = atNextVersion(object);
      namespaces.set(namespace, objects.set(name, stored));
      record(resource, { type: previous === undefined ? 'ADDED' : 'MODIFIED', object: stored, previous });
      return stored;
    },
    remove(resource, object) {
      const { namespaces } = collectionOf(resource);
      const { name, namespace = '' } = object.metadata;
      const objects = namespaces.get(namespace);
      objects?.delete(name);
      if (objects?.size === 0) {
        namespaces.delete(namespace);
      }
      record(resource, { type: 'DELETED', object: atNextVersion(object), previous: object });
    },
    positionAt(resource, at) {
      const { log } = collectionOf(resource);
      checkReach(log, at);
      const newer = log.changes.findIndex(change => change.version > at);
      return { log, epoch: log.epoch, next: log.first + (newer < 0 ? log.changes.length : newer) };
    },
    restart(resource) {
      const { log } = collectionOf(resource);
      log.epoch += 1;
      dropAll(log, version);
    },
    drop(resource) {
      collectionOf(resource).log.epoch += 1;
      collections.delete(resourceKey(resource));
    },
    compact() {
      for (const { log } of collections.values()) {
        dropAll(log, version);
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The change at this position, `idle` when there is none yet, or `ended` when it cannot be told any more. */
export function changeAt(position: Position): Change | 'idle' | 'ended' {
  const { log, epoch, next } = position;
  const change = log.changes[next - log.first];
  if (change !== undefined && next >= log.first) {
    return change;
  }
  return log.epoch === epoch && next >= log.first ? 'idle' : 'ended';
}

function checkReach(log: Log, version: number): void {
  if (version < log.floor) {
    throw expired(`too old resource version: ${version} (${log.floor})`);
  }
}

function dropAll(log: Log, version: number): void {
  log.first += log.changes.length;
  log.changes = [];
  log.floor = version;
}

/** Dropping in blocks keeps the cost of one write constant. */
const trimBlock = 256;

function trim(log: Log, window: Window, now: Instant): void {
  const surplus = log.changes.length - window.changes;
  if (surplus < trimBlock) {
    return;
  }
  const young = log.changes.findIndex(change => change.at > now - window.ms);
  const dropped = log.changes.splice(0, Math.min(surplus, young < 0 ? surplus : young));
  log.first += dropped.length;
  log.floor = dropped.at(-1)?.version ?? log.floor;
}

function keyOf(object: Stored): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function currentOf(collection: Collection, namespace: string | undefined): Map<string, Stored> {
  const { namespaces } = collection;
  const chosen = namespace === undefined ? [...namespaces.values()] : [namespaces.get(namespace) ?? new Map()];
  return new Map(chosen.flatMap(objects => [...objects.values()].map(object => [keyOf(object), object] as const)));
}

/** Takes the changes after `version` back, latest first. */
function undo(objects: Map<string, Stored>, log: Log, version: number, namespace?: string): Map<string, Stored> {
  for (let index = log.changes.length - 1; index >= 0; index -= 1) {
    const change = log.changes[index];
    if (change === undefined || change.version <= version) {
      break;
    }
    if (namespace !== undefined && change.object.metadata.namespace !== namespace) {
      continue;
    }
    if (change.previous === undefined) {
      objects.delete(keyOf(change.object));
    } else {
      objects.set(keyOf(change.object), change.previous);
    }
  }
  return objects;
}

function sorted(objects: ReadonlyMap<string, Stored>): readonly Stored[] {
  return [...objects.values()].sort(byName);
}

/** By namespace, then name. Legal names are ASCII, so code units order like bytes. */
function byName(left: Stored, right: Stored): number {
  return (
    compare(left.metadata.namespace ?? '', right.metadata.namespace ?? '') ||
    compare(left.metadata.name, right.metadata.name)
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
