// Lists and sets.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
import type { RuleMeter } from '../budget.ts';
import { compare, isEqual } from '../equality.ts';
import {
  asInt,
  asList,
  costOf,
  define,
  defineIn,
  type Overload,
  type Run,
  type Sizes,
  sizeIs,
  toInt,
} from '../overload.ts';
import { plus, type Range, scaled, upTo } from '../range.ts';
import { type CelValue, EvaluationProblem, isKind, itemsOf, type ListValue, none, some, toList } from '../value.ts';
import { isIn } from './operators.ts';

const duration = 'google.protobuf.Duration';
const timestamp = 'google.protobuf.Timestamp';
const comparable = ['int', 'uint', 'double', 'bool', 'string', 'bytes', duration, timestamp];
const summable = ['int', 'uint', 'double', duration];

function isSorted([list]: readonly CelValue[], meter: RuleMeter): boolean {
  const items = itemsOf(asList(list));
  return items.every((item, index) => index === 0 || (compare(items[index - 1] ?? null, item, meter) ?? 0) <= 0);
}

function add(left: CelValue, right: CelValue): CelValue {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    return toInt(left + right);
  }
  if (typeof left === 'number' && typeof right === 'number') {
    return left + right;
  }
  if (isKind(left, 'uint') && isKind(right, 'uint')) {
    return { kind: 'uint', value: left.value + right.value };
  }
  if (isKind(left, 'duration') && isKind(right, 'duration')) {
    return { kind: 'duration', nanoseconds: toInt(left.nanoseconds + right.nanoseconds) };
  }
  throw new EvaluationProblem('no such overload');
}

const nothing: Readonly<Record<string, CelValue>> = {
  int: 0n,
  double: 0,
  uint: { kind: 'uint', value: 0n },
  [duration]: { kind: 'duration', nanoseconds: 0n },
};

function sum(type: string): ([list]: readonly CelValue[]) => CelValue {
  return ([list]) => {
    const [first, ...others] = itemsOf(asList(list));
    return first === undefined ? (nothing[type] ?? 0n) : others.reduce(add, first);
  };
}

function extreme(name: string, wins: (order: number) => boolean): Run {
  return ([list], meter) => {
    const [first, ...others] = itemsOf(asList(list));
    if (first === undefined) {
      throw new EvaluationProblem(`${name} called on empty list`);
    }
    return others.reduce((best, item) => (wins(compare(item, best, meter) ?? 0) ? item : best), first);
  };
}

function indexIn(args: readonly CelValue[], meter: RuleMeter, which: 'first' | 'last'): bigint {
  const items = itemsOf(asList(args[0]));
  const isWanted = (item: CelValue): boolean => isEqual(item, args[1] ?? null, meter);
  return BigInt(which === 'first' ? items.findIndex(isWanted) : items.findLastIndex(isWanted));
}

function contains(all: ListValue, wanted: ListValue, meter: RuleMeter): boolean {
  return itemsOf(wanted).every(item => isIn(item, all, meter));
}

function slice(args: readonly CelValue[], meter: RuleMeter): CelValue {
  const list = asList(args[0]);
  const [start, end] = [Number(asInt(args[1])), Number(asInt(args[2]))];
  if (start < 0 || end < 0 || start > end || end > list.size) {
    throw new EvaluationProblem(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  }
  meter.charge(Math.floor((end - start) / slicedPerStep));
  return toList(Array.from({ length: end - start }, (_, index) => list.at(start + index) ?? null));
}

/** The copy of a short slice is included in the step of the call. */
const slicedPerStep = 10;

function flattened(list: ListValue, depth: number, meter: RuleMeter): readonly CelValue[] {
  return itemsOf(list).flatMap(item => {
    meter.charge(1);
    return isKind(item, 'list') && depth > 0 ? flattened(item, depth - 1, meter) : [item];
  });
}

const deepest = 100n;

function flatten(args: readonly CelValue[], meter: RuleMeter): CelValue {
  const depth = args[1] === undefined ? 1n : asInt(args[1]);
  if (depth < 0n) {
    throw new EvaluationProblem('level must be non-negative');
  }
  return toList(flattened(asList(args[0]), Number(depth > deepest ? deepest : depth), meter));
}

/** Removes duplicates and keeps the order of first occurrence. */
function distinct(args: readonly CelValue[], meter: RuleMeter): CelValue {
  const kept: CelValue[] = [];
  for (const item of itemsOf(asList(args[0]))) {
    meter.charge(kept.length);
    if (!kept.some(each => isEqual(each, item, meter))) {
      kept.push(item);
    }
  }
  return toList(kept);
}

function sort(args: readonly CelValue[], meter: RuleMeter): CelValue {
  return toList(itemsOf(asList(args[0])).toSorted((left, right) => compare(left, right, meter) ?? 0));
}

function range(args: readonly CelValue[], meter: RuleMeter): CelValue {
  const size = asInt(args[0]);
  const length = Math.max(0, Number(size));
  meter.charge(length);
  return toList(Array.from({ length }, (_, index) => BigInt(index)));
}

const each = { cost: costOf.each };
const sameSize = { cost: costOf.each, resultSize: sizeIs.atMostFirst };
const sliced = { resultSize: sizeIs.atMostFirst };
const pairs = { cost: costOf.pairs };
/** Sorting compares each item with several other items. The detection of duplicates has a separate charge. */
const squared = {
  work: (sizes: Sizes): Range => scaled(sizes[0] ?? upTo(1), 10),
  cost: (sizes: readonly Range[]): Range => scaled(costOf.pairs([sizes[0] ?? upTo(1), sizes[0] ?? upTo(1)]), 2),
  resultSize: sizeIs.atMostFirst,
};

export const lists: readonly Overload[] = [
  ...comparable.flatMap(type => [
    define(`list<${type}>.isSorted(): bool`, isSorted, each),
    define(
      `list<${type}>.min(): ${type}`,
      extreme('min', order => order < 0),
      each,
    ),
    define(
      `list<${type}>.max(): ${type}`,
      extreme('max', order => order > 0),
      each,
    ),
    define(`list<${type}>.sort(): list<${type}>`, sort, squared),
  ]),
  ...summable.map(type => define(`list<${type}>.sum(): ${type}`, sum(type), each)),
  define('list<T>.indexOf(T): int', (args, meter) => indexIn(args, meter, 'first'), each),
  define('list<T>.lastIndexOf(T): int', (args, meter) => indexIn(args, meter, 'last'), each),
  define('list<T>.slice(int, int): list<T>', slice, sliced),
  define('list<T>.reverse(): list<T>', args => toList(itemsOf(asList(args[0])).toReversed()), sameSize),
  define('list<T>.distinct(): list<T>', distinct, squared),
  define('list<list<T>>.flatten(): list<T>', flatten, each),
  define('list<dyn>.flatten(int): list<dyn>', flatten, each),
  define('list<T>.first(): optional<T>', ([list]) => optionalAt(asList(list), 0)),
  define('list<T>.last(): optional<T>', ([list]) => optionalAt(asList(list), asList(list).size - 1)),
  defineIn('lists', 'range(int): list<int>', range),
];

function optionalAt(list: ListValue, index: number): CelValue {
  const item = list.at(index);
  return item === undefined ? none : some(item);
}

export const sets: readonly Overload[] = [
  defineIn(
    'sets',
    'contains(list<T>, list<T>): bool',
    ([all, some_], meter) => contains(asList(all), asList(some_), meter),
    pairs,
  ),
  defineIn(
    'sets',
    'equivalent(list<T>, list<T>): bool',
    ([left, right], meter) =>
      contains(asList(left), asList(right), meter) && contains(asList(right), asList(left), meter),
    { cost: sizes => plus(costOf.pairs(sizes), costOf.pairs(sizes)) },
  ),
  defineIn(
    'sets',
    'intersects(list<T>, list<T>): bool',
    ([left, right], meter) => itemsOf(asList(left)).some(item => isIn(item, asList(right), meter)),
    pairs,
  ),
];
