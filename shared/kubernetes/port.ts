// The ports to a Kubernetes API server. Reading, writing and watching are separate, so that `observe` cannot write.
// Adapters: rest/ (node:https), infra/local/apiserver (in memory). One conformance suite: test/ports/kubernetes.
import type { Answer, ApiFailure } from '../api/answer.ts';
import type {
  Intent,
  JsonPatchOperation,
  ListQuery,
  MergePatch,
  ObjectMeta,
  ObjectRef,
  Parser,
  Unstructured,
} from '../api/object.ts';

/** Quorum reads (never served from a watch cache); API failures are data. A failing `parse` is the failure `Unparsable`. */
export interface Reads {
  get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  /** Metadata only: neither spec nor status travels. */
  metadata(ref: ObjectRef): Promise<Answer<ObjectMeta>>;
  /** Reads every page. */
  list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
}

export interface PatchOptions {
  readonly subresource?: 'status';
  /** Precondition: the write is refused with Conflict unless the object is at this resourceVersion. */
  readonly resourceVersion?: string;
  readonly fieldManager?: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  readonly force: boolean;
  /** Sends `metadata.uid`, so that the apply can only meet the object it was computed for. */
  readonly uid?: string;
}

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

export interface Writes {
  create(object: Intent, options?: { readonly fieldManager?: string }): Promise<Answer<Unstructured>>;
  mergePatch(ref: ObjectRef, body: MergePatch, options?: PatchOptions): Promise<Answer<Unstructured>>;
  jsonPatch(ref: ObjectRef, body: readonly JsonPatchOperation[], options?: PatchOptions): Promise<Answer<Unstructured>>;
  apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>>;
  /** The object as it is while finalizers hold it, or `undefined` when it is gone. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<Answer<Unstructured | undefined>>;
}

/** Server-side apply without persistence: what an apply would make of the object. */
export interface DryRun {
  apply(object: Intent, options: ApplyOptions): Promise<Answer<Unstructured>>;
}

/** What a reconciler is handed whose declaration names the port `dryRun`. */
export interface DryRunPort {
  readonly dryRun: DryRun;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Unstructured }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface WatchQuery extends ListQuery {
  /** 'metadata' asks for PartialObjectMetadata; `apiVersion` and `kind` of the objects are still the queried kind's. */
  readonly as: 'metadata' | 'object';
}

export interface ListedPage {
  readonly items: readonly Unstructured[];
  readonly resourceVersion: string;
  /** Token of the next page; absent on the last one. */
  readonly continue?: string;
}

export interface Watches {
  /** One page of at most `limit` objects (newest first page is a quorum read; later pages continue it). */
  page(
    query: WatchQuery,
    options: { readonly limit: number; readonly continue?: string; readonly signal: AbortSignal },
  ): Promise<Answer<ListedPage>>;
  /**
   * Streams changes after `resourceVersion` until the server closes the stream (the iterator ends) or `signal` aborts.
   * A failure to start, or an ERROR event (410 Gone above all), is the last element.
   */
  watch(
    query: WatchQuery,
    options: { readonly resourceVersion: string; readonly signal: AbortSignal; readonly timeoutSeconds?: number },
  ): AsyncIterable<WatchEvent | { readonly type: 'FAILED'; readonly failure: ApiFailure }>;
}

/** Everything one adapter offers. Reconcilers are handed `Reads` alone. */
export interface Kubernetes extends Reads, Writes {
  readonly dryRun: DryRun;
  readonly watches: Watches;
  /** The same client whose requests are aborted when `signal` is. */
  within(signal: AbortSignal): Kubernetes;
}
