// Numbers in the text of a template. https://go.dev/ref/spec#Integer_literals
import type { NumberLiteral } from './tree.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;
/** Matches an underscore that is not between two digits. A base prefix is treated as a digit. */
const strayUnderscore = /__|_$|^[+-]?_|[^0-9a-fA-F]_|_[^0-9a-fA-F]/;

function isInt64(value: bigint): boolean {
  return value >= smallest && value <= largest;
}

const radixes = [
  { pattern: /^0[xX]([0-9a-fA-F]+)$/, prefix: '0x' },
  { pattern: /^0[bB]([01]+)$/, prefix: '0b' },
  { pattern: /^0[oO]?([0-7]+)$/, prefix: '0o' },
] as const;

/**
 * The maximum number of digits. The conversion time grows with the square of the digits, and longer numbers exceed 64
 * bits.
 */
const mostDigits = 64;
const beyond = 2n ** 64n;

/**
 * Parses an integer in Go's syntax, with an optional base prefix. Returns undefined for other text. For a number beyond
 * 64 bits, returns any number beyond 64 bits.
 */
export function parseInteger(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '');
  if (/^(?:0|[1-9][0-9]*)$/.test(digits)) {
    return digits.length > mostDigits ? sign * beyond : sign * BigInt(digits);
  }
  for (const { pattern, prefix } of radixes) {
    const match = pattern.exec(digits);
    if (match !== null) {
      const significant = (match[1] ?? '').replace(/^0+(?=.)/, '');
      return significant.length > mostDigits ? sign * beyond : sign * BigInt(prefix + significant);
    }
  }
  return undefined;
}

/** Parses a float in Go's syntax. Returns undefined for other text or if it is out of range. */
export function parseFloatLiteral(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(plain);
  if (hexadecimal !== null) {
    const [, sign, whole = '', fraction = '', exponent] = hexadecimal;
    if (whole + fraction === '') {
      return undefined;
    }
    const mantissa = Number(BigInt(`0x${whole}${fraction}`));
    return (sign === '-' ? -1 : 1) * mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  }
  if (!/^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(plain)) {
    return undefined;
  }
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

/** Returns undefined if the text is not a number. */
export function parseNumber(text: string): NumberLiteral | { readonly overflows: true } | undefined {
  if (strayUnderscore.test(text.replace(/^([+-]?0)[xXoObB]/, '$1'))) {
    return undefined;
  }
  const whole = parseInteger(text);
  if (whole !== undefined && isInt64(whole)) {
    return { int: whole, float: Number(whole), isFloat: false };
  }
  if (whole !== undefined && whole >= 0n && whole < 2n ** 64n) {
    return { int: undefined, float: Number(whole), isFloat: false };
  }
  const float = parseFloatLiteral(text);
  if (float === undefined) {
    return undefined;
  }
  if (/^[+-]?[0-9]+$/.test(text)) {
    return { overflows: true };
  }
  const exact = Number.isInteger(float) && isInt64(BigInt(float));
  return { int: exact ? BigInt(float) : undefined, float, isFloat: true };
}
