// What the lists of one resync show: for each message that a change can cause, a fingerprint of the objects behind it.
// The next run compares the fingerprints, so that only changes cause messages. Pure.
import { hash } from 'node:crypto';
import { groupOf } from '@capi-serverless/apimachinery';
import type { Arrival } from '../../shared/event-source/bundle.ts';
import type { ExpandTarget, WorkTarget } from '../../shared/event-source/messages.ts';
import type { ChangeReceiver } from '../../shared/event-source/router.ts';
import { toKindName } from '../../shared/event-source/watch-set.ts';

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

/** Returns true for a target with objects that are not known, because their kind could not be listed. */
type IsUnknown = (target: WorkTarget) => boolean;

/** The targets with unknown objects in this run, and those that had some in the previous run as well. */
interface Unknowns {
  readonly now: IsUnknown;
  readonly again: IsUnknown;
}

export interface InventoryComparison {
  /** The targets whose objects changed, were created or were deleted since the previous run. */
  readonly changed: Selected;
  /** The targets that could not be compared in two runs. */
  readonly overdue: Selected;
  /** The fingerprints with which the next run compares. */
  readonly fingerprints: Fingerprints;
}

/**
 * Each target has the sum of the fingerprints of its objects. The sum changes if an object is created, changed or
 * deleted, and does not depend on the order of lists.
 */
export class Inventory implements ChangeReceiver {
  readonly #entries = new Map<string, { readonly target: Target; sum: number }>();
  readonly #version: string;

  /** `version` is the one in which the objects were listed. In another version, they may say something else. */
  constructor(version = '') {
    this.#version = version;
  }

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
    const { reconciler, source: of } = target;
    if (of.name !== undefined) {
      const { apiVersion, kind } = of;
      const id = toKindId(reconciler, toKindName({ group: groupOf(apiVersion), kind }));
      this.#add(id, { to: 'expand', target: { reconciler, source: { apiVersion, kind } } }, source?.uid);
    }
  }

  /**
   * Adds the expansion of the kind with this name (`Kind.group`), which may have no objects. It enqueues all primaries
   * that the kind may affect.
   */
  expandKind(name: string, target: ExpandTarget): void {
    this.#add(toKindId(target.reconciler, name), { to: 'expand', target }, undefined);
  }

  merge(other: Inventory): void {
    for (const [id, { target, sum }] of other.#entries) {
      this.#entryOf(id, target).sum = plus(this.#entryOf(id, target).sum, sum);
    }
  }

  fingerprints(): Fingerprints {
    const rowsPerNamespace = this.size > mostRows ? this.#rowsPerNamespace() : undefined;
    return { rows: toRows(this.#placed(rowsPerNamespace)), rowsPerNamespace };
  }

  /**
   * Compares with the fingerprints of the previous run. Without `unknowns`, every kind was listed. A target with unknown
   * objects is not compared, and its fingerprint stays: the next run that knows them finds all changes since.
   */
  compare(before: Fingerprints, unknowns?: Unknowns): InventoryComparison {
    // Another number of targets may have led to other rows. The rows of before can be computed for the targets of now.
    const { rowsPerNamespace } = before;
    const placed = this.#placed(rowsPerNamespace);
    const now = toRows(placed);
    const open = rowsWith(placed, unknowns?.now);
    const overdue = rowsWith(placed, unknowns?.again);
    const select = (isSelected: (row: number) => boolean): Selected =>
      toSelected(placed.flatMap(({ row, target }) => (isSelected(row) ? [target] : [])));
    const sumOf = (rows: Fingerprints['rows'], row: number): number => rows.get(row) ?? 0;
    return {
      changed: select(row => !open.has(row) && sumOf(before.rows, row) !== sumOf(now, row)),
      overdue: select(row => overdue.has(row)),
      fingerprints: unknowns === undefined ? this.fingerprints() : this.#kept(before, now, open),
    };
  }

  /** Returns the requests for which `isDue` returns true. */
  due(isDue: (target: WorkTarget) => boolean): readonly WorkTarget[] {
    return toSelected([...this.#entries.values()].map(({ target }) => target)).work.filter(isDue);
  }

  /**
   * Returns the fingerprints without those of `pending`, which a run has not enqueued yet. Then the next run does. A
   * missing fingerprint is zero, so a target without objects gets another one.
   */
  settled(fingerprints: Fingerprints, pending: ReadonlySet<WorkTarget | ExpandTarget>): Fingerprints {
    const rows = new Map(fingerprints.rows);
    for (const { row, target } of this.#placed(fingerprints.rowsPerNamespace)) {
      if (pending.has(target.target) && rows.get(row) === 0) {
        rows.set(row, 1);
      } else if (pending.has(target.target)) {
        rows.delete(row);
      }
    }
    return { ...fingerprints, rows };
  }

  #add(id: string, target: Target, text: string | undefined): void {
    const entry = this.#entryOf(id, target);
    // The id is part of the fingerprint. Otherwise two targets of one row that exchange an object would not change it.
    entry.sum = text === undefined ? entry.sum : plus(entry.sum, toNumber(`${id} ${this.#version} ${text}`, 6));
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

  /** The rows that are not known stay as they were: those of `open`, and those of objects that only a failed list has. */
  #kept(before: Fingerprints, now: Fingerprints['rows'], open: ReadonlySet<number>): Fingerprints {
    const rows = new Map([...before.rows, ...[...now].filter(([row]) => !open.has(row))]);
    return rows.size > mostRows ? this.fingerprints() : { ...before, rows };
  }

  /** Computes hashes, so it is called once for all rows. */
  #placed(rowsPerNamespace: number | undefined): readonly Placed[] {
    return [...this.#entries].map(([id, { target, sum }]) => ({
      target,
      sum,
      row: toRow(id, target, rowsPerNamespace),
    }));
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

/** A target with its row and the sum of its objects. */
interface Placed {
  readonly target: Target;
  readonly row: number;
  readonly sum: number;
}

function toRows(placed: readonly Placed[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  for (const { row, sum } of placed) {
    rows.set(row, plus(rows.get(row) ?? 0, sum));
  }
  return rows;
}

/** The rows with a target for which `isUnknown` returns true. */
function rowsWith(placed: readonly Placed[], isUnknown: IsUnknown | undefined): ReadonlySet<number> {
  const unknown = placed.filter(({ target }) => target.to === 'work' && isUnknown?.(target.target) === true);
  return new Set(unknown.map(({ row }) => row));
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

/** Begins with another character than the ids of other targets. It is the same in every version of the kind. */
function toKindId(reconciler: string, kindName: string): string {
  return JSON.stringify([reconciler, kindName]);
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
