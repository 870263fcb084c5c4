// Which provider kinds Clusters name, as far as one run has seen Clusters.
import { toApiVersion, type Unstructured } from '../../shared/api/object.ts';
import { type KindName, mostReferencedKinds, referencedKindsOf } from '../../shared/event-source/referenced-kinds.ts';
import { clusterKind, toKindName } from '../../shared/event-source/watch-set.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { SourceEvent } from '../../shared/kernel/types.ts';
import { passesWatchFilter } from '../../shared/kernel/watch-filter.ts';
import { pagesOf } from '../../shared/kubernetes/pages.ts';
import type { Watches } from '../../shared/kubernetes/port.ts';

export interface NamedKindsOptions {
  readonly watches: Pick<Watches, 'page'>;
  readonly watchFilter: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export class NamedKinds {
  readonly #options: NamedKindsOptions;
  readonly #kinds = new Map<string, KindName>();
  #mayBeUnnamed = false;

  constructor(options: NamedKindsOptions) {
    this.#options = options;
  }

  get all(): readonly KindName[] {
    return [...this.#kinds.values()];
  }

  /** A Cluster of ours passes by. */
  see({ type, object }: SourceEvent): void {
    if (type === 'DELETED') {
      this.#mayBeUnnamed = true;
    } else {
      this.#name(object);
    }
  }

  /**
   * Which of these no Cluster names any more; none of them while that is not known. `isComplete`: every Cluster passed by.
   * Otherwise Clusters are listed, if one was deleted.
   */
  async unnamedOf(
    known: readonly string[],
    { isComplete }: { readonly isComplete: boolean },
  ): Promise<ReadonlySet<string>> {
    const isKnown = isComplete || (this.#mayBeUnnamed && known.length > 0 && (await this.#listClusters()));
    return new Set(isKnown ? known.filter(name => !this.#kinds.has(name)) : []);
  }

  /** Returns whether all could be read. */
  async #listClusters(): Promise<boolean> {
    const { watches, watchFilter, signal } = this.#options;
    const query = { apiVersion: toApiVersion(clusterKind), kind: clusterKind.kind, as: 'object' } as const;
    for await (const page of pagesOf(watches, query, signal)) {
      if (!page.ok) {
        return false;
      }
      for (const cluster of page.value.items.filter(item => passesWatchFilter(item, watchFilter))) {
        this.#name(cluster);
      }
    }
    return true;
  }

  #name(cluster: Unstructured): void {
    for (const kind of referencedKindsOf(cluster)) {
      const name = toKindName(kind);
      if (this.#kinds.has(name) || this.#kinds.size < mostReferencedKinds) {
        this.#kinds.set(name, kind);
      } else {
        this.#options.log.error('Refusing one more referenced kind', undefined, {
          source: name,
          most: mostReferencedKinds,
        });
      }
    }
  }
}
