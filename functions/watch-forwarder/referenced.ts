// Which provider kinds are followed: those that some Cluster names, from the first one that does to the last.
import { toApiVersion, type Unstructured } from '../../shared/api/object.ts';
import { type KindName, mostReferencedKinds, referencedKindsOf } from '../../shared/event-source/referenced-kinds.ts';
import { clusterKind, toKindName } from '../../shared/event-source/watch-set.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { SourceEvent } from '../../shared/kernel/types.ts';
import { passesWatchFilter } from '../../shared/kernel/watch-filter.ts';
import { pagesOf } from '../../shared/kubernetes/pages.ts';
import type { Watches } from '../../shared/kubernetes/port.ts';

export interface ReferencedKindsOptions {
  readonly watches: Pick<Watches, 'page'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly watchFilter: string;
  /** Follows the kind until `signal` aborts. */
  readonly start: (kind: KindName, signal: AbortSignal) => void;
}

/** Clusters are listed at most this often, and only after some were deleted, to learn which kinds nobody names any more. */
const tidyEveryMs = 600_000;

export class ReferencedKinds {
  readonly #options: ReferencedKindsOptions;
  /** What ends each kind that is followed, by `Kind.group`. */
  readonly #followed = new Map<string, AbortController>();
  /** What was named since tidying began. */
  readonly #named = new Set<string>();
  #mayBeUnnamed = false;
  #signal = AbortSignal.abort();

  constructor(options: ReferencedKindsOptions) {
    this.#options = options;
  }

  /** A Cluster passes by. Starts to follow what it names; nothing before `run`, or after it has ended. */
  see({ type, object }: SourceEvent, cause: 'list' | 'event'): void {
    // A list may stand for deletions that no watch showed.
    this.#mayBeUnnamed ||= type === 'DELETED' || cause === 'list';
    if (type !== 'DELETED') {
      this.#name(object);
    }
  }

  /** Ends what nobody names any more, now and then, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    while (!signal.aborted) {
      await this.#options.clock.sleep(tidyEveryMs, signal);
      if (!signal.aborted && this.#mayBeUnnamed && this.#followed.size > 0) {
        await this.#tidy(signal);
      }
    }
  }

  #name(cluster: Unstructured): void {
    const { start, log } = this.#options;
    for (const kind of this.#signal.aborted ? [] : referencedKindsOf(cluster)) {
      const name = toKindName(kind);
      this.#named.add(name);
      if (this.#followed.has(name)) {
        continue;
      }
      if (this.#followed.size === mostReferencedKinds) {
        log.error('Refusing to follow one more referenced kind', undefined, {
          source: name,
          most: mostReferencedKinds,
        });
        continue;
      }
      const end = new AbortController();
      this.#followed.set(name, end);
      start(kind, AbortSignal.any([this.#signal, end.signal]));
    }
  }

  /** What a watch shows meanwhile counts as named, too: it may be newer than the list. */
  async #tidy(signal: AbortSignal): Promise<void> {
    const { watches, watchFilter, log } = this.#options;
    this.#named.clear();
    this.#mayBeUnnamed = false;
    const query = { apiVersion: toApiVersion(clusterKind), kind: clusterKind.kind, as: 'object' } as const;
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        this.#mayBeUnnamed = true;
        log.info('Listing Clusters failed, keeping all referenced kinds', { answer: page.failure.message });
        return;
      }
      for (const cluster of page.value.items.filter(item => passesWatchFilter(item, watchFilter))) {
        this.#name(cluster);
      }
    }
    for (const [source, end] of this.#followed) {
      if (!this.#named.has(source)) {
        log.info('Following a kind no more, because no Cluster names it', { source });
        end.abort();
        this.#followed.delete(source);
      }
    }
  }
}
