// Maps. https://masterminds.github.io/sprig/dicts.html. Keys are sorted if Go's order is random.
import { define, defineVariadic, FunctionError, type FunctionTable } from '../call.ts';
import { deepCopy, deepEqual } from '../deep.ts';
import type { RenderMeter } from '../limits.ts';
import { printed, sortedEntries } from '../print.ts';
import { anyType, Dict, isTrue, List, strings, type TemplateValue, typeOf } from '../value.ts';

function changeable(dict: Dict): Dict {
  if (dict.isNil) {
    throw new FunctionError('assignment to entry in nil map');
  }
  return dict;
}

function made(values: readonly TemplateValue[], meter: RenderMeter): Dict {
  const entries = new Map<string, TemplateValue>();
  for (let at = 0; at < values.length; at += 2) {
    entries.set(printed(values[at], meter), at + 1 < values.length ? (values[at + 1] ?? null) : '');
  }
  return new Dict(entries);
}

function dug(params: readonly TemplateValue[]): TemplateValue {
  if (params.length < 3) {
    throw new FunctionError('dig needs at least three arguments');
  }
  const otherwise = params.at(-2) ?? null;
  let value: TemplateValue = params.at(-1);
  for (const key of params.slice(0, -2)) {
    const dict = asDict(value);
    if (typeof key !== 'string') {
      throw notA(key, 'string');
    }
    if (!dict.entries.has(key)) {
      return otherwise;
    }
    value = dict.entries.get(key);
  }
  return value;
}

function notA(value: TemplateValue, wanted: string): FunctionError {
  const type = value === null || value === undefined ? 'nil' : typeOf(value);
  return new FunctionError(`interface conversion: interface {} is ${type}, not ${wanted}`);
}

function asDict(value: TemplateValue): Dict {
  if (value instanceof Dict && value.element === anyType) {
    return value;
  }
  throw notA(value, `map[string]${anyType}`);
}

interface Merging {
  readonly overwrites: boolean;
  readonly meter: RenderMeter;
}

/** Adds members that the first map does not have. Maps on both sides are merged. */
function mergeInto(into: Dict, from: Dict, how: Merging, depth = 0): void {
  how.meter.visit(depth);
  for (const [key, value] of from.entries) {
    how.meter.spend(1);
    const known = into.entries.get(key);
    if (known instanceof Dict && value instanceof Dict && known.element === value.element) {
      mergeInto(known, value, how, depth + 1);
    } else if (how.overwrites || (!isTrue(known) && value !== null)) {
      into.entries.set(key, value);
    }
  }
}

const merges = (overwrites: boolean) =>
  defineVariadic(['dict'], 'dict', ([into], sources, meter) => {
    const merged = into.isNil ? new Dict(new Map()) : into;
    for (const source of sources) {
      mergeInto(merged, source, { overwrites, meter });
    }
    return merged;
  });

/** The number of keys that are compared in one step. */
const keysPerStep = 16;

const only = (keep: (key: string, keys: readonly string[]) => boolean) =>
  defineVariadic(['dict'], 'string', ([dict], keys, meter) => {
    meter.spend((dict.entries.size * keys.length) / keysPerStep);
    return new Dict(new Map([...dict.entries].filter(([key]) => keep(key, keys))));
  });

const merge = merges(false);
const mergeOverwrite = merges(true);
const copy = define(['any'], ([value], meter) => {
  if (value === null) {
    throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
  }
  return deepCopy(value, meter);
});

export const dictFunctions: FunctionTable = {
  dict: defineVariadic([], 'any', (_, values, meter) => made(values, meter)),
  get: define(['dict', 'string'], ([dict, key]) => (dict.entries.has(key) ? dict.entries.get(key) : '')),
  set: define(['dict', 'string', 'any'], ([dict, key, value]) => {
    changeable(dict).entries.set(key, value);
    return dict;
  }),
  unset: define(['dict', 'string'], ([dict, key]) => {
    dict.entries.delete(key);
    return dict;
  }),
  hasKey: define(['dict', 'string'], ([dict, key]) => dict.entries.has(key)),
  pluck: defineVariadic(
    ['string'],
    'dict',
    ([key], dicts) => new List(dicts.filter(({ entries }) => entries.has(key)).map(({ entries }) => entries.get(key))),
  ),
  keys: defineVariadic([], 'dict', (_, dicts, meter) =>
    strings(dicts.flatMap(dict => sortedEntries(dict, meter).map(([key]) => key))),
  ),
  values: define(['dict'], ([dict], meter) => new List(sortedEntries(dict, meter).map(([, value]) => value))),
  pick: only((key, keys) => keys.includes(key)),
  omit: only((key, keys) => !keys.includes(key)),
  dig: defineVariadic([], 'any', (_, params) => dug(params)),
  merge,
  mustMerge: merge,
  mergeOverwrite,
  mustMergeOverwrite: mergeOverwrite,
  deepCopy: copy,
  mustDeepCopy: copy,
  deepEqual: define(['any', 'any'], ([a, b], meter) => deepEqual(a, b, meter)),
};
