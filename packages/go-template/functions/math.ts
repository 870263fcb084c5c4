// Arithmetic. https://masterminds.github.io/sprig/math.html
import { define, defineVariadic, FunctionError, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';
import { printed } from '../print.ts';
import { int, int64, List, type TemplateValue } from '../value.ts';
import { dividedBy, minus, plus, times, toDecimal, toNumber } from './decimal.ts';
import { toFloat64, toInt64 } from './numbers.ts';

const folds = (fold: (a: bigint, b: bigint) => bigint) =>
  defineVariadic(['any'], 'any', ([first], more) =>
    int64(more.reduce<bigint>((sum, value) => BigInt.asIntN(64, fold(sum, toInt64(value))), toInt64(first))),
  );

const foldsFloats = (fold: (a: number, b: number) => number) =>
  defineVariadic(['any'], 'any', ([first], more) =>
    more.reduce<number>((sum, value) => fold(sum, toFloat64(value)), toFloat64(first)),
  );

const foldsDecimals = (fold: typeof plus) =>
  defineVariadic(['any'], 'any', ([first], more, meter) => decimals(first, more, { fold, meter }));

function decimals(
  first: TemplateValue,
  more: readonly TemplateValue[],
  { fold, meter }: { readonly fold: typeof plus; readonly meter: RenderMeter },
): number {
  return toNumber(
    more.reduce((sum, value) => fold(sum, toDecimal(toFloat64(value)), meter), toDecimal(toFloat64(first))),
  );
}

const pair = (operate: (a: bigint, b: bigint) => bigint) =>
  define(['any', 'any'], ([a, b]) => int64(operate(toInt64(a), toInt64(b))));

function divisible(divisor: bigint): bigint {
  if (divisor === 0n) {
    throw new FunctionError('runtime error: integer divide by zero');
  }
  return divisor;
}

/** Counts from start, up or down to stop, exclusive. */
function steps(
  start: number,
  stop: number,
  { step, meter }: { readonly step: number; readonly meter: RenderMeter },
): List {
  const goesOn = (at: number): boolean => (stop < start ? at > stop : at < stop);
  if (stop < start ? step >= 0 : step <= 0) {
    return new List([], 'int');
  }
  meter.elements(Math.ceil((stop - start) / step));
  const items: TemplateValue[] = [];
  for (let at = start; goesOn(at); at += step) {
    items.push(int(at));
  }
  return new List(items, 'int');
}

function sequence(params: readonly number[], meter: RenderMeter): string {
  const [first = 0, second = 0, third = 0] = params;
  if (params.length === 0 || params.length > 3) {
    return '';
  }
  const [start, end] = params.length === 1 ? [1, first] : params.length === 2 ? [first, second] : [first, third];
  const beyond = end < start ? -1 : 1;
  const step = params.length === 3 ? second : beyond;
  if (end < start && step > 0) {
    return '';
  }
  return steps(start, end + beyond, { step, meter })
    .items.map(item => printed(item, meter))
    .join(' ');
}

function rounded(value: number, places: number, from: number): number {
  const power = 10 ** places;
  const digit = power * value;
  const fraction = digit - Math.trunc(digit);
  return (fraction >= from ? Math.ceil(digit) : Math.floor(digit)) / power;
}

const largest = folds((a, b) => (b > a ? b : a));

export const mathFunctions: FunctionTable = {
  add: defineVariadic([], 'any', (_, values) => int64(values.reduce<bigint>((sum, value) => sum + toInt64(value), 0n))),
  add1: define(['any'], ([value]) => int64(toInt64(value) + 1n)),
  sub: pair((a, b) => a - b),
  div: pair((a, b) => a / divisible(b)),
  mod: pair((a, b) => a % divisible(b)),
  mul: folds((a, b) => a * b),
  max: largest,
  biggest: largest,
  min: folds((a, b) => (b < a ? b : a)),
  maxf: foldsFloats(Math.max),
  minf: foldsFloats(Math.min),
  add1f: define(['any'], ([value], meter) => decimals(value, [1], { fold: plus, meter })),
  addf: defineVariadic([], 'any', (_, values, meter) => decimals(0, values, { fold: plus, meter })),
  subf: foldsDecimals(minus),
  mulf: foldsDecimals(times),
  divf: foldsDecimals(dividedBy),
  ceil: define(['any'], ([value]) => Math.ceil(toFloat64(value))),
  floor: define(['any'], ([value]) => Math.floor(toFloat64(value))),
  round: defineVariadic(['any', 'int'], 'float64', ([value, places], [from]) =>
    rounded(toFloat64(value), places, from ?? 0.5),
  ),
  until: define(['int'], ([count], meter) => steps(0, count, { step: count < 0 ? -1 : 1, meter })),
  untilStep: define(['int', 'int', 'int'], ([start, stop, step], meter) => steps(start, stop, { step, meter })),
  seq: defineVariadic([], 'int', (_, params, meter) => sequence(params, meter)),
  int: define(['any'], ([value]) => int(toInt64(value))),
  int64: define(['any'], ([value]) => int64(toInt64(value))),
  float64: define(['any'], ([value]) => toFloat64(value)),
  toDecimal: define(['any'], ([value], meter) => {
    const text = printed(value, meter);
    const octal = /^([+-]?)([0-7]+)$/.exec(text);
    const magnitude = octal === null ? 0n : BigInt(`0o${octal[2]}`);
    return int64(magnitude >= 2n ** 63n ? 0n : octal?.[1] === '-' ? -magnitude : magnitude);
  }),
};
