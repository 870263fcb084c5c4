// All objects of some kinds, only Nodes with more than metadata, on a real API
// server, updated by watches.
import type { Kubernetes, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import type { Deliveries, TypeMeta } from './deliveries.ts';

const watchSeconds = 3600;
const pageLimit = 500;

export class Observer {
  readonly listeners = new Set<(object: Unstructured) => void>();
  readonly #kinds: readonly TypeMeta[];
  readonly #kindNames: ReadonlySet<string>;
  readonly #deliveries: Deliveries;
  readonly #objects = new Map<string, Unstructured>();
  /** The number of removals of an object with this kind, namespace and name. */
  readonly #removals = new Map<string, number>();

  constructor(kinds: readonly TypeMeta[], deliveries: Deliveries) {
    this.#kinds = kinds;
    this.#kindNames = new Set(kinds.map(({ kind }) => kind));
    this.#deliveries = deliveries;
  }

  /** Resolves when all kinds are listed. */
  async start(kubernetes: Kubernetes, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#kinds.map(kind => this.#list(kubernetes, kind, signal)));
  }

  async #list({ watches }: Kubernetes, kind: TypeMeta, signal: AbortSignal): Promise<void> {
    // The providerID of a Node determines its Machine.
    const query = { ...kind, as: kind.kind === 'Node' ? 'object' : 'metadata' } as const;
    const listed = await watches.page(query, { limit: pageLimit, signal });
    if (!listed.ok) {
      throw new Error(`${kind.kind} cannot be listed: ${listed.failure.message}`);
    }
    const { items, resourceVersion } = listed.value;
    for (const item of items) {
      this.#objects.set(item.metadata.uid, item);
    }
    const stream = watches.watch(query, { resourceVersion, signal, timeoutSeconds: watchSeconds });
    void this.#watch(kind, this.#deliveries.follow(kind, resourceVersion, stream), signal);
  }

  async #watch(kind: TypeMeta, stream: ReturnType<Kubernetes['watches']['watch']>, signal: AbortSignal): Promise<void> {
    for await (const item of stream) {
      if (item.type !== 'BOOKMARK' && item.type !== 'FAILED') {
        this.#see(item.object, item.type === 'DELETED');
      }
    }
    if (!signal.aborted) {
      this.#deliveries.problems.push(`The watch of ${kind.kind} ended early`);
    }
  }

  #see(object: Unstructured, isRemoved: boolean): void {
    const { uid } = object.metadata;
    if (isRemoved) {
      const ref = { ...object, ...object.metadata };
      this.#objects.delete(uid);
      this.#removals.set(toName(ref), this.removals(ref) + 1);
    } else {
      this.#objects.set(uid, object);
    }
    for (const listener of this.listeners) {
      listener(object);
    }
  }

  follows({ apiVersion, kind }: TypeMeta): boolean {
    return this.#kinds.some(each => each.apiVersion === apiVersion && each.kind === kind);
  }

  removals(of: ObjectRef): number {
    return this.#removals.get(toName(of)) ?? 0;
  }

  /** Resolves when the garbage collector of the server has no work for these objects. */
  collected(): Promise<void> {
    return this.#deliveries.when(
      () => this.#garbage().length === 0,
      () => `garbage collection of ${this.#garbage().join(', ')}`,
    );
  }

  #garbage(): readonly string[] {
    return [...this.#objects.values()].filter(object => this.#isGarbage(object)).map(({ metadata: { name } }) => name);
  }

  #isGarbage({ metadata }: Unstructured): boolean {
    const { uid, finalizers = [], deletionTimestamp, ownerReferences = [] } = metadata;
    if (deletionTimestamp === undefined) {
      return ownerReferences.some(({ kind, uid: owner }) => this.#kindNames.has(kind) && !this.#objects.has(owner));
    }
    return finalizers.includes('orphan') || (finalizers.includes('foregroundDeletion') && !this.#isBlocked(uid));
  }

  /** The owner waits for a dependent that is being deleted. */
  #isBlocked(owner: string): boolean {
    return [...this.#objects.values()].some(
      ({ metadata: { deletionTimestamp, ownerReferences = [] } }) =>
        deletionTimestamp !== undefined &&
        ownerReferences.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true),
    );
  }
}

function toName({ kind, namespace = '', name }: ObjectRef): string {
  return `${kind}/${namespace}/${name}`;
}
