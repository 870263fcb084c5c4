// Text functions. https://masterminds.github.io/sprig/strings.html
import { byteLength, sliceBytes, sortedByBytes } from '../bytes.ts';
import { define, defineVariadic, FunctionError, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';
import { parseInteger } from '../number.ts';
import { joinHeld, printed, spendSort } from '../print.ts';
import { goQuote } from '../quote.ts';
import { Dict, int, List, strings, type TemplateValue } from '../value.ts';
import { lower, titled, trimCharacters, trimSpace, upper } from './letters.ts';

/** Returns the result of `toString`. */
function textOf(value: TemplateValue, meter: RenderMeter): string {
  return printed(value, meter);
}

/** Returns the texts of a list's non-null elements. Another value is one text, and null is not a text. */
function textsOf(value: TemplateValue, meter: RenderMeter): readonly string[] {
  if (value === null || value === undefined) {
    return [];
  }
  return value instanceof List
    ? value.items.filter(item => item !== null && item !== undefined).map(item => textOf(item, meter))
    : [textOf(value, meter)];
}

function repeated(count: number, text: string, meter: RenderMeter): string {
  if (count < 0) {
    throw new FunctionError('strings: negative Repeat count');
  }
  meter.text(count * text.length);
  return text.repeat(count);
}

function indented(spaces: number, text: string, meter: RenderMeter): string {
  const pad = repeated(spaces, ' ', meter);
  meter.text(text.length + (pad.length + 1) * (text.split('\n').length - 1));
  return pad + text.replaceAll('\n', `\n${pad}`);
}

function replaced(
  text: string,
  from: string,
  { to, meter }: { readonly to: string; readonly meter: RenderMeter },
): string {
  const parts = partsOf(text, from, meter);
  const ends = from === '' ? 2 : 0;
  meter.text(text.length + (parts.length - 1 + ends) * to.length);
  const joined = parts.join(to);
  return from === '' && text !== '' ? to + joined + to : from === '' ? to : joined;
}

function sorted(texts: readonly string[], meter: RenderMeter): readonly string[] {
  spendSort(texts, meter);
  return sortedByBytes(texts, text => text);
}

/** Splits at a separator. An empty separator splits between characters, which are charged before they exist. */
function partsOf(text: string, separator: string, meter: RenderMeter): readonly string[] {
  if (separator !== '') {
    return text.split(separator);
  }
  meter.spend(text.length);
  return [...text];
}

/** Returns at most `most` parts. The last one contains the remaining text. Returns all parts if `most` is negative. */
function partsUpTo(
  text: string,
  separator: string,
  { most, meter }: { readonly most: number; readonly meter: RenderMeter },
): readonly string[] {
  const parts = partsOf(text, separator, meter);
  if (most < 0 || parts.length <= most) {
    return parts;
  }
  return most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function numbered(parts: readonly string[], meter: RenderMeter): Dict {
  meter.elements(parts.length);
  return new Dict(new Map(parts.map((part, index) => [`_${index}`, part])), 'string');
}

function substring(start: number, end: number, text: string): string {
  const size = byteLength(text);
  const [from, to] = start < 0 ? [0, end] : end < 0 || end > size ? [start, size] : [start, end];
  if (to < 0 || to > size) {
    throw new FunctionError(`runtime error: slice bounds out of range [:${to}]${to < 0 ? '' : ` with length ${size}`}`);
  }
  if (from > to) {
    throw new FunctionError(`runtime error: slice bounds out of range [${from}:${to}]`);
  }
  return sliceBytes(text, from, to);
}

function truncated(count: number, text: string): string {
  const size = byteLength(text);
  if (count < 0) {
    return size + count > 0 ? sliceBytes(text, size + count, size) : text;
  }
  return size > count ? sliceBytes(text, 0, count) : text;
}

function quotedAll(
  values: readonly TemplateValue[],
  quote: (value: TemplateValue) => string,
  meter: RenderMeter,
): string {
  let size = 0;
  const parts = values
    .filter(value => value !== null && value !== undefined)
    .map(value => {
      const part = quote(value);
      size += part.length;
      meter.hold(size);
      return part;
    });
  return joinHeld(parts, ' ', meter);
}

/** A predicate of two texts. The tested text is the last argument. */
const asks = (answer: (about: string, text: string) => boolean) =>
  define(['string', 'string'], ([about, text]) => answer(about, text));

const makes = (make: (text: string) => string) => define(['string'], ([text]) => make(text));

const trimAll = define(['string', 'string'], ([characters, text]) => trimCharacters(text, characters));

export const textFunctions: FunctionTable = {
  hello: define([], () => 'Hello!'),
  trim: makes(trimSpace),
  upper: makes(upper),
  lower: makes(lower),
  title: makes(titled),
  trimAll,
  trimall: trimAll,
  trimPrefix: define(['string', 'string'], ([prefix, text]) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimSuffix: define(['string', 'string'], ([suffix, text]) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  contains: asks((part, text) => text.includes(part)),
  hasPrefix: asks((prefix, text) => text.startsWith(prefix)),
  hasSuffix: asks((suffix, text) => text.endsWith(suffix)),
  repeat: define(['int', 'string'], ([count, text], meter) => repeated(count, text, meter)),
  indent: define(['int', 'string'], ([spaces, text], meter) => indented(spaces, text, meter)),
  nindent: define(['int', 'string'], ([spaces, text], meter) => `\n${indented(spaces, text, meter)}`),
  replace: define(['string', 'string', 'string'], ([from, to, text], meter) => replaced(text, from, { to, meter })),
  substr: define(['int', 'int', 'string'], ([start, end, text]) => substring(start, end, text)),
  trunc: define(['int', 'string'], ([count, text]) => truncated(count, text)),
  quote: defineVariadic([], 'any', (_, values, meter) =>
    quotedAll(values, value => goQuote(textOf(value, meter)), meter),
  ),
  squote: defineVariadic([], 'any', (_, values, meter) =>
    quotedAll(values, value => `'${textOf(value, meter)}'`, meter),
  ),
  cat: defineVariadic([], 'any', (_, values, meter) => quotedAll(values, value => printed(value, meter), meter)),
  plural: define(['string', 'string', 'int'], ([one, many, count]) => (count === 1 ? one : many)),
  split: define(['string', 'string'], ([separator, text], meter) => numbered(partsOf(text, separator, meter), meter)),
  splitn: define(['string', 'int', 'string'], ([separator, most, text], meter) =>
    numbered(partsUpTo(text, separator, { most, meter }), meter),
  ),
  splitList: define(['string', 'string'], ([separator, text], meter) => strings(partsOf(text, separator, meter))),
  join: define(['string', 'any'], ([separator, value], meter) => {
    const texts = textsOf(value, meter);
    meter.text(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
    return texts.join(separator);
  }),
  toString: define(['any'], ([value], meter) => textOf(value, meter)),
  toStrings: define(['any'], ([value], meter) => strings(textsOf(value, meter))),
  sortAlpha: define(['any'], ([value], meter) =>
    strings(value === null ? ['<nil>'] : sorted(textsOf(value, meter), meter)),
  ),
  atoi: define(['string'], ([text]) =>
    /^[+-]?[0-9]+$/.test(text) ? int(clamped(parseInteger(text.replace(/^([+-]?)0+(?=.)/, '$1')) ?? 0n)) : int(0),
  ),
};

function clamped(value: bigint): bigint {
  const most = 2n ** 63n;
  return value >= most ? most - 1n : value < -most ? -most : value;
}
