// The predefined functions of Go's templates. https://pkg.go.dev/text/template#hdr-Functions
import { byteAt, byteLength, sliceBytes } from './bytes.ts';
import { define, defineVariadic, FunctionError, type FunctionTable } from './call.ts';
import { equals, equalsAny, order } from './compare.ts';
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { sprintf } from './format.ts';
import type { RenderMeter } from './limits.ts';
import { printed, printedAll, printedLine } from './print.ts';
import { Dict, Int, int, isTrue, List, type TemplateValue, typeOf } from './value.ts';

function lengthOf(value: TemplateValue): TemplateValue {
  if (typeof value === 'string') {
    return int(byteLength(value));
  }
  if (value instanceof List) {
    return int(value.items.length);
  }
  if (value instanceof Dict) {
    return int(value.entries.size);
  }
  throw new FunctionError(
    value === undefined || value === null ? 'len of nil pointer' : `len of type ${typeOf(value)}`,
  );
}

/** Converts an index value to a position in a list. The position is at most `most`. */
function toPosition(index: TemplateValue, most: number): number {
  if (index === undefined || index === null) {
    throw new FunctionError('cannot index slice/array with nil');
  }
  if (!(index instanceof Int)) {
    throw new FunctionError(`cannot index slice/array with type ${typeOf(index)}`);
  }
  if (index.value < 0n || index.value > BigInt(most)) {
    throw new FunctionError(`index out of range: ${index.value}`);
  }
  return Number(index.value);
}

function elementAt(value: TemplateValue, index: TemplateValue): TemplateValue {
  if (value === undefined || value === null) {
    throw new FunctionError('index of untyped nil');
  }
  if (value instanceof List) {
    return value.items[toPosition(index, value.items.length - 1)] ?? null;
  }
  if (typeof value === 'string') {
    return new Int('uint8', BigInt(byteAt(value, toPosition(index, byteLength(value) - 1))));
  }
  if (!(value instanceof Dict)) {
    throw new FunctionError(`can't index item of type ${typeOf(value)}`);
  }
  if (typeof index !== 'string') {
    const missing = index === undefined || index === null;
    throw new FunctionError(
      missing ? 'value is nil; should be of type string' : `value has type ${typeOf(index)}; should be string`,
    );
  }
  return value.entries.get(index) ?? (value.element === 'string' ? '' : null);
}

function sliceOf(value: TemplateValue, indexes: readonly TemplateValue[]): TemplateValue {
  if (value === undefined || value === null) {
    throw new FunctionError('slice of untyped nil');
  }
  if (indexes.length > 3) {
    throw new FunctionError(`too many slice indexes: ${indexes.length}`);
  }
  if (typeof value === 'string' && indexes.length === 3) {
    throw new FunctionError('cannot 3-index slice a string');
  }
  if (!(typeof value === 'string' || value instanceof List)) {
    throw new FunctionError(`can't slice item of type ${typeOf(value)}`);
  }
  const size = typeof value === 'string' ? byteLength(value) : value.items.length;
  const [from, to, most] = [0, size, size].map((otherwise, at) =>
    at < indexes.length ? toPosition(indexes[at], size) : otherwise,
  );
  if ((from ?? 0) > (to ?? 0)) {
    throw new FunctionError(`invalid slice index: ${from} > ${to}`);
  }
  if ((to ?? 0) > (most ?? 0)) {
    throw new FunctionError(`invalid slice index: ${to} > ${most}`);
  }
  return typeof value === 'string'
    ? sliceBytes(value, from ?? 0, to ?? 0)
    : new List(value.items.slice(from, to), value.element);
}

function notCallable(value: TemplateValue, meter: RenderMeter): never {
  if (value === undefined || value === null) {
    throw new FunctionError('call of nil');
  }
  throw new FunctionError(`non-function ${printed(value, meter)} of type ${typeOf(value)}`);
}

const text = (make: (text: string) => string) =>
  defineVariadic([], 'any', (_, values, meter) => {
    const made = make(
      printedAll(
        values.map(value => value ?? '<no value>'),
        meter,
      ),
    );
    meter.text(made.length);
    return made;
  });

/** Declares the parameters of `and` and `or`. The renderer evaluates them lazily. */
const lazy = defineVariadic(['value'], 'value', ([first]) => first);

export const builtins: FunctionTable = {
  and: lazy,
  or: lazy,
  not: define(['value'], ([value]) => !isTrue(value)),
  call: defineVariadic(['value'], 'value', ([value], _, meter) => notCallable(value, meter)),
  eq: defineVariadic(['value'], 'value', ([first], others, meter) => equalsAny(first, others, meter)),
  ne: define(['value', 'value'], ([a, b], meter) => !equals(a, b, meter)),
  lt: define(['value', 'value'], ([a, b]) => order(a, b) < 0),
  le: define(['value', 'value'], ([a, b]) => order(a, b) <= 0),
  gt: define(['value', 'value'], ([a, b]) => order(a, b) > 0),
  ge: define(['value', 'value'], ([a, b]) => order(a, b) >= 0),
  index: defineVariadic(['value'], 'value', ([value], indexes) => indexes.reduce(elementAt, value)),
  slice: defineVariadic(['value'], 'value', ([value], indexes) => sliceOf(value, indexes)),
  len: define(['value'], ([value]) => lengthOf(value)),
  print: defineVariadic([], 'any', (_, values, meter) => printedAll(values, meter)),
  println: defineVariadic([], 'any', (_, values, meter) => printedLine(values, meter)),
  printf: defineVariadic(['string'], 'any', ([format], values, meter) => sprintf(format, values, meter)),
  html: text(escapeHtml),
  js: text(escapeJs),
  urlquery: text(escapeQuery),
};
