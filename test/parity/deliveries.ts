// Tracks the changes that the watches of this process have delivered, so that virtual time waits for them.
import { groupOf, type ObjectRef, toDisplayName, type WatchEvent } from '@capi-serverless/apimachinery';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

type WatchItem = WatchEvent | { readonly type: 'FAILED' };

interface Delivery {
  readonly kind: string;
  /** Records that this watch delivered all changes up to this resourceVersion. */
  version: number;
  /** The number of delivered removals of each object. */
  readonly removals: Map<string, number>;
}

/** The limit in real time. It is longer than a delivery takes on a loaded machine. */
const longestDeliveryMs = 300_000;

export class Deliveries {
  /** The problems of watches that did not deliver in time. */
  readonly problems: string[] = [];
  readonly #open = new Set<Delivery>();
  /** The latest known resourceVersion of each kind. */
  readonly #latest = new Map<string, number>();
  readonly #checks = new Set<() => void>();

  /**
   * Returns the same stream, which the caller reads immediately. An item is delivered when the consumer requests the
   * next item.
   */
  follow<Item extends WatchItem>(of: TypeMeta, from: string, stream: AsyncIterable<Item>): AsyncIterable<Item> {
    const delivery: Delivery = { kind: toName(of), version: Number(from), removals: new Map() };
    this.#open.add(delivery);
    return this.#deliver(delivery, stream);
  }

  async *#deliver<Item extends WatchItem>(delivery: Delivery, stream: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      for await (const item of stream) {
        yield item;
        delivery.version = Math.max(delivery.version, versionOf(item));
        if (item.type === 'DELETED') {
          const name = toDisplayName(item.object.metadata);
          delivery.removals.set(name, (delivery.removals.get(name) ?? 0) + 1);
        }
        this.#latest.set(delivery.kind, Math.max(this.#latest.get(delivery.kind) ?? 0, delivery.version));
        this.#check();
      }
    } finally {
      this.#open.delete(delivery);
      this.#check();
    }
  }

  /** Resolves when all watches of the kind have delivered this version and the latest known version. */
  async until(of: TypeMeta, version = 0): Promise<void> {
    const kind = toName(of);
    const wanted = Math.max(version, this.#latest.get(kind) ?? 0);
    this.#latest.set(kind, wanted);
    const isDelivered = (): boolean => [...this.#open].every(each => each.kind !== kind || each.version >= wanted);
    await this.when(isDelivered, () => `version ${wanted} of ${kind} in all watches`);
  }

  /**
   * Called before a write that may remove the object, because its answer does not contain the resourceVersion of the
   * removal. The returned function waits until each open watch of the kind has delivered another removal of the object.
   */
  removalOf(of: ObjectRef): () => Promise<void> {
    const name = toDisplayName(of);
    const counted = [...this.#open]
      .filter(({ kind }) => kind === toName(of))
      .map(delivery => ({ delivery, before: delivery.removals.get(name) ?? 0 }));
    const isDelivered = (): boolean =>
      counted.every(({ delivery, before }) => !this.#open.has(delivery) || (delivery.removals.get(name) ?? 0) > before);
    return () => this.when(isDelivered, () => `the removal of ${of.kind} ${name} in all watches`);
  }

  /** Resolves when the condition is true after a delivery, or with a problem after a long time. */
  when(condition: () => boolean, what: () => string): Promise<void> {
    if (condition()) {
      return Promise.resolve();
    }
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
        resolve();
      };
      const check = (): void => {
        if (condition()) {
          end();
        }
      };
      const timer = setTimeout(() => {
        this.problems.push(`Waited ${longestDeliveryMs} ms for ${what()}`);
        end();
      }, longestDeliveryMs);
      this.#checks.add(check);
    });
  }

  #check(): void {
    for (const check of [...this.#checks]) {
      check();
    }
  }
}

function toName({ apiVersion, kind }: TypeMeta): string {
  return `${kind}.${groupOf(apiVersion)}`;
}

function versionOf(item: WatchItem): number {
  switch (item.type) {
    case 'FAILED':
      return 0;
    case 'BOOKMARK':
      return Number(item.resourceVersion);
    default:
      return Number(item.object.metadata.resourceVersion);
  }
}
