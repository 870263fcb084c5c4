// Objects and their history: one resourceVersion counter, and one log of changes per resource.
import { compareText, type Instant } from '@capi-serverless/apimachinery';
import { deepFreeze } from './json.ts';
import { type Resource, resourceKey } from './kinds.ts';
import { ChangeLog, type HistoryWindow, type LoggedChange, type LogPosition } from './log.ts';
import { type Stored, withMetadata } from './object.ts';

/** The first version. kube-apiserver continues etcd's counter. With a start above 1, "1" is an expired version. */
const firstVersion = 100;

interface Collection {
  readonly namespaces: Map<string, NamedObjects>;
  readonly log: ChangeLog;
}

type ChangeListener = (resource: Resource, change: LoggedChange) => void;

export class Store {
  readonly #now: () => Instant;
  readonly #window: HistoryWindow;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<ChangeListener>();
  #version = firstVersion;

  constructor(options: { readonly now: () => Instant; readonly window: HistoryWindow }) {
    this.#now = options.now;
    this.#window = options.window;
  }

  now(): Instant {
    return this.#now();
  }

  /** The size of the history. */
  get window(): HistoryWindow {
    return this.#window;
  }

  /** The version of the last committed write. */
  get version(): number {
    return this.#version;
  }

  /** Starts the history of a resource before its first request. */
  open(resource: Resource): void {
    this.#collectionOf(resource);
  }

  get(resource: Resource, namespace: string, name: string): Stored | undefined {
    return this.#collectionOf(resource).namespaces.get(namespace)?.get(name);
  }

  /** Returns objects sorted by namespace, then name, in byte order. Without a namespace, returns all namespaces. */
  list(resource: Resource, namespace?: string): readonly Stored[] {
    return currentOf(this.#collectionOf(resource), namespace);
  }

  /** Returns the list at an earlier version. Throws Expired if the history does not contain it. */
  listAt(resource: Resource, version: number, namespace?: string): readonly Stored[] {
    const collection = this.#collectionOf(resource);
    const changes = collection.log.newestFirst(version);
    const inside = changes.filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace);
    return undo(currentOf(collection, namespace), inside);
  }

  /** Stores the object under the next version. Freezes and returns it. */
  put(resource: Resource, object: Stored): Stored {
    const { namespaces } = this.#collectionOf(resource);
    const { name, namespace = '' } = object.metadata;
    const objects = namespaces.get(namespace) ?? new NamedObjects();
    const previous = objects.get(name);
    const stored = this.#atNextVersion(object);
    namespaces.set(namespace, objects.set(name, stored));
    this.#record(resource, { type: previous === undefined ? 'ADDED' : 'MODIFIED', object: stored, previous });
    return stored;
  }

  /** Stores the object unchanged and without history. `resume` ends a restoration. */
  restore(resource: Resource, object: Stored): void {
    const { namespaces } = this.#collectionOf(resource);
    const { name, namespace = '', resourceVersion } = object.metadata;
    const objects = namespaces.get(namespace) ?? new NamedObjects();
    const stored = deepFreeze(object);
    namespaces.set(namespace, objects.set(name, stored));
    this.#version = Math.max(this.#version, Number(resourceVersion));
    this.#notify(resource, {
      type: 'ADDED',
      object: stored,
      previous: undefined,
      version: this.#version,
      at: this.#now(),
    });
  }

  /** Continues from this version and drops earlier history. */
  resume(version: number): void {
    this.#version = Math.max(this.#version, version);
    this.compact();
  }

  /** Removes the object. A deletion also increases the version. */
  remove(resource: Resource, object: Stored): void {
    const { namespaces } = this.#collectionOf(resource);
    const { name, namespace = '' } = object.metadata;
    const objects = namespaces.get(namespace);
    objects?.delete(name);
    if (objects?.size === 0) {
      namespaces.delete(namespace);
    }
    this.#record(resource, { type: 'DELETED', object: this.#atNextVersion(object), previous: object });
  }

  /** Returns a reader for a watch from this version. Throws Expired if later changes may have been dropped. */
  readFrom(resource: Resource, version: number): LogPosition {
    return this.#collectionOf(resource).log.readFrom(version);
  }

  /** Drops the history of this resource and ends its readers. */
  restart(resource: Resource): void {
    const { log } = this.#collectionOf(resource);
    log.endReaders();
    log.forget(this.#version);
  }

  /** Removes the resource. */
  drop(resource: Resource): void {
    this.#collectionOf(resource).log.endReaders();
    this.#collections.delete(resourceKey(resource));
  }

  /** Drops the history of all resources. Readers that are up to date continue. */
  compact(): void {
    for (const { log } of this.#collections.values()) {
      log.forget(this.#version);
    }
  }

  /** Calls the listener after every change. */
  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener);
  }

  #collectionOf(resource: Resource): Collection {
    const key = resourceKey(resource.storedAs?.endpoint.resource ?? resource);
    const known = this.#collections.get(key);
    if (known !== undefined) {
      return known;
    }
    const created: Collection = { namespaces: new Map(), log: new ChangeLog(this.#version) };
    this.#collections.set(key, created);
    return created;
  }

  #record(resource: Resource, change: Omit<LoggedChange, 'version' | 'at'>): void {
    const whole: LoggedChange = { ...change, version: this.#version, at: this.#now() };
    this.#collectionOf(resource).log.add(whole, this.#window);
    this.#notify(resource, whole);
  }

  #notify(resource: Resource, change: LoggedChange): void {
    for (const listener of this.#listeners) {
      listener(resource, change);
    }
  }

  #atNextVersion(object: Stored): Stored {
    this.#version += 1;
    return deepFreeze(withMetadata(object, { resourceVersion: String(this.#version) }));
  }
}

function keyOf(object: Stored): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function currentOf({ namespaces }: Collection, namespace: string | undefined): readonly Stored[] {
  if (namespace !== undefined) {
    return namespaces.get(namespace)?.sorted() ?? [];
  }
  return [...namespaces.keys()].sort(compareText).flatMap(each => namespaces.get(each)?.sorted() ?? []);
}

/** Reverts the changes, in the given order. */
function undo(current: readonly Stored[], changes: readonly LoggedChange[]): readonly Stored[] {
  const objects = new Map(current.map(object => [keyOf(object), object]));
  for (const { object, previous } of changes) {
    if (previous === undefined) {
      objects.delete(keyOf(object));
    } else {
      objects.set(keyOf(object), previous);
    }
  }
  return [...objects.values()].sort(byName);
}

/** Compares by namespace, then name, in byte order. */
function byName(left: Stored, right: Stored): number {
  return (
    compareText(left.metadata.namespace ?? '', right.metadata.namespace ?? '') ||
    compareText(left.metadata.name, right.metadata.name)
  );
}

/** Sorts only after an addition. Most writes replace an object, and lists are much more frequent than additions. */
class NamedObjects {
  /** In the order of names if `#isSorted`. A replaced object keeps its position. */
  #objects = new Map<string, Stored>();
  #isSorted = true;

  get size(): number {
    return this.#objects.size;
  }

  get(name: string): Stored | undefined {
    return this.#objects.get(name);
  }

  set(name: string, object: Stored): this {
    this.#isSorted &&= this.#objects.has(name);
    this.#objects.set(name, object);
    return this;
  }

  delete(name: string): void {
    this.#objects.delete(name);
  }

  /** Returns the objects in the byte order of their names. Valid names are ASCII, so code units have this order. */
  sorted(): readonly Stored[] {
    if (!this.#isSorted) {
      this.#objects = new Map([...this.#objects].sort(([left], [right]) => compareText(left, right)));
      this.#isSorted = true;
    }
    return [...this.#objects.values()];
  }
}
