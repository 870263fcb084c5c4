// The ports to a Kubernetes API server. Reads, writes and watches are separate, so that `observe` cannot write.
// Adapters: rest/ (node:https), packages/apiserver (in memory). The conformance suite is test/ports/kubernetes.
import type { Answer, ApiFailure } from './answer.ts';
import type {
  Intent,
  JsonPatchOperation,
  ListQuery,
  MergePatch,
  ObjectMeta,
  ObjectRef,
  Parser,
  Unstructured,
} from './object.ts';

/**
 * All reads are quorum reads, never from a watch cache. API failures are returned as data. If `parse` fails, the
 * failure is `Unparsable`.
 */
export interface Reads {
  get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  /** Reads only metadata: neither spec nor status is transferred. */
  metadata(ref: ObjectRef): Promise<Answer<ObjectMeta>>;
  /** Reads all pages of a list. */
  list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
}

export interface PatchOptions {
  readonly subresource?: 'status';
  /** The precondition: the write is refused with Conflict unless the object has this resourceVersion. */
  readonly resourceVersion?: string;
  readonly fieldManager?: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  readonly force: boolean;
  /** Sent as `metadata.uid`, so that the apply succeeds only on the object for which it was computed. */
  readonly uid?: string;
  /** The apply creates the object. It is refused with Conflict if the object exists. Must not be combined with `uid`. */
  readonly onlyCreate?: true;
}

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** For kinds with graceful deletion. Default: that of the object. */
  readonly gracePeriodSeconds?: number;
}

export interface Writes {
  create(object: Intent, options?: { readonly fieldManager?: string }): Promise<Answer<Unstructured>>;
  mergePatch(ref: ObjectRef, body: MergePatch, options?: PatchOptions): Promise<Answer<Unstructured>>;
  jsonPatch(ref: ObjectRef, body: readonly JsonPatchOperation[], options?: PatchOptions): Promise<Answer<Unstructured>>;
  apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>>;
  /** Returns the object if finalizers keep it, or `undefined` if it was removed. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<Answer<Unstructured | undefined>>;
}

export interface EvictOptions {
  /** The precondition: another Pod of the same name is not evicted. */
  readonly uid: string;
  /** Default: the grace period of the Pod. */
  readonly gracePeriodSeconds?: number;
}

/** The eviction of Pods. PodDisruptionBudgets apply: the server refuses with TooManyRequests. */
export interface Evictions {
  evict(pod: ObjectRef, options: EvictOptions): Promise<Answer<undefined>>;
}

/** Sends a server-side apply as dry run. Returns the object as an apply would store it. */
export interface DryRun {
  apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>>;
}

/** The port of a reconciler whose declaration names `dryRun`. */
export interface DryRunPort {
  readonly dryRun: DryRun;
}

export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: Unstructured;
      /** The object has its metadata only, because the requested parts are too large. */
      readonly detail?: 'metadata';
    }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WatchQuery extends ListQuery {
  /**
   * 'metadata' requests PartialObjectMetadata. `apiVersion` and `kind` of the objects are still those of the queried
   * kind.
   */
  readonly as: 'metadata' | 'object';
}

export interface ListedPage {
  readonly items: readonly Unstructured[];
  readonly resourceVersion: string;
  /** The token of the next page. Absent on the last page. */
  readonly continue?: string;
  /** The objects have their metadata only, because an object alone is too large. */
  readonly detail?: 'metadata';
}

export interface Watches {
  /** Returns one page of at most `limit` objects. The first page is a quorum read, and later pages continue it. */
  page(
    query: WatchQuery,
    options: { readonly limit: number; readonly continue?: string; readonly signal: AbortSignal },
  ): Promise<Answer<ListedPage>>;
  /**
   * Streams changes after `resourceVersion`. The iterator ends when the server closes the stream or `signal` aborts. A
   * failure to start or an ERROR event is the last element. The most frequent ERROR event is 410 Gone.
   */
  watch(
    query: WatchQuery,
    options: { readonly resourceVersion: string; readonly signal: AbortSignal; readonly timeoutSeconds?: number },
  ): AsyncIterable<WatchEvent | { readonly type: 'FAILED'; readonly failure: ApiFailure }>;
}

/** The complete interface of an adapter. Reconcilers receive `Reads` only. */
export interface Kubernetes extends Reads, Writes {
  readonly dryRun: DryRun;
  readonly watches: Watches;
  /** Returns the same client, whose requests are aborted when `signal` aborts. */
  within(signal: AbortSignal): Kubernetes;
}
