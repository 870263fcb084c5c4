// The provider kinds that an event source reads because objects of one kind reference them. This class decides only. It
// starts and stops no watch.

import { type GroupKind, pagesOf, toApiVersion, type Unstructured, type Watches } from '@capi-serverless/apimachinery';
import type { Log, SourceEvent } from '@capi-serverless/reconciler';
import { passesWatchFilter } from '../kernel/watch-filter.ts';
import { mostKindsOfNamespace, mostReferencedKinds } from './referenced-kinds.ts';
import type { ReceivedEvent } from './router.ts';
import { type Referrer, toKindName, toReading } from './watch-set.ts';

export interface FollowedKindsOptions {
  readonly referrer: Pick<Referrer, 'kind' | 'kindsOf'> & Partial<Pick<Referrer, 'parts'>>;
  readonly watches: Pick<Watches, 'page'>;
  readonly watchFilter: string;
  readonly log: Log;
  /** The kinds that an earlier run followed. */
  readonly known?: readonly GroupKind[];
}

export class FollowedKinds {
  readonly #options: FollowedKindsOptions;
  readonly #followed: Map<string, GroupKind>;
  /**
   * The followed kinds that were referenced since the last `tidy` began, with the namespace of the first reference. The
   * kind counts as one of that namespace. The kinds of an earlier run have none before all objects were read.
   */
  readonly #referenced = new Map<string, string>();
  /** The namespaces of the kinds that are followed, as far as they are known. */
  readonly #namespaces = new Map<string, string>();
  /** Kinds beyond a maximum, or before the namespaces of all others are known. `tidy` decides on them again. */
  readonly #refused = new Map<string, Refused>();
  #mayBeUnreferenced = false;

  constructor(options: FollowedKindsOptions) {
    this.#options = options;
    this.#followed = new Map((options.known ?? []).map(kind => [toKindName(kind), kind]));
  }

  /** Keys are `Kind.group`. The map has at most `mostReferencedKinds` entries, unless more were known. */
  get all(): ReadonlyMap<string, GroupKind> {
    return this.#followed;
  }

  /** Follows the kinds that the object references. */
  see({ type, object }: SourceEvent, cause: ReceivedEvent['cause']): void {
    // A list may not show deletions that a watch missed.
    this.#mayBeUnreferenced ||= type === 'DELETED' || cause === 'list';
    if (type !== 'DELETED') {
      this.#follow(object);
    }
  }

  /**
   * Drops the kinds that no object references any more, then follows refused kinds. `isComplete`: every object was read
   * since the last call. Otherwise the objects are listed if one may have been deleted. After a failed list, no kind is
   * dropped.
   */
  async tidy({ isComplete, signal }: { readonly isComplete: boolean; readonly signal: AbortSignal }): Promise<void> {
    const isListed = this.#mayBeUnreferenced && this.#followed.size > 0 && !isComplete;
    const isKnown = isComplete || (isListed && (await this.#listReferrers(signal)));
    if (isKnown) {
      this.#dropUnreferenced();
    }
    if (isKnown || isListed) {
      const refused = [...this.#refused];
      this.#refused.clear();
      for (const [name, { kind, namespace }] of refused) {
        this.#decide(name, kind, { namespace, isShared: isKnown });
      }
    }
  }

  #dropUnreferenced(): void {
    const { log, referrer } = this.#options;
    this.#namespaces.clear();
    for (const name of [...this.#followed.keys()]) {
      const namespace = this.#referenced.get(name);
      if (namespace === undefined) {
        const kind = referrer.kind.kind;
        log.info('Stopping to follow a kind, because no object references it', { source: name, referrer: kind });
        this.#followed.delete(name);
      } else {
        this.#namespaces.set(name, namespace);
      }
    }
  }

  /**
   * Returns true if all objects could be read. References in events are included, because they may be newer than the
   * list.
   */
  async #listReferrers(signal: AbortSignal): Promise<boolean> {
    const { watches, watchFilter, log, referrer } = this.#options;
    this.#referenced.clear();
    const refused = new Map(this.#refused);
    this.#refused.clear();
    this.#mayBeUnreferenced = false;
    const { kind, parts } = referrer;
    const query = { apiVersion: toApiVersion(kind), kind: kind.kind, ...toReading({ as: 'object', parts }) };
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        this.#mayBeUnreferenced = true;
        for (const [name, one] of refused) {
          this.#refused.set(name, one);
        }
        const answer = page.failure.message;
        log.info('Listing objects failed, keeping all kinds that they reference', { kind: query.kind, answer });
        return false;
      }
      for (const object of page.value.items.filter(item => passesWatchFilter(item, watchFilter))) {
        this.#follow(object);
      }
    }
    return true;
  }

  #follow(object: Unstructured): void {
    const { namespace = '' } = object.metadata;
    for (const kind of this.#options.referrer.kindsOf(object)) {
      const name = toKindName(kind);
      if (this.#followed.has(name)) {
        this.#referenced.set(name, this.#referenced.get(name) ?? namespace);
      } else if (this.#namespaces.size < this.#followed.size) {
        // Namespaces of kinds of an earlier run are not known. `tidy` reads them.
        this.#mayBeUnreferenced = true;
        this.#refuse(name, kind, namespace);
      } else {
        this.#decide(name, kind, { namespace, isShared: true });
      }
    }
  }

  /** Follows the kind if there is a place for it. `isShared`: a namespace has only its share of the places. */
  #decide(
    name: string,
    kind: GroupKind,
    { namespace, isShared }: { readonly namespace: string; readonly isShared: boolean },
  ): void {
    const most = isShared && countOf(this.#namespaces.values(), namespace) >= mostKindsOfNamespace;
    if (this.#followed.size < mostReferencedKinds && !most) {
      this.#followed.set(name, kind);
      this.#referenced.set(name, namespace);
      this.#namespaces.set(name, namespace);
      return;
    }
    const limit = most ? { namespace, most: mostKindsOfNamespace } : { most: mostReferencedKinds };
    this.#options.log.error('Refusing to follow one more referenced kind', undefined, { source: name, ...limit });
    this.#refuse(name, kind, namespace);
  }

  #refuse(name: string, kind: GroupKind, namespace: string): void {
    const namespaces = [...this.#refused.values()].map(refused => refused.namespace);
    if (namespaces.length < mostReferencedKinds && countOf(namespaces, namespace) < mostKindsOfNamespace) {
      this.#refused.set(name, { kind, namespace });
    }
  }
}

interface Refused {
  readonly kind: GroupKind;
  /** The namespace of the object that references it. */
  readonly namespace: string;
}

function countOf(namespaces: Iterable<string>, namespace: string): number {
  return [...namespaces].filter(each => each === namespace).length;
}
