// YAML texts from a seed: manifests in many notations, manifests with one or two mistakes, and rows of fragments.
import { createRandom, type Random } from '../simulation/engine/random.ts';

/** Words whose type depends on the version of YAML, and words that are near them. */
const plainWords = [
  ...['a', 'web', 'on', 'off', 'Yes', 'NO', 'y', 'n', 'N', 'true', 'FALSE', 'tRue', '~', 'null', 'Null', 'nil', '-'],
  ...['0', '010', '08', '0o17', '0x1F', '0b101', '-0', '+12', '1_000', '1__0', '-010', '-0x1', '0x'],
  ...['1.5', '.5', '5.', '1e3', '1E-2', '-1.', '1.2.3', 'v1.30.0', '1:30', '12:30:45', '1e', '_1'],
  ...['2001-01-01', '2001-01-01T00:00:00Z', '10.0.0.0/8', '100m', '1Gi', '=', 'a b', 'a:b', 'a#b', 'http://x/y?z'],
  ...[
    'a, b',
    'x]',
    'x}',
    "it's",
    'a"b',
    '\\n',
    'é',
    '日本',
    '\u{1f600}',
    '\u00a0',
    'a -b',
    '-1-',
    '?x',
    ':x',
    '.',
    '...x',
  ],
] as const;

/** In most places, these are errors. */
const oddWords = [
  '.inf',
  '-.Inf',
  '.NaN',
  '<<',
  '!',
  '@x',
  '`x',
  '%x',
  '|',
  ', x',
  '-',
  '? ',
  '*',
  '18446744073709551615',
  '-9007199254740993',
];
const oddKeys = ['~', '<<', '[a]', '{a: b}', '.inf', '*x', '!!int x', '!x k'];

const quotedBodies = [
  ...[
    '',
    'a',
    ' a ',
    'a: b',
    '# no',
    '010',
    'on',
    'é 日本',
    '\u{1f600}',
    "it''s",
    'x\ty',
    '{{ .x }}',
    '%x',
    '- a',
    '[a',
  ],
] as const;
const escapes = ['\\n', '\\t', '\\"', '\\\\', '\\x41', '\\u00e9', '\\U0001F600', '\\e', '\\0', '\\ ', '\\N', '\\_'];
const oddEscapes = ['\\q', '\\/', '\\x4', '\\uD800'];
const keys = ['a', 'b', 'name', 'n', 'on', '1', '010', '1.5', 'x y', '"q"', "'s'", 'true', 'é', 'a.b/c', '!!str k'];
const blockLines = [
  'text',
  '  deeper',
  '',
  '# not a comment',
  'a: b',
  '- x',
  '\ttab',
  'é',
  '{{ .x }}',
  '%y',
  '   ',
  'end ',
];
const fragments = [
  ...[
    '- ',
    '? ',
    ': ',
    'a: ',
    '{',
    '}',
    '[',
    ']',
    ', ',
    ' # c',
    '\n',
    '\n  ',
    '\n    ',
    '\r\n',
    '\t',
    ' ',
    '---\n',
    '...\n',
  ],
  ...[
    '%TAG ! tag:x,2000:\n',
    '%YAML 1.1\n',
    '%YAML 1.2\n',
    '%x\n',
    '|\n',
    '>-\n',
    '|2+\n',
    '<<: ',
    '!!int ',
    '!t ',
    '!!str ',
  ],
  ...[
    '"',
    "'",
    '\\"',
    "''",
    'true',
    '0x1f',
    '1e3',
    '~',
    '`',
    '@',
    '\u00a0',
    '&a ',
    '*a',
    '&b ',
    '*b ',
    '"a\\\nb"',
    'b: c\n',
    '|',
  ],
] as const;

const most = { depth: 4, members: 4 };

/** Returns the texts in order. The same seed gives the same texts. */
export function generateTexts(seed: string, count: number): readonly string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => generateText(random).toWellFormed());
}

function generateText(random: Random): string {
  const kind = random.next();
  if (kind < 0.08) {
    return Array.from({ length: 1 + random.below(12) }, () => pick(random, fragments)).join('');
  }
  const text = new Manifest(random).document();
  return kind < 0.75
    ? text
    : Array.from({ length: 1 + random.below(2) }).reduce<string>(each => spoil(random, each), text);
}

function pick(random: Random, items: readonly string[]): string {
  return items[random.below(items.length)] ?? '';
}

/** Changes the text in one position. */
function spoil(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (random.below(4)) {
    case 0:
      return before + after.replace(/^./su, '');
    case 1:
      return before + pick(random, fragments) + after;
    case 2:
      // Moves a line.
      return (
        before + after.replace(/\n( *)/, (_, indent: string) => `\n${' '.repeat(random.below(indent.length + 3))}`)
      );
    default:
      return before;
  }
}

/** Writes values of random types in random notations. Most texts are valid. */
class Manifest {
  readonly #random: Random;
  readonly #anchors: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  document(): string {
    const { chance } = this.#random;
    const start = chance(0.1)
      ? this.#pick(['---\n', '--- # c\n', '%YAML 1.1\n---\n', '# c\n', '\n', '\ufeff', '%TAG !e! tag:x,2000:\n---\n'])
      : '';
    const end = chance(0.1)
      ? this.#pick(['---\na: 1\n', '...\n', '...\n---\nb\n', '# end', '--- x\n', '\n\n', ' \n', '\t\n'])
      : '';
    const body = this.#random.below(8) === 0 ? `${this.#inline(0, 0)}\n` : this.#block(0, 0);
    return start + (chance(0.1) ? body.replace(/\n$/, '') : body) + end;
  }

  #pick(items: readonly string[]): string {
    return pick(this.#random, items);
  }

  #rarely(odd: readonly string[], usual: readonly string[]): string {
    return this.#pick(this.#random.chance(0.02) ? odd : usual);
  }

  /** Lines of a list or map at this column. */
  #block(column: number, depth: number): string {
    const indent = ' '.repeat(column);
    const isList = this.#random.chance(0.35);
    const members = Array.from({ length: 1 + this.#random.below(most.members) }, () => {
      const comment = this.#random.chance(0.06) ? this.#pick([`${indent}# c\n`, '# c\n', '\n', '  \n', '\t# c\n']) : '';
      const start = isList ? '-' : this.#key(indent);
      return `${comment}${indent}${start}${this.#value(column, depth, isList)}`;
    });
    return members.join('');
  }

  #key(indent: string): string {
    const { chance } = this.#random;
    if (this.#anchors.length > 0 && chance(0.05)) {
      return `<<: *${this.#pick(this.#anchors)}\n${indent}k:`;
    }
    return chance(0.02) ? '? k\n:' : `${this.#rarely(oddKeys, keys)}${chance(0.05) ? ' ' : ''}:`;
  }

  /** What follows a key or a dash, with its line break. */
  #value(column: number, depth: number, isItem: boolean): string {
    const { chance, below } = this.#random;
    const nested = depth < most.depth && chance(0.4);
    if (nested) {
      const indented = column + (isItem ? 2 : this.#random.pick([2, 2, 2, 4, 1]));
      if (isItem && chance(0.6)) {
        return ` ${this.#block(indented, depth + 1).slice(indented)}`;
      }
      return `${this.#properties()}${chance(0.05) ? ' # c' : ''}\n${this.#block(indented, depth + 1)}`;
    }
    if (chance(0.12)) {
      return ` ${this.#blockScalar(column)}`;
    }
    const space = chance(0.01) ? this.#pick(['\t', '  ', ' \t']) : ' ';
    const end = chance(0.08) ? this.#pick([' # c', '  ', ' #', '\t# c', ' \t']) : '';
    return below(12) === 0
      ? `${end}\n`
      : `${space}${this.#inline(column + 1, depth)}${end}${chance(0.02) ? '\r\n' : '\n'}`;
  }

  /** Anchor and tag. */
  #properties(): string {
    const { chance } = this.#random;
    const tag = chance(0.01) ? this.#pick([' !!map', ' !!seq', ' !x', ' !!str', ' !!omap']) : '';
    return (chance(0.08) ? ` ${this.#anchor()}` : '') + tag;
  }

  #anchor(): string {
    const name = this.#pick(['x', 'y', 'base']);
    this.#anchors.push(name);
    return `&${name}`;
  }

  #inline(column: number, depth: number): string {
    const { chance } = this.#random;
    if (this.#anchors.length > 0 && chance(0.2)) {
      return `*${this.#pick(this.#anchors)}`;
    }
    const anchor = chance(0.04) ? `${this.#anchor()} ` : '';
    const kind = this.#random.next();
    if (kind < 0.2 && depth < most.depth) {
      return anchor + this.#flow(column, depth);
    }
    const tag = chance(0.02)
      ? `${this.#pick(['!!int', '!!str', '!!float', '!!bool', '!!null', '!!binary', '!x', '!', '!e!y', '!<tag:yaml.org,2002:str>'])} `
      : '';
    return anchor + tag + (kind < 0.45 ? this.#quoted(column) : this.#plain(column));
  }

  #plain(column: number): string {
    const word = this.#rarely(oddWords, plainWords);
    return this.#random.chance(0.05)
      ? `${word}\n${' '.repeat(column + this.#random.below(3))}${this.#pick(plainWords)}`
      : word;
  }

  /** Lines of a quoted text may continue at column 1. */
  #quoted(column: number): string {
    const { chance, below } = this.#random;
    const line = (): string => (chance(0.5) ? '\n' : `\n${' '.repeat(below(column + 3))}`) + (chance(0.1) ? '\n' : '');
    if (chance(0.4)) {
      return `'${this.#pick(quotedBodies)}${chance(0.15) ? `${line()}${this.#pick(quotedBodies)}` : ''}'`;
    }
    const escaped = chance(0.3) ? this.#rarely(oddEscapes, escapes) : '';
    const more = chance(0.15) ? `${chance(0.3) ? '\\' : ''}${line()}${this.#pick(quotedBodies)}` : '';
    return `"${this.#pick(quotedBodies)}${escaped}${more}"`;
  }

  #flow(column: number, depth: number): string {
    const { chance, below } = this.#random;
    const isList = chance(0.5);
    const gap = (): string =>
      chance(0.12)
        ? this.#pick(['\n', `\n${' '.repeat(column)}`, ' # c\n', '\n\t', '\n\n ', '\t'])
        : this.#pick(['', ' ', '']);
    const items = Array.from({ length: below(4) }, () => {
      const value = this.#inline(column, depth + 1);
      const key = this.#pick(keys);
      const colon = this.#pick([': ', ': ', ': ', ' : ', ':', ':\n  ']);
      return gap() + (isList && chance(0.9) ? value : chance(0.06) ? key : `${key}${colon}${value}`) + gap();
    });
    const [open, close] = isList ? ['[', ']'] : ['{', '}'];
    return `${open}${items.join(',')}${chance(0.05) ? ',' : ''}${gap()}${close}`;
  }

  #blockScalar(column: number): string {
    const { chance, below } = this.#random;
    const isIndicated = chance(0.2);
    const deeper = 1 + below(3);
    const header = `${this.#pick(['|', '>'])}${isIndicated && chance(0.5) ? deeper : ''}${this.#pick(['', '', '-', '+'])}${isIndicated ? '' : ''}`;
    const indent = ' '.repeat(column + deeper);
    const lines = Array.from({ length: below(5) }, () => {
      const line = this.#pick(blockLines);
      return line === '' ? '' : indent + line;
    });
    return `${header}${chance(0.05) ? ' # c' : ''}\n${lines.map(line => `${line}\n`).join('')}`;
  }
}
