// The Kubernetes API as an in-memory state machine: no I/O, no clock and no randomness of its own, and nothing happens
// unless it is asked for. Fronts: the memory adapter of the Kubernetes port, and HTTP.
import type { Instant } from '../../../../shared/api/object.ts';
import { acceptNames, isEstablished } from './accept-names.ts';
import { builtInKinds, definitions, initialNamespaces } from './built-in-kinds.ts';
import { collectGarbage } from './collect-garbage.ts';
import { type Context, type IdSource, liveAt, shownAt, type WriteOptions } from './context.ts';
import { createObject } from './create.ts';
import { toResource } from './definition-strategy.ts';
import { type Deleted, type DeleteOptions, deleteObject } from './delete.ts';
import { expireEvents } from './expire-events.ts';
import { finalizeDefinitions, finalizeNamespace, finalizeNamespaces } from './finalize.ts';
import { sameJson } from './json.ts';
import { type Address, createRegistry, type Endpoint, type Registry, type Resource } from './kinds.ts';
import { type ListOptions, listObjects, type Page } from './list.ts';
import type { Change, Window } from './log.ts';
import type { Stored } from './object.ts';
import type { Selection } from './selection.ts';
import { restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { Store } from './store.ts';
import { type Patch, patchObject, type Subresource, updateObject } from './update.ts';
import { type Watch, type WatchOptions, watchObjects } from './watch.ts';

/** Every request throws StatusError when it is refused. Objects that are handed out are deep-frozen. */
export interface Writer {
  create(endpoint: Endpoint, namespace: string, body: unknown): Stored;
  update(address: Address, body: unknown, subresource?: Subresource): Stored;
  patch(address: Address, patch: Patch, subresource?: Subresource): Stored;
  delete(address: Address, options?: DeleteOptions): Deleted;
}

/** What a controller did: the one that collects garbage, or the one that empties namespaces. */
export interface OwnChange {
  readonly by: 'generic-garbage-collector' | 'namespace-controller';
  readonly resource: Resource;
  readonly change: Change;
}

export interface ApiCore extends Writer {
  readonly registry: Registry;
  /** The same writes, meant differently. */
  writing(options: WriteOptions): Writer;
  get(address: Address): Stored;
  /** Replaces the finalizers in the spec of a namespace; without any, a deleted namespace goes at once. */
  finalizeNamespace(name: string, body: unknown): Stored;
  list(endpoint: Endpoint, query: Selection & ListOptions): Page;
  watch(endpoint: Endpoint, query: Selection & WatchOptions): Watch;
  /** Calls the listener when watches may have news, bookmarks and lost history included. Returns how to stop. */
  onNews(listener: () => void): () => void;
  /** Calls the listener after every change that the core's own controllers make in the way of requests. */
  onOwnChange(listener: (change: OwnChange) => void): void;
  /** Asks the fronts to send a bookmark on every watch: nothing else makes them. */
  requestBookmarks(): void;
  /** How often bookmarks were asked for. */
  bookmarkRound(): number;
  /** Of the last committed write. */
  resourceVersion(): string;
  /** One round of the garbage collector; returns the number of its writes. */
  collectGarbage(): number;
  /** One round of the controllers that empty terminating namespaces and definitions; returns the number of writes. */
  finalize(): number;
  /** Takes out the Events that are too old; returns how many. */
  expireEvents(): number;
  /** Whether a change since the last round may have left work to them. */
  hasWork(): boolean;
  /** Both of them until nothing is left to do. */
  settle(): void;
  /** All objects, to begin another core with. */
  snapshot(): Snapshot;
  /** Forgets the history, so that resuming a watch or a list from an earlier version answers 410. */
  compact(): void;
}

export interface ApiCoreOptions {
  /** What to begin with. Default: nothing but the initial namespaces. */
  readonly snapshot?: Snapshot;
  readonly now: () => Instant;
  readonly ids: IdSource;
  readonly window?: Window;
}

/**
 * The count is what the watch cache of real servers keeps at least. The time is how long they remember lists that are read
 * in pages. No more than what some tens of MiB hold of the objects served here.
 */
const defaultWindow: Window = { changes: 1000, ms: 300_000, most: 10_000 };

/** No chain of owners is that long: more rounds mean that two steps undo each other. */
const maxRounds = 100;

export function createApiCore(options: ApiCoreOptions): ApiCore {
  const { now, ids, window = defaultWindow } = options;
  const store = new Store({ now, window });
  const registry = createRegistry();
  const context: Context = { store, registry, now, ids };
  const listeners = new Set<() => void>();
  const tellNews = (): void => {
    for (const listener of [...listeners]) {
      listener();
    }
  };
  for (const resource of builtInKinds) {
    registry.install(resource);
    store.open(resource);
  }
  const ownListeners = new Set<(change: OwnChange) => void>();
  let by: OwnChange['by'] | undefined;
  const as = (who: OwnChange['by'], round: () => number): number => {
    by = who;
    try {
      return round();
    } finally {
      by = undefined;
    }
  };
  let work = false;
  store.onChange((resource, change) => {
    work ||= leavesWork(change);
    if (by !== undefined) {
      for (const listener of ownListeners) {
        listener({ by, resource, change });
      }
    }
    followDefinition(context, resource, change);
    tellNews();
  });
  if (options.snapshot !== undefined) {
    restoreSnapshot(context, options.snapshot);
  }
  createInitialNamespaces(context);
  let bookmarkRound = 0;
  const finalize = (): number =>
    as('namespace-controller', () => finalizeNamespaces(context)) + finalizeDefinitions(context);
  const collect = (): number => {
    work = false;
    return as('generic-garbage-collector', () => collectGarbage(context));
  };
  return {
    registry,
    ...createWriter(context),
    writing: write => createWriter({ ...context, write }),
    get: address => shownAt(address.endpoint, liveAt(context, address)),
    finalizeNamespace: (name, body) => finalizeNamespace(context, name, body),
    list: (endpoint, query) => listObjects(store, endpoint, query),
    watch: (endpoint, query) => watchObjects(store, endpoint, query),
    onNews(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onOwnChange: listener => void ownListeners.add(listener),
    requestBookmarks() {
      bookmarkRound += 1;
      tellNews();
    },
    bookmarkRound: () => bookmarkRound,
    resourceVersion: () => String(store.version),
    collectGarbage: collect,
    finalize,
    expireEvents: () => expireEvents(context),
    hasWork: () => work,
    settle() {
      for (let round = 0; collect() + finalize() > 0; round += 1) {
        if (round === maxRounds) {
          throw new Error(`Collecting garbage did not come to rest in ${maxRounds} rounds`);
        }
      }
    },
    snapshot: () => takeSnapshot(context),
    compact() {
      store.compact();
      tellNews();
    },
  };
}

function createInitialNamespaces(context: Context): void {
  const endpoint = context.registry.endpointOfKind('v1', 'Namespace');
  for (const name of initialNamespaces) {
    if (context.store.get(endpoint.resource, '', name) === undefined) {
      createObject(context, endpoint, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  }
}

function createWriter(context: Context): Writer {
  return {
    create: (endpoint, namespace, body) => createObject(context, endpoint, namespace, body),
    update: (address, body, subresource) => updateObject(context, address, body, subresource),
    patch: (address, patch, subresource) => patchObject(context, address, patch, subresource),
    delete: (address, deleteOptions) => deleteObject(context, address, deleteOptions),
  };
}

/** Owners that went away, dependents whose owners may not exist, and deletions that something of ours holds up. */
function leavesWork({ type, object, previous }: Change): boolean {
  const { deletionTimestamp, ownerReferences } = object.metadata;
  return (
    type === 'DELETED' ||
    deletionTimestamp !== undefined ||
    (ownerReferences !== undefined && !sameJson(ownerReferences, previous?.metadata.ownerReferences))
  );
}

/** Serves the kind of a definition as it is now. Watches of a kind whose definition changed must start anew. */
function followDefinition(context: Context, resource: Resource, change: Change): void {
  const { store, registry } = context;
  if (resource !== definitions) {
    return;
  }
  if (!isEstablished(change.object)) {
    return;
  }
  const defined = toResource(change.object);
  if (change.type === 'DELETED') {
    registry.uninstall(defined);
    store.drop(defined);
    offerNames(context);
    return;
  }
  registry.install(defined);
  store.open(defined);
  if (change.previous !== undefined && !sameJson(change.previous.spec, change.object.spec)) {
    store.restart(defined);
    offerNames(context);
  }
}

/** Definitions that waited for names may have them now. */
function offerNames({ store, now }: Context): void {
  for (const waiting of store.list(definitions).filter(definition => !isEstablished(definition))) {
    const others = store.list(definitions).filter(({ metadata }) => metadata.name !== waiting.metadata.name);
    const accepted: Stored = { ...waiting, status: acceptNames(waiting, others, now()) };
    if (isEstablished(accepted)) {
      store.put(definitions, accepted);
    }
  }
}
