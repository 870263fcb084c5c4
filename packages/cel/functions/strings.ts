// Strings. Indexes count characters, not UTF-16 units.
// https://pkg.go.dev/github.com/google/cel-go/ext#Strings
import type { RuleMeter } from '../budget.ts';
import {
  asBytes,
  asInt,
  asList,
  asMap,
  asText,
  costOf,
  define,
  defineIn,
  type Overload,
  perCharacter,
  type Sizes,
  sizeIs,
} from '../overload.ts';
import { plus, type Range, scaled, times, unbounded, upTo } from '../range.ts';
import { type CelValue, EvaluationProblem, itemsOf, toList } from '../value.ts';
import { formatText } from './format-text.ts';

const isPairAt = (text: string, unit: number): boolean => {
  const code = text.charCodeAt(unit);
  return code >= 0xd800 && code <= 0xdbff && unit + 1 < text.length;
};

/** Returns the number of characters. A surrogate pair is one character. */
function lengthOf(text: string): number {
  let length = 0;
  for (let unit = 0; unit < text.length; unit += isPairAt(text, unit) ? 2 : 1) {
    length += 1;
  }
  return length;
}

/** Returns the UTF-16 index of the character. */
function unitAt(text: string, character: number): number {
  let unit = 0;
  for (let seen = 0; seen < character && unit < text.length; seen += 1) {
    unit += isPairAt(text, unit) ? 2 : 1;
  }
  return unit;
}

function slice(text: string, start: number, end?: number): string {
  return text.slice(unitAt(text, start), end === undefined ? undefined : unitAt(text, end));
}

function position(value: CelValue | undefined, limit: number): number {
  const at = Number(asInt(value));
  if (at < 0 || at > limit) {
    throw new EvaluationProblem(`index out of range: ${at}`);
  }
  return at;
}

/** Returns the character index of a UTF-16 index. */
function characterAt(text: string, unit: number): bigint {
  return BigInt(unit < 0 ? unit : lengthOf(text.slice(0, unit)));
}

function indexOf(text: string, part: string, from: CelValue | undefined): bigint {
  const start = from === undefined ? 0 : position(from, lengthOf(text));
  return characterAt(text, text.indexOf(part, unitAt(text, start)));
}

function lastIndexOf(text: string, part: string, from: CelValue | undefined): bigint {
  const end = from === undefined ? text.length : unitAt(text, position(from, lengthOf(text)));
  return characterAt(text, text.lastIndexOf(part, end));
}

function substring(text: string, from: CelValue | undefined, to: CelValue | undefined): string {
  const length = lengthOf(text);
  const start = position(from, length);
  const end = to === undefined ? length : position(to, length);
  if (start > end) {
    throw new EvaluationProblem(`invalid substring range. start: ${start}, end: ${end}`);
  }
  return slice(text, start, end);
}

/** A negative limit means no limit. */
function count(value: CelValue | undefined): number {
  const wanted = value === undefined ? -1n : asInt(value);
  return wanted < 0n ? Number.POSITIVE_INFINITY : Number(wanted);
}

/** Charges the result before it is created, because the replacement of empty text can create large texts. */
function replace(args: readonly CelValue[], meter: RuleMeter): string {
  const [text, from, to] = [asText(args[0]), asText(args[1]), asText(args[2])];
  const parts = splitText(text, from, Math.min(count(args[3]), text.length + 1) + 1);
  meter.charge(Math.ceil((text.length + (parts.length - 1) * to.length) * perCharacter));
  const ends = from === '' && parts.length > 0 ? emptyEnds(text, count(args[3])) : undefined;
  return ends === undefined ? parts.join(to) : ends.join(to);
}

/** The replacement of empty text inserts text before every character and at the end. */
function emptyEnds(text: string, most: number): readonly string[] {
  const characters = ['', ...text, ''];
  return characters.length - 1 <= most ? characters : [...characters.slice(0, most), characters.slice(most).join('')];
}

/** Returns at most `most` parts. The last part contains the remaining text. */
function splitText(text: string, separator: string, most: number): readonly string[] {
  const parts = separator === '' ? [...text] : text.split(separator);
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function split(args: readonly CelValue[]): CelValue {
  const most = count(args[2]);
  return most === 0 ? toList([]) : toList(splitText(asText(args[0]), asText(args[1]), most));
}

function join(args: readonly CelValue[], meter: RuleMeter): string {
  const texts = itemsOf(asList(args[0])).map(asText);
  const separator = args[1] === undefined ? '' : asText(args[1]);
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  meter.charge(Math.ceil(length * perCharacter));
  return texts.join(separator);
}

const letters = 26;
/** The distance of the code of a small letter from that of its capital. */
const caseDistance = 'a'.charCodeAt(0) - 'A'.charCodeAt(0);
/** The maximum number of codes that become a text in one call. */
const codesPerCall = 4096;
/** The units for each character of a text that is read by its codes, in addition to its cost in API servers. */
const unitsPerCode = 4;

/**
 * Replaces the ASCII letters from `first` on by those at a distance. It reads codes, because a regular expression takes
 * longer for each sequence of letters than its cost pays for.
 */
function withLetters(text: string, [first, distance]: readonly [string, number], meter: RuleMeter): string {
  meter.work(text.length * unitsPerCode);
  const from = first.charCodeAt(0);
  let changed = '';
  for (let start = 0; start < text.length; start += codesPerCall) {
    const codes = new Uint16Array(Math.min(codesPerCall, text.length - start));
    for (let at = 0; at < codes.length; at += 1) {
      const code = text.charCodeAt(start + at);
      codes[at] = code >= from && code < from + letters ? code + distance : code;
    }
    changed += String.fromCharCode(...codes);
  }
  return changed;
}

const space = /[\s\u0085]/;

/** Trims from both ends. A regular expression would scan every inner sequence of spaces repeatedly. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && space.test(text.charAt(start))) {
    start += 1;
  }
  while (end > start && space.test(text.charAt(end - 1))) {
    end -= 1;
  }
  return text.slice(start, end);
}

function quote(text: string): string {
  const escapes: Readonly<Record<string, string>> = {
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  };
  return `"${text.replace(/[\p{Cc}\\"]/gu, char => escapes[char] ?? char)}"`;
}

const reading = { cost: costOf.reading, resultSize: sizeIs.atMostFirst };
const search = { cost: costOf.searching };
const at = (sizes: readonly Range[], index: number): Range => sizes[index] ?? { min: 1, max: 1 };
const replacing = {
  cost: costOf.rewriting,
  resultSize: (sizes: readonly Range[]): Range =>
    plus(at(sizes, 0), times(plus(at(sizes, 0), { min: 1, max: 1 }), at(sizes, 2))),
};
const splitting = { cost: costOf.rewriting, resultSize: sizeIs.atMostFirst };
const joinedSize = (sizes: Sizes): Range => {
  const list = sizes[0] ?? upTo(0);
  const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  return plus(times(list, sizes[0]?.element ?? upTo(0)), times(between, sizes[1] ?? upTo(0)));
};
const joining = { cost: (sizes: Sizes): Range => scaled(joinedSize(sizes), perCharacter), resultSize: joinedSize };

export const strings: readonly Overload[] = [
  ...['size(string): int', 'string.size(): int'].map(text =>
    define(text, args => BigInt(lengthOf(asText(args[0]))), { work: costOf.reading }),
  ),
  ...['size(bytes): int', 'bytes.size(): int'].map(text => define(text, args => BigInt(asBytes(args[0]).length))),
  ...['size(list<T>): int', 'list<T>.size(): int'].map(text => define(text, args => BigInt(asList(args[0]).size))),
  ...['size(map<K, V>): int', 'map<K, V>.size(): int'].map(text => define(text, args => BigInt(asMap(args[0]).size))),
  define('string.contains(string): bool', args => asText(args[0]).includes(asText(args[1])), search),
  define('string.startsWith(string): bool', args => asText(args[0]).startsWith(asText(args[1])), {
    cost: costOf.readingSecond,
  }),
  define('string.endsWith(string): bool', args => asText(args[0]).endsWith(asText(args[1])), {
    cost: costOf.readingSecond,
  }),
  define(
    'string.charAt(int): string',
    args => {
      const text = asText(args[0]);
      const start = position(args[1], lengthOf(text));
      return slice(text, start, start + 1);
    },
    { work: costOf.reading },
  ),
  define('string.indexOf(string): int', args => indexOf(asText(args[0]), asText(args[1]), undefined), search),
  define('string.indexOf(string, int): int', args => indexOf(asText(args[0]), asText(args[1]), args[2]), search),
  define('string.lastIndexOf(string): int', args => lastIndexOf(asText(args[0]), asText(args[1]), undefined), search),
  define(
    'string.lastIndexOf(string, int): int',
    args => lastIndexOf(asText(args[0]), asText(args[1]), args[2]),
    search,
  ),
  define(
    'string.lowerAscii(): string',
    (args, meter) => withLetters(asText(args[0]), ['A', caseDistance], meter),
    reading,
  ),
  define(
    'string.upperAscii(): string',
    (args, meter) => withLetters(asText(args[0]), ['a', -caseDistance], meter),
    reading,
  ),
  define('string.trim(): string', args => trim(asText(args[0])), reading),
  define('string.substring(int): string', args => substring(asText(args[0]), args[1], undefined), reading),
  define('string.substring(int, int): string', args => substring(asText(args[0]), args[1], args[2]), reading),
  define('string.replace(string, string): string', replace, replacing),
  define('string.replace(string, string, int): string', replace, replacing),
  define('string.split(string): list<string>', split, splitting),
  define('string.split(string, int): list<string>', split, splitting),
  define('list<string>.join(): string', join, joining),
  define('list<string>.join(string): string', join, joining),
  defineIn('strings', 'quote(string): string', args => quote(asText(args[0])), {
    cost: costOf.reading,
    resultSize: sizes => plus({ min: 2, max: 2 }, scaled(at(sizes, 0), 2)),
  }),
  define(
    'string.format(list<dyn>): string',
    ([text, values], meter) => formatText(asText(text), itemsOf(asList(values)), meter),
    {
      cost: costOf.reading,
      resultSize: () => ({ min: 0, max: unbounded }),
    },
  ),
];
