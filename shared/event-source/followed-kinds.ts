// The provider kinds that an event source reads because objects of one kind reference them. This class decides only. It
// starts and stops no watch.

import {
  type Answer,
  type GroupKind,
  pagesOf,
  toApiVersion,
  type Unstructured,
  type Watches,
} from '@capi-serverless/apimachinery';
import type { Log, SourceEvent } from '@capi-serverless/reconciler';
import { FairQueue } from '../kernel/fair-queue.ts';
import { passesWatchFilter } from '../kernel/watch-filter.ts';
import { isDefined, mostKindsOfNamespace, mostReferencedKinds } from './referenced-kinds.ts';
import { type RefusedKind, RefusedKinds } from './refused-kinds.ts';
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
  /** The followed kinds without a definition. Their definition may come later. They take no place of a defined kind. */
  readonly #undefined = new FairQueue<string>({ most: mostReferencedKinds, mostOfOwner: mostKindsOfNamespace });
  /** Kinds beyond a maximum, or before the namespaces of all others are known. `tidy` decides on them again. */
  readonly #refused = new RefusedKinds();
  #mayBeUnreferenced = false;

  constructor(options: FollowedKindsOptions) {
    this.#options = options;
    this.#followed = new Map((options.known ?? []).map(kind => [toKindName(kind), kind]));
  }

  /** Keys are `Kind.group`. The map has at most twice `mostReferencedKinds` entries, unless more were known. */
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
   * Records the answer of `locateProviderKind`. A kind without a definition gives its place to a refused kind. Beyond
   * the places of such kinds, it is not followed until `tidy` tries it again.
   */
  located(kind: GroupKind, answer: Answer<unknown>): void {
    const name = toKindName(kind);
    const isKnown = isDefined(answer);
    if (isKnown === true) {
      this.#undefined.delete(name);
    }
    if (isKnown !== false || !this.#followed.has(name) || this.#undefined.has(name)) {
      return;
    }
    // Kinds of an earlier run have places of their own until their namespaces are known.
    const dropped = this.#undefined.add(this.#namespaces.get(name) ?? name, name);
    if (dropped !== undefined) {
      this.#drop(dropped);
    }
    if (this.#knowsNamespaces) {
      for (const [other, one] of this.#refused.drain()) {
        if (one.isTried || this.#decide(other, one, true) !== undefined) {
          this.#refused.add(other, one);
        }
      }
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
    for (const [name, one] of this.#refused.drain()) {
      this.#decideAndLog(name, { ...one, isTried: false }, isKnown || !isListed);
    }
  }

  get #knowsNamespaces(): boolean {
    return this.#namespaces.size >= this.#followed.size;
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
        this.#undefined.delete(name);
      } else {
        this.#namespaces.set(name, namespace);
      }
    }
  }

  /** Stops following a kind without a definition. */
  #drop(name: string): void {
    const kind = this.#followed.get(name);
    const namespace = this.#namespaces.get(name);
    this.#followed.delete(name);
    this.#referenced.delete(name);
    this.#namespaces.delete(name);
    if (kind !== undefined && namespace !== undefined) {
      this.#refused.add(name, { kind, namespace, isTried: true });
    }
  }

  /**
   * Returns true if all objects could be read. References in events are included, because they may be newer than the
   * list.
   */
  async #listReferrers(signal: AbortSignal): Promise<boolean> {
    const { watches, watchFilter, log, referrer } = this.#options;
    this.#referenced.clear();
    const refused = this.#refused.drain();
    this.#mayBeUnreferenced = false;
    const { kind, parts } = referrer;
    const query = { apiVersion: toApiVersion(kind), kind: kind.kind, ...toReading({ as: 'object', parts }) };
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        this.#mayBeUnreferenced = true;
        for (const [name, one] of refused) {
          this.#refused.add(name, one);
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
      } else if (!this.#knowsNamespaces) {
        // Namespaces of kinds of an earlier run are not known. `tidy` reads them.
        this.#mayBeUnreferenced = true;
        this.#refused.add(name, { kind, namespace, isTried: false });
      } else if (!this.#refused.isTried(name)) {
        this.#decideAndLog(name, { kind, namespace, isTried: false }, true);
      }
    }
  }

  #decideAndLog(name: string, refused: RefusedKind, isShared: boolean): void {
    const limit = this.#decide(name, refused, isShared);
    if (limit !== undefined) {
      this.#options.log.error('Refusing to follow one more referenced kind', undefined, { source: name, ...limit });
      this.#refused.add(name, refused);
    }
  }

  /**
   * Follows the kind if there is a place for it, or returns the maximum that refuses it. `isShared`: a namespace has only
   * its share of the places.
   */
  #decide(name: string, { kind, namespace }: RefusedKind, isShared: boolean): Record<string, unknown> | undefined {
    const places = [...this.#followed.keys()].filter(each => !this.#undefined.has(each));
    if (isShared && places.filter(each => this.#namespaces.get(each) === namespace).length >= mostKindsOfNamespace) {
      return { namespace, most: mostKindsOfNamespace };
    }
    if (places.length >= mostReferencedKinds) {
      return { most: mostReferencedKinds };
    }
    this.#followed.set(name, kind);
    this.#referenced.set(name, namespace);
    this.#namespaces.set(name, namespace);
    this.#refused.delete(name);
    return undefined;
  }
}
