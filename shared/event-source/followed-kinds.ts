// The provider kinds that an event source reads because objects of one kind reference them. This class decides only. It
// starts and stops no watch.

import { type GroupKind, pagesOf, toApiVersion, type Unstructured, type Watches } from '@capi-serverless/apimachinery';
import type { Log, SourceEvent } from '@capi-serverless/reconciler';
import { passesWatchFilter } from '../kernel/watch-filter.ts';
import { mostReferencedKinds } from './referenced-kinds.ts';
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
  /** The followed kinds that were referenced since the last `tidy` began. */
  readonly #referenced = new Set<string>();
  /** Kinds beyond the maximum. They are followed after `tidy` has removed others. */
  readonly #refused = new Map<string, GroupKind>();
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
    const isKnown =
      isComplete || (this.#mayBeUnreferenced && this.#followed.size > 0 && (await this.#listReferrers(signal)));
    if (!isKnown) {
      return;
    }
    for (const source of [...this.#followed.keys()].filter(name => !this.#referenced.has(name))) {
      const referrer = this.#options.referrer.kind.kind;
      this.#options.log.info('Stopping to follow a kind, because no object references it', { source, referrer });
      this.#followed.delete(source);
    }
    const refused = [...this.#refused];
    this.#refused.clear();
    for (const [name, kind] of refused) {
      this.#add(name, kind);
    }
  }

  /**
   * Returns true if all objects could be read. References in events are included, because they may be newer than the
   * list.
   */
  async #listReferrers(signal: AbortSignal): Promise<boolean> {
    const { watches, watchFilter, log, referrer } = this.#options;
    this.#referenced.clear();
    this.#refused.clear();
    this.#mayBeUnreferenced = false;
    const { kind, parts } = referrer;
    const query = { apiVersion: toApiVersion(kind), kind: kind.kind, ...toReading({ as: 'object', parts }) };
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        this.#mayBeUnreferenced = true;
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
    for (const kind of this.#options.referrer.kindsOf(object)) {
      this.#add(toKindName(kind), kind);
    }
  }

  #add(name: string, kind: GroupKind): void {
    if (this.#followed.has(name) || this.#followed.size < mostReferencedKinds) {
      this.#followed.set(name, kind);
      this.#referenced.add(name);
      return;
    }
    const refused = { source: name, most: mostReferencedKinds };
    this.#options.log.error('Refusing to follow one more referenced kind', undefined, refused);
    if (this.#refused.size < mostReferencedKinds) {
      this.#refused.set(name, kind);
    }
  }
}
