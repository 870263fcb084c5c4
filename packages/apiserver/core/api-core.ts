// The Kubernetes API as an in-memory state machine without I/O, clock or randomness. It has no background work. Front
// ends: the memory adapter of the Kubernetes port, and HTTP.
import { type Instant, memberOf, sameJson, withoutUndefined } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { acceptNames, isEstablished } from './accept-names.ts';
import { accessReviews } from './access-reviews.ts';
import type { Admit, Mutate } from './admission.ts';
import { applyObject } from './apply-object.ts';
import { builtInKinds, definitions, initialNamespaces } from './built-in-kinds.ts';
import { type Context, type IdSource, liveAt, remove, servedAt, type WriteOptions } from './context.ts';
import { toConvertedResource } from './converted-versions.ts';
import { createConvertingWriter, storageAddress } from './converting-writer.ts';
import { createObject } from './create.ts';
import { deleteObject } from './delete.ts';
import { emptyKinds } from './empty-kinds.ts';
import { evictObject } from './evict.ts';
import { finalizeNamespace } from './finalize.ts';
import {
  type Address,
  createRegistry,
  type Resource,
  type ResourceEndpoint,
  type ResourceRegistry,
  resourceKey,
  type Subresource,
} from './kinds.ts';
import { type ListOptions, listObjects, type Page } from './list.ts';
import type { HistoryWindow, LoggedChange } from './log.ts';
import type { Stored } from './object.ts';
import { type ControllerSteps, createControllers } from './own-controllers.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import type { Selection } from './selection.ts';
import { restoreSnapshot, type StoreSnapshot, takeSnapshot } from './snapshot.ts';
import { Store } from './store.ts';
import { patchObject, updateObject } from './update.ts';
import type { VersionConversion } from './version-conversion.ts';
import { type ResourceWatch, type WatchOptions, watchObjects } from './watch.ts';
import type { ApiWriter } from './writer.ts';

export interface ApiCore extends ApiWriter, ControllerSteps {
  readonly registry: ResourceRegistry;
  /** Returns a writer with other options. */
  writing(options: WriteOptions): ApiWriter;
  /** With the subresource `scale`, returns the Scale of the object. */
  get(address: Address, subresource?: Subresource): Stored;
  /**
   * Replaces the finalizers in the spec of a namespace. A deleted namespace without finalizers is removed immediately.
   */
  finalizeNamespace(name: string, body: unknown): Stored;
  list(endpoint: ResourceEndpoint, query: Selection & ListOptions): Page;
  watch(endpoint: ResourceEndpoint, query: Selection & WatchOptions): ResourceWatch;
  /** Calls the listener when watches may have new events, bookmarks or lost history. Returns an unsubscribe function. */
  onUpdate(listener: () => void): () => void;
  /** Requests a bookmark on every watch. Bookmarks have no other trigger. */
  requestBookmarks(): void;
  /** The number of bookmark requests. */
  bookmarkRound(): number;
  /** The version of the last committed write. */
  resourceVersion(): string;
  /** Removes expired Events. Returns their number. */
  expireEvents(): number;
  /** Returns all objects, as the initial state of another core. */
  snapshot(): StoreSnapshot;
  /** Drops the history. A watch or list that resumes from an earlier version then gets 410. */
  compact(): void;
}

export interface ApiCoreOptions {
  /** The initial state. Default: only the initial namespaces. */
  readonly snapshot?: StoreSnapshot;
  readonly now: () => Instant;
  readonly ids: IdSource;
  readonly window?: HistoryWindow;
  /** Sets defaults before the validation of main resources. Default: sets none. */
  readonly mutate?: Mutate;
  /** Admits or denies writes of main resources. Default: admits all. */
  readonly admit?: Admit;
  /** Converts further versions of the kinds of definitions. Default: converts none. */
  readonly conversion?: VersionConversion;
  /** Kinds in addition to the usual built-in kinds. Default: none. */
  readonly kinds?: readonly Resource[];
}

/**
 * The count is the minimum of kube-apiserver's watch cache. The time is the period for which kube-apiserver keeps the
 * snapshot of a paged list. The maximum limits the memory for the objects in this server to some tens of MiB.
 */
const defaultWindow: HistoryWindow = { changes: 1000, ms: 300_000, most: 10_000 };

function servedKinds(kinds: readonly Resource[]): readonly Resource[] {
  const chosen = new Set(kinds.map(resourceKey));
  return [...builtInKinds, ...accessReviews, ...emptyKinds.filter(kind => !chosen.has(resourceKey(kind))), ...kinds];
}

export function createApiCore(options: ApiCoreOptions): ApiCore {
  const { now, ids, mutate, admit, conversion, window = defaultWindow } = options;
  const store = new Store({ now, window });
  const registry = createRegistry();
  const context: Context = { store, registry, now, ids, ...withoutUndefined({ mutate, admit, conversion }) };
  const listeners = new Set<() => void>();
  const notifyListeners = (): void => {
    for (const listener of [...listeners]) {
      listener();
    }
  };
  for (const resource of servedKinds(options.kinds ?? [])) {
    registry.install(resource);
    store.open(resource);
  }
  const controllers = createControllers(context);
  store.onChange((resource, change) => {
    controllers.notice(resource, change);
    followDefinition(context, resource, change);
    notifyListeners();
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
    get: (address, subresource) =>
      subresource === 'scale'
        ? getScale(context, storageAddress(address))
        : servedAt(address.endpoint, liveAt(context, address)),
    finalizeNamespace: (name, body) => finalizeNamespace(context, name, body),
    list: (endpoint, query) => listObjects(store, endpoint, query),
    watch: (endpoint, query) => watchObjects(store, endpoint, query),
    onUpdate(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    requestBookmarks() {
      bookmarkRound += 1;
      notifyListeners();
    },
    bookmarkRound: () => bookmarkRound,
    resourceVersion: () => String(store.version),
    expireEvents: () => expireEvents(context),
    snapshot: () => takeSnapshot(context),
    compact() {
      store.compact();
      notifyListeners();
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

function createWriter(context: Context): ApiWriter {
  return createConvertingWriter(context, createPlainWriter);
}

function createPlainWriter(context: Context): ApiWriter {
  return {
    create: (endpoint, namespace, body) => createObject(context, endpoint, namespace, body),
    update: (address, body, subresource) =>
      subresource === 'scale' ? updateScale(context, address, body) : updateObject(context, address, body, subresource),
    patch: (address, patch, subresource) =>
      subresource === 'scale' ? patchScale(context, address, patch) : patchObject(context, address, patch, subresource),
    apply: (address, apply, subresource) => applyObject(context, address, apply, subresource),
    delete: (address, deleteOptions) => deleteObject(context, address, deleteOptions),
    evict: (address, deleteOptions) => evictObject(context, address, deleteOptions),
  };
}

/** Events expire one hour after the last write. This is the default of kube-apiserver. */
const eventLifetimeMs = 3_600_000;

/** Removes expired Events. Returns their number. */
function expireEvents(context: Context): number {
  const { resource } = context.registry.endpointOfKind('v1', 'Event');
  const oldest = context.now() - eventLifetimeMs;
  const expired = context.store.list(resource).filter(event => lastWritten(event) <= oldest);
  for (const event of expired) {
    remove(context, resource, event);
  }
  return expired.length;
}

/** Returns the time of the last occurrence if the client set one. Otherwise returns the creation time of the object. */
function lastWritten(event: Stored): number {
  const times = [
    event.metadata.creationTimestamp,
    event['lastTimestamp'],
    event['eventTime'],
    memberOf(event['series'], 'lastObservedTime'),
  ];
  return Math.max(...times.map(instantOf).filter(time => time !== undefined));
}

/** Serves the kind of a definition in its current state. A changed definition ends the watches of its kind. */
function followDefinition(context: Context, resource: Resource, change: LoggedChange): void {
  const { store, registry } = context;
  if (resource !== definitions) {
    return;
  }
  if (!isEstablished(change.object)) {
    return;
  }
  const defined = toConvertedResource(context, change.object);
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

/** Definitions in a name conflict may now be accepted. */
function offerNames({ store, now }: Context): void {
  for (const waiting of store.list(definitions).filter(definition => !isEstablished(definition))) {
    const others = store.list(definitions).filter(({ metadata }) => metadata.name !== waiting.metadata.name);
    const accepted: Stored = { ...waiting, status: acceptNames(waiting, others, now()) };
    if (isEstablished(accepted)) {
      store.put(definitions, accepted);
    }
  }
}
