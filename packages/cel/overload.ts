// A function overload: its parameters, its cost by the sizes of its arguments, and its implementation. The estimated
// cost and the counted cost have the same formula.
import type { RuleMeter } from './budget.ts';
import { one, plus, type Range, scaled, smaller, times } from './range.ts';
import { type CelType, parseType, splitTypes } from './type.ts';
import {
  type CelValue,
  type DurationValue,
  EvaluationProblem,
  isKind,
  type ListValue,
  type MapValue,
  type OptionalValue,
  type TimestampValue,
} from './value.ts';

/** The size of one argument. `element` is the size of its items, for a list of sized items. */
export interface Size extends Range {
  readonly element?: Range;
}

export type Sizes = readonly Size[];
export type Run = (args: readonly CelValue[], meter: RuleMeter) => CelValue;

export interface Costs {
  /** The cost. Default: 1. */
  readonly cost?: (sizes: Sizes) => Range;
  /** The cost at run time, if API servers use another value for the estimate. */
  readonly work?: (sizes: Sizes) => Range;
  /** The size of the result. Default: the size of the result type. */
  readonly resultSize?: (sizes: Sizes) => Range;
  /**
   * The problem of literal arguments. An argument that is not a literal is undefined. `charge` receives the work of the
   * check, in units of a common meter.
   */
  readonly check?: (literals: readonly (CelValue | undefined)[], charge: (units: number) => void) => string | undefined;
}

export interface Overload extends Costs {
  /** An implementation for literal arguments. */
  readonly prepare?: (literals: readonly (CelValue | undefined)[]) => Run | undefined;
  readonly name: string;
  /** Whether the function is called as a method of its first argument. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly run: Run;
}

const signature = /^(?:([\w.]+(?:<.*>)?)\.)?([\w@!?[\]+*/%<>=&|.-]+)\((.*)\): (.+)$/;

/**
 * The signature `receiver.name(parameters): result`. Without a receiver, it is a function or an operator such as `_+_`.
 */
export function define(text: string, run: Run, costs: Costs = {}): Overload {
  const [, receiver, name = '', params = '', result = 'dyn'] = signature.exec(text) ?? [];
  const types = splitTypes(params).map(parseType);
  return {
    ...costs,
    name,
    member: receiver !== undefined,
    params: receiver === undefined ? types : [parseType(receiver), ...types],
    result: parseType(result),
    run,
  };
}

/** Returns the same overloads in a namespace, such as `sets.contains`. */
export function defineIn(namespace: string, text: string, run: Run, costs: Costs = {}): Overload {
  const overload = define(text, run, costs);
  return { ...overload, name: `${namespace}.${overload.name}` };
}

/** Reading or writing ten characters costs one step. */
export const perCharacter = 0.1;
/** Four characters of a regular expression are treated as one instruction. */
const perPatternCharacter = 0.25;

const at = (sizes: Sizes, index: number): Size => sizes[index] ?? one;

/** Common cost formulas. */
export const costOf = {
  /** The cost of reading the text once. */
  reading: (sizes: Sizes): Range => scaled(at(sizes, 0), perCharacter),
  readingSecond: (sizes: Sizes): Range => scaled(at(sizes, 1), perCharacter),
  /** The cost of searching a text in another text. */
  searching: (sizes: Sizes): Range => times(scaled(at(sizes, 0), perCharacter), scaled(at(sizes, 1), perCharacter)),
  /** The cost of matching a regular expression against a text. */
  matching: (sizes: Sizes): Range =>
    times(scaled(plus(at(sizes, 0), one), perCharacter), scaled(at(sizes, 1), perPatternCharacter)),
  comparing: (sizes: Sizes): Range => scaled(smaller(at(sizes, 0), at(sizes, 1)), perCharacter),
  joining: (sizes: Sizes): Range => scaled(plus(at(sizes, 0), at(sizes, 1)), perCharacter),
  /** The cost of reading the text and writing another text. */
  rewriting: (sizes: Sizes): Range => scaled(at(sizes, 0), 2 * perCharacter),
  /** The cost of visiting every element, including its content if it has a size. */
  each: (sizes: Sizes): Range => {
    const list = at(sizes, 0);
    return times(list, list.element === undefined ? one : plus(one, scaled(list.element, perCharacter)));
  },
  eachSecond: (sizes: Sizes): Range => at(sizes, 1),
  /** The cost of comparing every element of one list with every element of the other. */
  pairs: (sizes: Sizes): Range => plus(times(at(sizes, 0), at(sizes, 1)), one),
};

export const sizeIs = {
  first: (sizes: Sizes): Range => at(sizes, 0),
  atMostFirst: (sizes: Sizes): Range => ({ min: 0, max: at(sizes, 0).max }),
  sum: (sizes: Sizes): Range => plus(at(sizes, 0), at(sizes, 1)),
};

function wrong(): EvaluationProblem {
  return new EvaluationProblem('no such overload');
}

// Typed arguments. They throw if a value of a dynamic type has another type.

export function asText(value: CelValue | undefined): string {
  if (typeof value === 'string') {
    return value;
  }
  throw wrong();
}

export function asInt(value: CelValue | undefined): bigint {
  if (typeof value === 'bigint') {
    return value;
  }
  throw wrong();
}

export function asDouble(value: CelValue | undefined): number {
  if (typeof value === 'number') {
    return value;
  }
  throw wrong();
}

export function asBool(value: CelValue | undefined): boolean {
  if (typeof value === 'boolean') {
    return value;
  }
  throw wrong();
}

export function asBytes(value: CelValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) {
    return value;
  }
  throw wrong();
}

export function asList(value: CelValue | undefined): ListValue {
  return asKind(value, 'list');
}

export function asMap(value: CelValue | undefined): MapValue {
  return asKind(value, 'map');
}

export function asDuration(value: CelValue | undefined): DurationValue {
  return asKind(value, 'duration');
}

export function asTimestamp(value: CelValue | undefined): TimestampValue {
  return asKind(value, 'timestamp');
}

export function asOptional(value: CelValue | undefined): OptionalValue {
  return asKind(value, 'optional');
}

type Kinds = Extract<CelValue, { readonly kind: string }>;

export function asKind<K extends Kinds['kind']>(value: CelValue | undefined, kind: K): Extract<Kinds, { kind: K }> {
  if (isKind(value, kind)) {
    return value;
  }
  throw wrong();
}

export function asAny(value: CelValue | undefined): CelValue {
  if (value === undefined) {
    throw wrong();
  }
  return value;
}

const mostInt = 2n ** 63n - 1n;

/** Integers have 64 bits. */
export function toInt(value: bigint): bigint {
  if (value > mostInt || value < -mostInt - 1n) {
    throw new EvaluationProblem('integer overflow');
  }
  return value;
}
