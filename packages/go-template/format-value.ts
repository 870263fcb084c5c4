// Formats one value for a verb of printf. https://pkg.go.dev/fmt#hdr-Printing
import { countRunes, firstRunes, toBytes } from './bytes.ts';
import { FunctionError } from './call.ts';
import { type FloatFormat, formatMagnitude, isNegative } from './float.ts';
import type { RenderMeter } from './limits.ts';
import { joinHeld, sortedEntries } from './print.ts';
import { goQuote, isPrintable } from './quote.ts';
import { mapBytes } from './text-builder.ts';
import { Dict, Int, List, Opaque, type TemplateValue, typeOf } from './value.ts';

export interface Flags {
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
  readonly meter: RenderMeter;
}

function pad(text: string, { width, minus, zero }: Flags): string {
  const missing = width === undefined ? 0 : width - countRunes(text);
  if (missing <= 0) {
    return text;
  }
  return minus ? text + ' '.repeat(missing) : (zero ? '0' : ' ').repeat(missing) + text;
}

function bad(value: TemplateValue, writing: Writing): string {
  const shown =
    value === null || value === undefined
      ? '<nil>'
      : `${typeOf(value)}=${formatted(value, { ...writing, verb: 'v' }, 0)}`;
  return `%!${writing.verb}(${shown})`;
}

/** Returns the formatted value, or Go's text for a verb of another type. Throws FunctionError for addresses. */
export function formatted(value: TemplateValue, writing: Writing, depth: number): string {
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
  const inner = (item: TemplateValue): string =>
    isSyntax && (item === null || item === undefined) ? '<nil>' : formatted(item, writing, depth + 1);
  const syntaxNil = (item: TemplateValue, element: string): string =>
    isSyntax && (item === null || item === undefined) ? `${element}(nil)` : inner(item);
  const parts =
    value instanceof List
      ? value.items.map(item => syntaxNil(item, value.element))
      : sortedEntries(value, writing.meter).map(([key, item]) => `${inner(key)}:${syntaxNil(item, value.element)}`);
  if (isSyntax && value.isNil) {
    return `${typeOf(value)}(nil)`;
  }
  const joined = joinHeld(parts, isSyntax ? ', ' : ' ', writing.meter);
  if (isSyntax) {
    return `${typeOf(value)}{${joined}}`;
  }
  return value instanceof Dict ? `map[${joined}]` : `[${joined}]`;
}

function formatScalar(value: string | number | boolean | Int | Opaque, writing: Writing): string | undefined {
  const { verb, flags } = writing;
  if (typeof value === 'boolean') {
    return verb === 't' || verb === 'v' ? pad(String(value), flags) : undefined;
  }
  if (typeof value === 'number') {
    writing.meter.spend(flags.precision === undefined && verb === 'v' ? 0 : stepsPerExactNumber);
    return formatNumber(value, writing);
  }
  if (value instanceof Int) {
    return formatInteger(value, writing);
  }
  const text = value instanceof Opaque ? value.text : value;
  // A text in a list is not charged as an argument. Each character may be quoted.
  writing.meter.spend(text.length / (verb === 'q' || flags.sharp ? quotedPerStep : readPerStep));
  return formatText(text, writing);
}

/** A small number has 770 digits, and a large one 310. All of them are calculated. */
const stepsPerExactNumber = 20;
const readPerStep = 64;
const quotedPerStep = 16;

function formatText(text: string, { verb, flags }: Writing): string | undefined {
  const cut = flags.precision === undefined ? text : firstRunes(text, flags.precision);
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
  const isRaw = flags.sharp && !text.includes('`') && isAllPrintable(text);
  return pad(isRaw ? `\`${text}\`` : goQuote(text, { asciiOnly: flags.plus }), flags);
}

function isAllPrintable(text: string): boolean {
  for (const character of text) {
    if (character !== '\t' && !isPrintable(character)) {
      return false;
    }
  }
  return true;
}

function hexOfBytes(bytes: Uint8Array, verb: 'x' | 'X', flags: Flags): string {
  const prefix = flags.sharp ? `0${verb}` : '';
  const shown = bytes.subarray(0, flags.precision ?? bytes.length);
  const hex = (byte: number): string => upperIf(verb === 'X', byte.toString(16).padStart(2, '0'));
  const text = flags.space ? mapBytes(shown, byte => ` ${prefix}${hex(byte)}`).slice(1) : mapBytes(shown, hex);
  return pad(flags.space || text === '' ? text : prefix + text, flags);
}

function upperIf(upper: boolean, text: string): string {
  return upper ? text.toUpperCase() : text;
}

/** Returns the sign before a number. */
function signOf(isBelow: boolean, flags: Flags): string {
  return isBelow ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
}

/** Zeros are inserted between the sign and the digits. */
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

/** The flag `#` always prints a decimal point, and trailing zeros for %g. */
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
