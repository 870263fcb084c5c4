// What the lists of one resync show: for each message that a change can cause, a fingerprint of the objects behind it.
// The next run compares the fingerprints, so that only changes cause messages. Pure.
import { hash } from 'node:crypto';
import type { Arrival } from '../../shared/event-source/bundle.ts';
import type { ExpandTarget, WorkTarget } from '../../shared/event-source/messages.ts';
import type { ChangeReceiver } from '../../shared/event-source/router.ts';
import type { SourceRef } from '../../shared/workqueue/expand.ts';

/** Fingerprints by row. A row belongs to one target, or to several if there are more than `mostRows` targets. */
export interface Fingerprints {
  readonly rows: ReadonlyMap<number, number>;
  /**
   * The maximum number of rows of one namespace. Undefined if each target has its own row. Zero if there are more than
   * `mostRows` namespaces, which then share rows.
   */
  readonly rowsPerNamespace: number | undefined;
}

/**
 * The maximum number of rows. It keeps the stored fingerprints within the 1 MiB of a ConfigMap. With more targets,
 * targets of one namespace share rows: then a change also enqueues the other targets of its row. So the targets of one
 * namespace, however many, neither take the rows of another one nor enqueue its targets.
 */
export const mostRows = 65_536;

/** Fingerprints have six bytes. The sum of two of them is an exact JavaScript number. */
const modulus = 2 ** 48;

type Target =
  | { readonly to: 'work'; readonly target: WorkTarget }
  | { readonly to: 'expand'; readonly target: ExpandTarget };

/** The targets that a resync enqueues. */
export interface Selected {
  readonly work: readonly WorkTarget[];
  readonly expansions: readonly ExpandTarget[];
}

/**
 * Each target has the sum of the fingerprints of its objects. The sum changes if an object is created, changed or
 * deleted, and does not depend on the order of lists.
 */
export class Inventory implements ChangeReceiver {
  readonly #entries = new Map<string, { readonly target: Target; sum: number }>();

  get size(): number {
    return this.#entries.size;
  }

  work({ key, target, source }: Arrival<WorkTarget>): void {
    this.#add(`${target.reconciler} ${key}`, { to: 'work', target }, toObjectText(source));
  }

  /**
   * A deleted source is in no list, so its own expansion cannot be enqueued. Therefore each source also counts in the
   * expansion of its kind, with its uid.
   */
  expand({ key, target, source, part }: Arrival<ExpandTarget>): void {
    const text = part === undefined || source === undefined ? toObjectText(source) : `${source.uid}@${part}`;
    this.#add(key, { to: 'expand', target }, text);
    if (target.source.name !== undefined) {
      this.#add(...toKindEntry(target), source?.uid);
    }
  }

  /** Adds the expansion of a kind, which may have no objects. It enqueues all primaries that the kind may affect. */
  expandKind(target: ExpandTarget): void {
    this.#add(...toKindEntry(target), undefined);
  }

  merge(other: Inventory): void {
    for (const [id, { target, sum }] of other.#entries) {
      this.#entryOf(id, target).sum = plus(this.#entryOf(id, target).sum, sum);
    }
  }

  fingerprints(): Fingerprints {
    const rowsPerNamespace = this.size > mostRows ? this.#rowsPerNamespace() : undefined;
    return { rows: this.#rows(rowsPerNamespace), rowsPerNamespace };
  }

  /** Returns the targets whose objects changed, were created or were deleted between both. `now` is that of this one. */
  changedSince(before: Fingerprints, now: Fingerprints): Selected {
    // Another number of targets may have led to other rows. The rows of before can be computed for the targets of now.
    const { rowsPerNamespace } = before;
    const later = rowsPerNamespace === now.rowsPerNamespace ? now.rows : this.#rows(rowsPerNamespace);
    const changed = [...this.#entries].filter(([id, { target }]) => {
      const row = toRow(id, target, rowsPerNamespace);
      return (before.rows.get(row) ?? 0) !== later.get(row);
    });
    return toSelected(changed.map(([, { target }]) => target));
  }

  /** Returns the requests for which `isDue` returns true. */
  due(isDue: (target: WorkTarget) => boolean): Selected {
    const all = toSelected([...this.#entries.values()].map(({ target }) => target));
    return { work: all.work.filter(isDue), expansions: [] };
  }

  #add(id: string, target: Target, text: string | undefined): void {
    const entry = this.#entryOf(id, target);
    // The id is part of the fingerprint. Otherwise two targets of one row that exchange an object would not change it.
    entry.sum = text === undefined ? entry.sum : plus(entry.sum, toNumber(`${id} ${text}`, 6));
  }

  #entryOf(id: string, target: Target): { sum: number } {
    const known = this.#entries.get(id);
    if (known !== undefined) {
      return known;
    }
    const entry = { target, sum: 0 };
    this.#entries.set(id, entry);
    return entry;
  }

  #rows(rowsPerNamespace: number | undefined): ReadonlyMap<number, number> {
    const rows = new Map<number, number>();
    for (const [id, { target, sum }] of this.#entries) {
      const row = toRow(id, target, rowsPerNamespace);
      rows.set(row, plus(rows.get(row) ?? 0, sum));
    }
    return rows;
  }

  /** Returns the largest number with at most `mostRows` rows in total. A namespace has no more rows than targets. */
  #rowsPerNamespace(): number {
    const targets = Map.groupBy(this.#entries.values(), ({ target }) => namespaceOf(target));
    const counts = [...targets.values()].map(({ length }) => length).toSorted((a, b) => a - b);
    let rows = mostRows;
    const fewer = counts.findIndex((count, at) => {
      const isAbove = count > rows / (counts.length - at);
      rows -= isAbove ? 0 : count;
      return isAbove;
    });
    return Math.floor(rows / (counts.length - fewer));
  }
}

/** Row numbers have four bytes. */
function toRow(id: string, target: Target, rowsPerNamespace: number | undefined): number {
  if (rowsPerNamespace === undefined) {
    return toNumber(id, 4);
  }
  const namespace = namespaceOf(target);
  return rowsPerNamespace === 0
    ? toNumber(namespace, 4) % mostRows
    : toNumber(`${namespace} ${toNumber(id, 4) % rowsPerNamespace}`, 4);
}

/** Returns "" for expansions of kinds and of objects without a namespace. */
function namespaceOf(target: Target): string {
  return (target.to === 'work' ? target.target.key.namespace : target.target.source.namespace) ?? '';
}

function toKindEntry({ reconciler, source: { apiVersion, kind } }: ExpandTarget): readonly [string, Target] {
  const source: SourceRef = { apiVersion, kind };
  const target = { reconciler, source };
  return [JSON.stringify(target), { to: 'expand', target }];
}

/** An object without a version cannot be compared. It counts as unchanged. */
function toObjectText(source: Arrival<unknown>['source']): string | undefined {
  return source === undefined ? undefined : `${source.uid}@${source.resourceVersion}`;
}

function toNumber(text: string, bytes: 4 | 6): number {
  const digitsPerByte = 2;
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, digitsPerByte * bytes), 16);
}

function plus(a: number, b: number): number {
  return (a + b) % modulus;
}

function toSelected(targets: readonly Target[]): Selected {
  return {
    work: targets.flatMap(one => (one.to === 'work' ? [one.target] : [])),
    expansions: targets.flatMap(one => (one.to === 'expand' ? [one.target] : [])),
  };
}
