// Words of texts: case, initials, wrapping. https://masterminds.github.io/sprig/strings.html
import { fromBytes, toBytes } from '../bytes.ts';
import { define, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';
import { mapBytes, mapCharacters, TextBuilder } from '../text-builder.ts';
import { isLower, isSpace, isUpper, lower, lowerOf, upperOf } from './letters.ts';

const connector = '[\\-_\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const chinese = '\\u3400-\\u4d85\\u4e00-\\u9fcc\\u{20000}-\\u{2b81d}';

/** The kinds of words, in matching order. */
const kinds = [
  { kind: 'connector', pattern: new RegExp(`${connector}+`, 'vy') },
  { kind: 'punctuation', pattern: /\p{P}+/uy },
  { kind: 'upper', pattern: new RegExp(`\\p{Lu}+(?![[\\p{L}]--[\\p{Lu}${chinese}]])`, 'vy') },
  { kind: 'upper', pattern: new RegExp(`\\p{Lu}[[\\p{L}]--[\\p{Lu}${chinese}]]+`, 'vy') },
  { kind: 'lower', pattern: new RegExp(`[[\\p{L}]--[\\p{Lu}${chinese}]]+`, 'vy') },
  { kind: 'number', pattern: /\p{N}+/uy },
  {
    kind: 'other',
    pattern: new RegExp(`(?:[[^\\p{L}\\p{N}\\p{P}]--${connector}]|[${chinese}])+`, 'vy'),
  },
] as const;

interface Word {
  readonly kind: (typeof kinds)[number]['kind'];
  readonly text: string;
}

function wordAt(text: string, at: number): Word {
  for (const { kind, pattern } of kinds) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) {
      return { kind, text: match[0] };
    }
  }
  return { kind: 'other', text: String.fromCodePoint(text.codePointAt(at) ?? 0) };
}

/**
 * Converts words to lower case and joins them with a connector. A number belongs to the lower-case letters after it.
 * Otherwise it belongs to the word before.
 */
function connected(text: string, joint: string): string {
  const made = new TextBuilder();
  let at = 0;
  const next = (): Word | undefined => (at < text.length ? wordAt(text, at) : undefined);
  let before: Word['kind'] | undefined;
  for (let word = next(); word !== undefined; word = next()) {
    at += word.text.length;
    const follows = before !== undefined && before !== 'connector' && before !== 'punctuation';
    if (word.kind === 'connector') {
      made.add(joint.repeat([...word.text].length));
    } else if (word.kind === 'punctuation') {
      made.add(word.text);
    } else if (word.kind === 'number') {
      const joins = follows && next()?.kind !== 'lower';
      made.add((follows && !joins ? joint : '') + word.text);
      for (let more = next(); !joins && (more?.kind === 'lower' || more?.kind === 'number'); more = next()) {
        made.add(more.text);
        at += more.text.length;
      }
    } else {
      made.add((follows ? joint : '') + (word.kind === 'upper' ? lower(word.text) : word.text));
    }
    before = word.kind;
  }
  return made.finish();
}

/** Capitalizes words and joins them. Connectors at both ends are kept. Between two words, one connector is removed. */
function pascal(text: string): string {
  const [, leading = '', inner = ''] = new RegExp(`^(${connector}*)(.*)$`, 'sv').exec(text) ?? [];
  if (inner === '') {
    return leading + ([...leading].at(-1) ?? '');
  }
  const words = inner.split(new RegExp(`(${connector}+)`, 'v'));
  const parts = words.map((word, at) => {
    const isWord = at % 2 === 0;
    const isEnd = at === words.length - 2 && words.at(-1) === '';
    return isWord ? capitalized(word) : isEnd ? word : [...word].slice(0, -1).join('');
  });
  return leading + parts.join('');
}

function capitalized(word: string): string {
  const [first = '', ...rest] = [...word];
  const capitals = isUpper(first) ? rest.findIndex(character => !isUpper(character)) : 0;
  const shouted = capitals < 0 ? rest.length : capitals;
  return upperOf(first) + rest.map((character, at) => (at < shouted ? lowerOf(character) : character)).join('');
}

/** Maps each character. A flag marks the first character of a word. */
function byWord(text: string, map: (character: string, isFirst: boolean) => string): string {
  let isFirst = true;
  return mapCharacters(text, character => {
    const mapped = isSpace(character) ? character : map(character, isFirst);
    isFirst = isSpace(character);
    return mapped;
  });
}

function swapped(text: string): string {
  let afterSpace = true;
  return mapCharacters(text, character => {
    if (isUpper(character) || isLower(character)) {
      afterSpace = false;
      return isUpper(character) ? lowerOf(character) : upperOf(character);
    }
    afterSpace = afterSpace || isSpace(character);
    return character;
  });
}

function withoutSpaces(text: string): string {
  return mapCharacters(text, character => (isSpace(character) ? '' : character));
}

/**
 * Converts each byte to the character with this number. This is the result of upstream's `nospace` for non-ASCII text.
 */
function asCharacters(text: string): string {
  return mapBytes(toBytes(text), byte => String.fromCharCode(byte));
}

/** Applies `make` to the bytes as characters, and converts the result back. */
function byBytes(text: string, make: (bytes: string) => string): string {
  const made = make(asCharacters(text));
  const bytes = new Uint8Array(made.length);
  for (let at = 0; at < made.length; at += 1) {
    bytes[at] = made.charCodeAt(at);
  }
  return fromBytes(bytes);
}

interface Wrapping {
  readonly length: number;
  readonly newLine: string;
  /** The maximum length of a word. Longer words are split. */
  readonly cuts: boolean;
  readonly meter: RenderMeter;
}

function wrapped(text: string, { length, newLine, cuts, meter }: Wrapping): string {
  const width = Math.max(length, 1);
  const lines: string[] = [];
  let at = 0;
  while (text.length - at > width) {
    meter.spend(1 + width / 64);
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const space = text.slice(at, at + width + 1).lastIndexOf(' ');
    const next = text.indexOf(' ', at + width);
    const end = space >= 0 ? at + space : cuts ? at + width : next < 0 ? text.length : next;
    lines.push(text.slice(at, end));
    at = space < 0 && cuts ? end : end + 1;
    if (end === text.length) {
      return lines.join(newLine);
    }
  }
  meter.text((lines.length + 1) * newLine.length + text.length);
  return [...lines, text.slice(at)].join(newLine);
}

const wraps = (text: string, wrapping: Wrapping): string =>
  text === '' ? '' : byBytes(text, bytes => wrapped(bytes, { ...wrapping, newLine: inBytes(wrapping.newLine) }));

function inBytes(text: string): string {
  return asCharacters(text === '' ? '\n' : text);
}

const shortest = 4;
const marker = '...';

/** Returns the text from an offset, with at most `width` characters. Dots replace omitted text. */
function abbreviated(text: string, offset: number, width: number): string {
  if (text.length <= width) {
    return text;
  }
  const room = width - marker.length;
  const from = text.length - Math.min(offset, text.length) < room ? text.length - room : offset;
  if (from <= shortest) {
    return text.slice(0, room) + marker;
  }
  if (width < shortest + marker.length) {
    return '';
  }
  return from + room < text.length
    ? marker + abbreviated(text.slice(from), 0, room)
    : marker + text.slice(text.length - room);
}

/** Each character may be a separate word. */
const splits = (make: (text: string) => string) =>
  define(['string'], ([text], meter) => {
    meter.elements(text.length);
    return make(text);
  });

export const wordFunctions: FunctionTable = {
  camelcase: splits(pascal),
  snakecase: splits(text => connected(text, '_')),
  kebabcase: splits(text => connected(text, '-')),
  untitle: define(['string'], ([text]) =>
    byWord(text, (character, isFirst) => (isFirst ? lowerOf(character) : character)),
  ),
  initials: define(['string'], ([text]) =>
    withoutSpaces(byWord(text, (character, isFirst) => (isFirst ? character : ''))),
  ),
  swapcase: define(['string'], ([text]) => swapped(text)),
  nospace: define(['string'], ([text]) => withoutSpaces(asCharacters(text))),
  wrap: define(['int', 'string'], ([length, text], meter) =>
    wraps(text, { length, newLine: '\n', cuts: false, meter }),
  ),
  wrapWith: define(['int', 'string', 'string'], ([length, newLine, text], meter) =>
    wraps(text, { length, newLine, cuts: true, meter }),
  ),
  abbrev: define(['int', 'string'], ([width, text]) =>
    width < shortest ? text : byBytes(text, bytes => abbreviated(bytes, 0, width)),
  ),
  abbrevboth: define(['int', 'int', 'string'], ([offset, width, text]) =>
    width < shortest || (offset > 0 && width < shortest + marker.length)
      ? text
      : byBytes(text, bytes => abbreviated(bytes, offset, width)),
  ),
};
