// The referenced kinds that are not followed, because there is no place for them. Namespaces share what is remembered.
import type { GroupKind } from '@capi-serverless/apimachinery';
import { FairQueue } from '../kernel/fair-queue.ts';
import { mostKindsOfNamespace, mostReferencedKinds } from './referenced-kinds.ts';

export interface RefusedKind {
  readonly kind: GroupKind;
  /** The namespace of the object that references it. */
  readonly namespace: string;
  /** It was followed, and no provider defined it. */
  readonly isTried: boolean;
}

export class RefusedKinds {
  readonly #kinds = new Map<string, RefusedKind>();
  readonly #turns = new FairQueue<string>({ most: mostReferencedKinds, mostOfOwner: mostKindsOfNamespace });

  isTried(name: string): boolean {
    return this.#kinds.get(name)?.isTried === true;
  }

  /** Remembers the kind if its namespace has a share left. A kind that is remembered keeps its namespace and its turn. */
  add(name: string, kind: RefusedKind): void {
    if (this.#kinds.has(name)) {
      return;
    }
    this.#kinds.set(name, kind);
    const dropped = this.#turns.add(kind.namespace, name);
    if (dropped !== undefined) {
      this.#kinds.delete(dropped);
    }
  }

  delete(name: string): void {
    this.#kinds.delete(name);
    this.#turns.delete(name);
  }

  /** Forgets all kinds and returns them, in turns of their namespaces. */
  drain(): readonly (readonly [string, RefusedKind])[] {
    const kinds = new Map(this.#kinds);
    this.#kinds.clear();
    return this.#turns.drain().flatMap(name => {
      const kind = kinds.get(name);
      return kind === undefined ? [] : [[name, kind] as const];
    });
  }
}
