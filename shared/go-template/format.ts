// printf. https://pkg.go.dev/fmt#hdr-Printing
import { runesOf, toBytes } from './bytes.ts';
import { FunctionError } from './call.ts';
import { type FloatFormat, formatMagnitude, isNegative } from './float.ts';
import type { Meter } from './limits.ts';
import { printed, sortedEntries } from './print.ts';
import { goQuote, isPrintable } from './quote.ts';
import { Dict, Int, List, Opaque, typeOf, type Value } from './value.ts';

interface Flags {
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

interface Writing {
  readonly flags: Flags;
  readonly verb: string;
  readonly meter: Meter;
}

/** Go refuses larger widths and precisions in the same words. */
const largest = 1_000_000;

export function sprintf(format: string, args: readonly Value[], meter: Meter): string {
  return new Formatter(format, args, meter).run();
}

class Formatter {
  readonly #format: string;
  readonly #args: readonly Value[];
  readonly #meter: Meter;
  #text = '';
  #at = 0;
  #arg = 0;
  #reordered = false;
  #goodIndex = true;

  constructor(format: string, args: readonly Value[], meter: Meter) {
    this.#format = format;
    this.#args = args;
    this.#meter = meter;
  }

  run(): string {
    while (this.#at < this.#format.length) {
      const next = this.#format.indexOf('%', this.#at);
      const end = next < 0 ? this.#format.length : next;
      this.#write(this.#format.slice(this.#at, end));
      this.#at = end + 1;
      if (next >= 0) {
        this.#directive();
      }
    }
    this.#extra();
    return this.#text;
  }

  #write(text: string): void {
    this.#text += text;
    this.#meter.text(text.length);
    this.#meter.text(this.#text.length);
  }

  #extra(): void {
    if (this.#reordered || this.#arg >= this.#args.length) {
      return;
    }
    const shown = this.#args
      .slice(this.#arg)
      .map(arg => (arg === null || arg === undefined ? '<nil>' : `${typeOf(arg)}=${printed(arg, this.#meter)}`));
    this.#write(`%!(EXTRA ${shown.join(', ')})`);
  }

  #directive(): void {
    const flags = /[+\-# 0]*/y;
    flags.lastIndex = this.#at;
    const given = flags.exec(this.#format)?.[0] ?? '';
    this.#at += given.length;
    this.#goodIndex = true;
    this.#index();
    const width = this.#size('width');
    const precision = this.#precision();
    this.#index();
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      this.#write('%!(NOVERB)');
      return;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    const minus = given.includes('-') || (width !== undefined && width < 0);
    this.#verb(verb, {
      plus: given.includes('+') && verb !== 'v',
      minus,
      sharp: given.includes('#'),
      space: given.includes(' '),
      zero: given.includes('0') && !minus,
      width: width === undefined ? undefined : Math.abs(width),
      precision,
    });
  }

  #verb(verb: string, flags: Flags): void {
    if (verb === '%') {
      this.#write('%');
      return;
    }
    if (!this.#goodIndex) {
      this.#write(`%!${verb}(BADINDEX)`);
      return;
    }
    if (this.#arg >= this.#args.length) {
      this.#write(`%!${verb}(MISSING)`);
      return;
    }
    const arg = this.#args[this.#arg];
    this.#arg += 1;
    this.#write(formatted(arg, { flags, verb, meter: this.#meter }, 0));
  }

  /** An explicit argument index such as `[2]`. */
  #index(): void {
    if (this.#format[this.#at] !== '[') {
      return;
    }
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at);
    const number = Number(/^[0-9]{1,7}$/.exec(this.#format.slice(this.#at + 1, close))?.[0] ?? Number.NaN);
    this.#at = close < 0 ? this.#at + 1 : close + 1;
    if (number >= 1 && number <= this.#args.length) {
      this.#arg = number - 1;
    } else {
      this.#goodIndex = false;
    }
  }

  #size(of: 'width' | 'precision'): number | undefined {
    if (this.#format[this.#at] === '*') {
      this.#at += 1;
      return this.#sizeOfArgument(of);
    }
    const digits = /[0-9]*/y;
    digits.lastIndex = this.#at;
    const text = digits.exec(this.#format)?.[0] ?? '';
    this.#at += text.length;
    if (text === '') {
      return undefined;
    }
    return Number(text) > largest ? this.#badSize(of) : Number(text);
  }

  #sizeOfArgument(of: 'width' | 'precision'): number | undefined {
    const arg = this.#args[this.#arg];
    this.#arg += this.#arg < this.#args.length ? 1 : 0;
    const size = arg instanceof Int ? Number(arg.value) : Number.NaN;
    return Math.abs(size) <= largest && (of === 'width' || size >= 0) ? size : this.#badSize(of, size < 0);
  }

  #badSize(of: 'width' | 'precision', isNegativePrecision = false): undefined {
    if (!isNegativePrecision) {
      this.#write(of === 'width' ? '%!(BADWIDTH)' : '%!(BADPREC)');
    }
    return undefined;
  }

  #precision(): number | undefined {
    if (this.#format[this.#at] !== '.') {
      return undefined;
    }
    this.#at += 1;
    this.#index();
    if (this.#format[this.#at] === '*') {
      return this.#size('precision');
    }
    return this.#size('precision') ?? 0;
  }
}

function pad(text: string, { width, minus, zero }: Flags): string {
  const missing = (width ?? 0) - runesOf(text).length;
  if (missing <= 0) {
    return text;
  }
  return minus ? text + ' '.repeat(missing) : (zero ? '0' : ' ').repeat(missing) + text;
}

function bad(value: Value, writing: Writing): string {
  const shown =
    value === null || value === undefined
      ? '<nil>'
      : `${typeOf(value)}=${formatted(value, { ...writing, verb: 'v' }, 0)}`;
  return `%!${writing.verb}(${shown})`;
}

function formatted(value: Value, writing: Writing, depth: number): string {
  const { flags, verb, meter } = writing;
  meter.visit(depth);
  meter.text((flags.width ?? 0) + (flags.precision ?? 0));
  if (value === null || value === undefined) {
    return verb === 'T' || verb === 'v' || depth > 0 ? pad('<nil>', depth > 0 ? noFlags : flags) : bad(value, writing);
  }
  if (verb === 'T' && depth === 0) {
    return formatText(typeOf(value), { ...writing, verb: 's' }) ?? '';
  }
  if (verb === 'p' && depth === 0 && (value instanceof List || value instanceof Dict)) {
    throw new FunctionError('printf "%p" is not supported: addresses differ from run to run');
  }
  if (value instanceof List || value instanceof Dict) {
    return formatNested(value, writing, depth);
  }
  return formatScalar(value, writing) ?? bad(value, writing);
}

const noFlags: Flags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
};

function formatNested(value: List | Dict, writing: Writing, depth: number): string {
  const isSyntax = writing.verb === 'v' && writing.flags.sharp;
  const inner = (item: Value): string =>
    isSyntax && (item === null || item === undefined) ? '<nil>' : formatted(item, writing, depth + 1);
  const syntaxNil = (item: Value, element: string): string =>
    isSyntax && (item === null || item === undefined) ? `${element}(nil)` : inner(item);
  const parts =
    value instanceof List
      ? value.items.map(item => syntaxNil(item, value.element))
      : sortedEntries(value).map(([key, item]) => `${inner(key)}:${syntaxNil(item, value.element)}`);
  if (isSyntax && value.isNil) {
    return `${typeOf(value)}(nil)`;
  }
  if (isSyntax) {
    return `${typeOf(value)}{${parts.join(', ')}}`;
  }
  return value instanceof Dict ? `map[${parts.join(' ')}]` : `[${parts.join(' ')}]`;
}

function formatScalar(value: string | number | boolean | Int | Opaque, writing: Writing): string | undefined {
  const { verb, flags } = writing;
  if (typeof value === 'boolean') {
    return verb === 't' || verb === 'v' ? pad(String(value), flags) : undefined;
  }
  if (typeof value === 'number') {
    return formatNumber(value, writing);
  }
  if (value instanceof Int) {
    return formatInteger(value, writing);
  }
  return formatText(value instanceof Opaque ? value.text : value, writing);
}

function formatText(text: string, { verb, flags }: Writing): string | undefined {
  const cut = flags.precision === undefined ? text : [...text].slice(0, flags.precision).join('');
  switch (verb) {
    case 'v':
      return pad(flags.sharp ? goQuote(cut) : cut, flags);
    case 's':
      return pad(cut, flags);
    case 'q':
      return quoteWith(cut, flags);
    case 'x':
    case 'X':
      return hexOfBytes(toBytes(text), verb, flags);
    default:
      return undefined;
  }
}

function quoteWith(text: string, flags: Flags): string {
  const isRaw = flags.sharp && !text.includes('`') && [...text].every(each => each === '\t' || isPrintable(each));
  return pad(isRaw ? `\`${text}\`` : goQuote(text, { asciiOnly: flags.plus }), flags);
}

function hexOfBytes(bytes: Uint8Array, verb: 'x' | 'X', flags: Flags): string {
  const prefix = flags.sharp ? `0${verb}` : '';
  const digits = [...bytes.subarray(0, flags.precision ?? bytes.length)].map(byte =>
    upperIf(verb === 'X', byte.toString(16).padStart(2, '0')),
  );
  const text = flags.space
    ? digits.map(each => prefix + each).join(' ')
    : digits.length > 0
      ? prefix + digits.join('')
      : '';
  return pad(text, flags);
}

function upperIf(upper: boolean, text: string): string {
  return upper ? text.toUpperCase() : text;
}

/** The sign that is written before a number. */
function signOf(isBelow: boolean, flags: Flags): string {
  return isBelow ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
}

/** Zeros go between the sign and the digits. */
function padNumber(sign: string, digits: string, flags: Flags): string {
  if (!flags.zero || flags.minus) {
    return pad(sign + digits, { ...flags, zero: false });
  }
  return sign + digits.padStart((flags.width ?? 0) - sign.length, '0');
}

function formatNumber(value: number, writing: Writing): string | undefined {
  const { verb, flags } = writing;
  if (verb === 'b' || verb === 'x' || verb === 'X') {
    throw new FunctionError(`printf "%${verb}" of a float64 is not supported`);
  }
  const lower = verb.toLowerCase();
  if (!'vefg'.includes(lower) || verb === 'V') {
    return undefined;
  }
  const format: FloatFormat = lower === 'e' || lower === 'f' ? lower : 'g';
  const precision = flags.precision ?? (format === 'g' ? -1 : 6);
  if (!Number.isFinite(value)) {
    const sign = Number.isNaN(value) ? (flags.plus ? '+' : '') : signOf(value < 0, { ...flags, plus: true });
    return pad(sign + formatMagnitude(value, format, precision), { ...flags, zero: false });
  }
  let digits = formatMagnitude(value, format, precision);
  if (flags.sharp && verb !== 'v') {
    digits = withPoint(digits, format, flags.precision);
  }
  return padNumber(signOf(isNegative(value), flags), upperIf(verb !== lower, digits), flags);
}

/** `#`: always a decimal point, and for %g the zeros at the end. */
function withPoint(digits: string, format: FloatFormat, precision: number | undefined): string {
  const [mantissa = '', exponent] = digits.split('e');
  const pointed = mantissa.includes('.') ? mantissa : `${mantissa}.`;
  const significant = pointed.replace('.', '').replace(/^0+/, '').length || 1;
  const missing = format === 'g' ? Math.max((precision ?? 6) - significant, 0) : 0;
  return pointed + '0'.repeat(missing) + (exponent === undefined ? '' : `e${exponent}`);
}

const bases: Readonly<Record<string, { readonly radix: number; readonly prefix: string }>> = {
  b: { radix: 2, prefix: '0b' },
  o: { radix: 8, prefix: '0' },
  O: { radix: 8, prefix: '' },
  d: { radix: 10, prefix: '' },
  v: { radix: 10, prefix: '' },
  x: { radix: 16, prefix: '0x' },
  X: { radix: 16, prefix: '0X' },
};

function formatInteger({ value, type }: Int, { verb, flags }: Writing): string | undefined {
  if (verb === 'c' || verb === 'q' || verb === 'U') {
    return formatCharacter(value, verb, flags);
  }
  const isHexSyntax = verb === 'v' && flags.sharp && type.startsWith('u');
  const base = isHexSyntax ? bases['x'] : bases[verb];
  if (base === undefined) {
    return undefined;
  }
  const magnitude = value < 0n ? -value : value;
  const digits = upperIf(verb === 'X', magnitude.toString(base.radix));
  const sign = signOf(value < 0n, flags);
  const prefix = verb === 'O' ? '0o' : flags.sharp ? base.prefix : '';
  if (flags.precision === 0 && value === 0n) {
    return ' '.repeat(flags.width ?? 0);
  }
  const isPadded = flags.zero && !flags.minus && flags.precision === undefined && flags.width !== undefined;
  const wanted = isPadded ? (flags.width ?? 0) - sign.length : (flags.precision ?? 0);
  const long = digits.padStart(wanted, '0');
  const octal = verb === 'o' && long.startsWith('0') ? '' : prefix;
  return pad(sign + octal + long, { ...flags, zero: false });
}

function formatCharacter(value: bigint, verb: 'c' | 'q' | 'U', flags: Flags): string {
  const isValid = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  const character = isValid ? String.fromCodePoint(Number(value)) : '\ufffd';
  if (verb === 'c') {
    return pad(character, flags);
  }
  if (verb === 'q') {
    return pad(goQuote(character, { delimiter: "'", asciiOnly: flags.plus }), flags);
  }
  const digits = BigInt.asUintN(64, value)
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, flags.precision ?? 4), '0');
  const shown = flags.sharp && isValid && isPrintable(character) ? ` '${character}'` : '';
  return pad(`U+${digits}${shown}`, { ...flags, zero: false });
}
