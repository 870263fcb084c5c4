// Arithmetic, comparison, membership.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions
import type { RuleMeter } from '../budget.ts';
import { compare, identityIn, isEqual } from '../equality.ts';
import {
  asAny,
  asBool,
  asBytes,
  asDouble,
  asDuration,
  asInt,
  asKind,
  asList,
  asMap,
  asText,
  asTimestamp,
  costOf,
  define,
  type Overload,
  sizeIs,
  toInt,
} from '../overload.ts';
import { type CelValue, EvaluationProblem, itemsOf, type ListValue, toList } from '../value.ts';

type Binary = (left: CelValue | undefined, right: CelValue | undefined) => CelValue;

function binary(name: string, types: readonly [left: string, right: string, result: string], run: Binary): Overload {
  return define(`${name}(${types[0]}, ${types[1]}): ${types[2]}`, ([left, right]) => run(left, right));
}

const duration = 'google.protobuf.Duration';
const timestamp = 'google.protobuf.Timestamp';

function notZero(value: bigint, what: string): bigint {
  if (value === 0n) {
    throw new EvaluationProblem(what);
  }
  return value;
}

function toUint(value: bigint): CelValue {
  if (value < 0n || value >= 2n ** 64n) {
    throw new EvaluationProblem('unsigned integer overflow');
  }
  return { kind: 'uint', value };
}

const unsigned = (value: CelValue | undefined): bigint => asKind(value, 'uint').value;

const wholeNumbers: readonly [string, (left: bigint, right: bigint) => bigint][] = [
  ['_+_', (left, right) => left + right],
  ['_-_', (left, right) => left - right],
  ['_*_', (left, right) => left * right],
  ['_/_', (left, right) => left / notZero(right, 'division by zero')],
  ['_%_', (left, right) => left % notZero(right, 'modulus by zero')],
];

const fractions: readonly [string, (left: number, right: number) => number][] = [
  ['_+_', (left, right) => left + right],
  ['_-_', (left, right) => left - right],
  ['_*_', (left, right) => left * right],
  ['_/_', (left, right) => left / right],
];

const arithmetic: readonly Overload[] = [
  ...wholeNumbers.flatMap(([name, run]) => [
    binary(name, ['int', 'int', 'int'], (left, right) => toInt(run(asInt(left), asInt(right)))),
    binary(name, ['uint', 'uint', 'uint'], (left, right) => toUint(run(unsigned(left), unsigned(right)))),
  ]),
  ...fractions.map(([name, run]) =>
    binary(name, ['double', 'double', 'double'], (left, right) => run(asDouble(left), asDouble(right))),
  ),
  define('-_(int): int', ([value]) => toInt(-asInt(value))),
  define('-_(double): double', ([value]) => -asDouble(value)),
  define('!_(bool): bool', ([value]) => !asBool(value)),
];

function span(nanoseconds: bigint): CelValue {
  return { kind: 'duration', nanoseconds: toInt(nanoseconds) };
}

/** The valid years are 1 to 9999. */
const firstMoment = -62_135_596_800_000_000_000n;
const lastMoment = 253_402_300_799_999_999_999n;

/** Throws EvaluationProblem outside these years. */
export function toMoment(nanoseconds: bigint): CelValue {
  if (nanoseconds < firstMoment || nanoseconds > lastMoment) {
    throw new EvaluationProblem('timestamp overflow');
  }
  return { kind: 'timestamp', nanoseconds };
}

const times: readonly Overload[] = [
  binary('_+_', [duration, duration, duration], (left, right) =>
    span(asDuration(left).nanoseconds + asDuration(right).nanoseconds),
  ),
  binary('_-_', [duration, duration, duration], (left, right) =>
    span(asDuration(left).nanoseconds - asDuration(right).nanoseconds),
  ),
  binary('_+_', [timestamp, duration, timestamp], (left, right) =>
    toMoment(asTimestamp(left).nanoseconds + asDuration(right).nanoseconds),
  ),
  binary('_+_', [duration, timestamp, timestamp], (left, right) =>
    toMoment(asDuration(left).nanoseconds + asTimestamp(right).nanoseconds),
  ),
  binary('_-_', [timestamp, duration, timestamp], (left, right) =>
    toMoment(asTimestamp(left).nanoseconds - asDuration(right).nanoseconds),
  ),
  binary('_-_', [timestamp, timestamp, duration], (left, right) =>
    span(asTimestamp(left).nanoseconds - asTimestamp(right).nanoseconds),
  ),
];

const joins: readonly Overload[] = [
  define('_+_(string, string): string', ([left, right]) => asText(left) + asText(right), {
    cost: costOf.joining,
    resultSize: sizeIs.sum,
  }),
  define('_+_(bytes, bytes): bytes', ([left, right]) => joinBytes(asBytes(left), asBytes(right)), {
    cost: costOf.joining,
    resultSize: sizeIs.sum,
  }),
  define('_+_(list<T>, list<T>): list<T>', ([left, right], meter) => joinLists(asList(left), asList(right), meter), {
    resultSize: sizeIs.sum,
  }),
];

function joinBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

/** Sets and keyed lists have no duplicates. A right item replaces an equal left item, or is appended. */
function joinLists(left: ListValue, right: ListValue, meter: RuleMeter): CelValue {
  meter.charge(left.size + right.size);
  if (left.identity.kind === 'atomic') {
    return toList([...itemsOf(left), ...itemsOf(right)]);
  }
  const merged = new Map<string, CelValue>();
  for (const item of [...itemsOf(left), ...itemsOf(right)]) {
    merged.set(identityIn(left, item, meter), item);
  }
  return { ...toList([...merged.values()]), identity: left.identity };
}

const comparable = ['bool', 'string', 'bytes', duration, timestamp];
const numbers = ['int', 'uint', 'double'];
const comparedTypes: readonly (readonly [string, string])[] = [
  ...comparable.map(type => [type, type] as const),
  ...numbers.flatMap(left => numbers.map(right => [left, right] as const)),
];
const orders: readonly [string, (order: number) => boolean][] = [
  ['_<_', order => order < 0],
  ['_<=_', order => order <= 0],
  ['_>_', order => order > 0],
  ['_>=_', order => order >= 0],
];

const comparisons: readonly Overload[] = [
  define('_==_(A, A): bool', ([left, right], meter) => isEqual(asAny(left), asAny(right), meter), {
    cost: costOf.comparing,
  }),
  define('_!=_(A, A): bool', ([left, right], meter) => !isEqual(asAny(left), asAny(right), meter), {
    cost: costOf.comparing,
  }),
  ...orders.flatMap(([name, holds]) =>
    comparedTypes.map(([left, right]) =>
      define(
        `${name}(${left}, ${right}): bool`,
        ([one, other], meter) => inOrder(compare(asAny(one), asAny(other), meter), holds),
        {
          cost: costOf.comparing,
        },
      ),
    ),
  ),
];

function inOrder(order: number | undefined, holds: (order: number) => boolean): boolean {
  return order !== undefined && holds(order);
}

const membership: readonly Overload[] = [
  define('@in(A, list<A>): bool', ([item, list], meter) => isIn(asAny(item), asList(list), meter), {
    cost: costOf.eachSecond,
  }),
  define('@in(A, map<A, B>): bool', ([key, map]) => asMap(map).get(asAny(key)) !== undefined),
];

/** Returns true if the list contains an equal item. */
export function isIn(item: CelValue, list: ListValue, meter: RuleMeter): boolean {
  return itemsOf(list).some(each => isEqual(item, each, meter));
}

export const operators: readonly Overload[] = [...arithmetic, ...times, ...joins, ...comparisons, ...membership];
