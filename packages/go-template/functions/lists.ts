// Lists. https://masterminds.github.io/sprig/lists.html
import { define, defineVariadic, FunctionError, type FunctionTable, type TemplateFunction } from '../call.ts';
import { deepEqual } from '../deep.ts';
import type { RenderMeter } from '../limits.ts';
import { isTrue, kindOf, List, listOrNil, type TemplateValue } from '../value.ts';
import { toInt64 } from './numbers.ts';

function itemsOf(value: TemplateValue, refusal: string): readonly TemplateValue[] {
  if (value instanceof List) {
    return value.items;
  }
  if (value === null || value === undefined) {
    throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
  }
  throw new FunctionError(refusal.replace('%s', kindOf(value)));
}

const without = (
  items: readonly TemplateValue[],
  unwanted: readonly TemplateValue[],
  meter: RenderMeter,
): readonly TemplateValue[] => items.filter(item => !unwanted.some(each => deepEqual(each, item, meter)));

function unique(items: readonly TemplateValue[], meter: RenderMeter): readonly TemplateValue[] {
  const seen: TemplateValue[] = [];
  for (const item of items) {
    if (!seen.some(each => deepEqual(each, item, meter))) {
      seen.push(item);
    }
  }
  return seen;
}

function chunked(size: number, value: TemplateValue, meter: RenderMeter): List {
  const items = itemsOf(value, 'Cannot chunk type %s');
  const count = Math.floor((items.length - 1) / size) + 1;
  if (size === 0 || (size < 0 && count !== 0)) {
    throw new FunctionError('runtime error: makeslice: len out of range');
  }
  meter.elements(count);
  const chunks = Array.from({ length: count }, (_, at) => {
    const chunk = new List(items.slice(at * size, (at + 1) * size));
    meter.created(chunk);
    return chunk;
  });
  return new List(chunks, '[]interface {}');
}

function sliced(value: TemplateValue, indexes: readonly TemplateValue[]): TemplateValue {
  const items = itemsOf(value, 'list should be type of slice or array but %s');
  if (items.length === 0) {
    return null;
  }
  const bounds = indexes.map(index => Number(toInt64(index)));
  const from = bounds[0] ?? 0;
  const to = bounds[1] ?? items.length;
  if (from < 0 || to > items.length || from > to) {
    throw new FunctionError('reflect.Value.Slice: slice index out of bounds');
  }
  return new List(items.slice(from, to), value instanceof List ? value.element : undefined);
}

const ofList = (
  refusal: string,
  make: (items: readonly TemplateValue[], meter: RenderMeter) => TemplateValue,
): TemplateFunction => define(['any'], ([value], meter) => make(itemsOf(value, refusal), meter));

const list = defineVariadic([], 'any', (_, items) => new List(items));

const append = define(['any', 'any'], ([value, item]) => new List([...itemsOf(value, 'Cannot push on type %s'), item]));
const prepend = define(
  ['any', 'any'],
  ([value, item]) => new List([item, ...itemsOf(value, 'Cannot prepend on type %s')]),
);
const first = ofList('Cannot find first on type %s', items => items[0] ?? null);
const last = ofList('Cannot find last on type %s', items => items.at(-1) ?? null);
const rest = ofList('Cannot find rest on type %s', items => new List(items.slice(1), undefined, items.length === 0));
const initial = ofList(
  'Cannot find initial on type %s',
  items => new List(items.slice(0, -1), undefined, items.length === 0),
);
const reverse = ofList('Cannot find reverse on type %s', items => new List(items.toReversed()));
const compact = ofList('Cannot compact on type %s', items => new List(items.filter(isTrue)));
const uniq = ofList('Cannot find uniq on type %s', (items, meter) => new List(unique(items, meter)));
const except = defineVariadic(
  ['any'],
  'any',
  ([value], unwanted, meter) => new List(without(itemsOf(value, 'Cannot find without on type %s'), unwanted, meter)),
);
const has = define(
  ['any', 'any'],
  ([item, value], meter) =>
    value !== null && itemsOf(value, 'Cannot find has on type %s').some(each => deepEqual(each, item, meter)),
);
const slice = defineVariadic(['any'], 'any', ([value], indexes) => sliced(value, indexes));
const chunk = define(['int', 'any'], ([size, value], meter) => chunked(size, value, meter));

export const listFunctions: FunctionTable = {
  list,
  tuple: list,
  append,
  push: append,
  mustAppend: append,
  mustPush: append,
  prepend,
  mustPrepend: prepend,
  first,
  mustFirst: first,
  last,
  mustLast: last,
  rest,
  mustRest: rest,
  initial,
  mustInitial: initial,
  reverse,
  mustReverse: reverse,
  compact,
  mustCompact: compact,
  uniq,
  mustUniq: uniq,
  without: except,
  mustWithout: except,
  has,
  mustHas: has,
  slice,
  mustSlice: slice,
  chunk,
  mustChunk: chunk,
  concat: defineVariadic([], 'any', (_, lists) =>
    listOrNil(lists.flatMap(each => itemsOf(each, 'Cannot concat type %s as list'))),
  ),
};
