// The Kubernetes API as an in-memory state machine: no I/O, no clock and no randomness of its own, and nothing happens
// unless it is asked for. Fronts: the memory adapter of the Kubernetes port, and HTTP.
import type { Instant } from '../../../../shared/api/object.ts';
import type { Admit } from './admission.ts';
import { type Applied, type Apply, applyObject } from './apply-object.ts';
import { builtInKinds, initialNamespaces } from './built-in-kinds.ts';
import { type Context, type IdSource, liveAt, shownAt, type WriteOptions } from './context.ts';
import { createObject } from './create.ts';
import { type Deleted, type DeleteOptions, deleteObject } from './delete.ts';
import { expireEvents } from './expire-events.ts';
import { finalizeNamespace } from './finalize.ts';
import { followDefinition } from './follow-definitions.ts';
import { type Address, createRegistry, type Endpoint, type Registry } from './kinds.ts';
import { type ListOptions, listObjects, type Page } from './list.ts';
import type { Window } from './log.ts';
import type { Stored } from './object.ts';
import { type ControllerSteps, createControllers } from './own-controllers.ts';
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
  apply(address: Address, apply: Apply, subresource?: Subresource): Applied;
  delete(address: Address, options?: DeleteOptions): Deleted;
}

export interface ApiCore extends Writer, ControllerSteps {
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
  /** Asks the fronts to send a bookmark on every watch: nothing else makes them. */
  requestBookmarks(): void;
  /** How often bookmarks were asked for. */
  bookmarkRound(): number;
  /** Of the last committed write. */
  resourceVersion(): string;
  /** Takes out the Events that are too old; returns how many. */
  expireEvents(): number;
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
  /** Decides about writes of main resources. Default: all are fine. */
  readonly admit?: Admit;
}

/**
 * The count is what the watch cache of real servers keeps at least. The time is how long they remember lists that are read
 * in pages. No more than what some tens of MiB hold of the objects served here.
 */
const defaultWindow: Window = { changes: 1000, ms: 300_000, most: 10_000 };

export function createApiCore(options: ApiCoreOptions): ApiCore {
  const { now, ids, admit, window = defaultWindow } = options;
  const store = new Store({ now, window });
  const registry = createRegistry();
  const context: Context = { store, registry, now, ids, ...(admit === undefined ? {} : { admit }) };
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
  const controllers = createControllers(context);
  store.onChange((resource, change) => {
    controllers.notice(resource, change);
    followDefinition(context, resource, change);
    tellNews();
  });
  if (options.snapshot !== undefined) {
    restoreSnapshot(context, options.snapshot);
  }
  createInitialNamespaces(context);
  let bookmarkRound = 0;
  return {
    registry,
    ...createWriter(context),
    ...controllers.steps,
    writing: write => createWriter({ ...context, write }),
    get: address => shownAt(address.endpoint, liveAt(context, address)),
    finalizeNamespace: (name, body) => finalizeNamespace(context, name, body),
    list: (endpoint, query) => listObjects(store, endpoint, query),
    watch: (endpoint, query) => watchObjects(store, endpoint, query),
    onNews(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    requestBookmarks() {
      bookmarkRound += 1;
      tellNews();
    },
    bookmarkRound: () => bookmarkRound,
    resourceVersion: () => String(store.version),
    expireEvents: () => expireEvents(context),
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
    apply: (address, apply, subresource) => applyObject(context, address, apply, subresource),
    delete: (address, deleteOptions) => deleteObject(context, address, deleteOptions),
  };
}
