// The values of plain YAML scalars. https://yaml.org/type/

import { fromBytes } from './bytes.ts';
import { decodeBase64 } from './functions/encodings.ts';

const words: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...['y', 'yes', 'true', 'on'].flatMap(word => spellings(word).map(each => [each, true] as const)),
  ...['n', 'no', 'false', 'off'].flatMap(word => spellings(word).map(each => [each, false] as const)),
  ...['', '~', 'null', 'Null', 'NULL'].map(each => [each, null] as const),
  ...['.nan', '.NaN', '.NAN'].map(each => [each, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF'].flatMap(each => [
    [each, Number.POSITIVE_INFINITY] as const,
    [`+${each}`, Number.POSITIVE_INFINITY] as const,
    [`-${each}`, Number.NEGATIVE_INFINITY] as const,
  ]),
]);

function spellings(word: string): readonly string[] {
  return [...new Set([word, word[0]?.toUpperCase() + word.slice(1), word.toUpperCase()])];
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;

/** Returns the value of a scalar without quotes or tag. */
export function resolvePlain(text: string): string | number | boolean | null {
  const word = words.get(text);
  if (word !== undefined) {
    return word;
  }
  return /^[-+.0-9]/.test(text) ? (toNumber(text) ?? text) : text;
}

function toNumber(text: string): number | undefined {
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  const match = integer.exec(plain);
  if (match === null) {
    const value = float.test(plain) ? Number(plain) : undefined;
    return Number.isFinite(value) ? value : undefined;
  }
  const whole = wholeOf(match);
  const isLarge = whole === undefined;
  if (isLarge && !float.test(plain)) {
    return undefined;
  }
  return (plain.startsWith('-') ? -1 : 1) * Number(isLarge ? plain.replace(/^[-+]/, '') : whole);
}

/** Returns whether the text is a whole number that Go holds exactly, in 64 bits, and JavaScript does not, in 53. */
export function isRounded(text: string): boolean {
  const match = integer.exec(text.replaceAll('_', ''));
  const whole = match === null ? undefined : wholeOf(match);
  return whole !== undefined && BigInt(Number(whole)) !== whole;
}

function wholeOf([, , hexadecimal, binary, octal, decimal]: RegExpExecArray): bigint | undefined {
  return hexadecimal !== undefined
    ? toWhole('0x', hexadecimal)
    : binary !== undefined
      ? toWhole('0b', binary)
      : octal !== undefined
        ? toWhole('0o', octal)
        : toWhole('', decimal ?? '0');
}

const bits = 64;

/**
 * Returns undefined above 64 bits. The digits are counted first, because the conversion of a long text to an integer
 * takes more than linear work.
 */
function toWhole(prefix: string, digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '');
  const whole = significant.length > bits ? undefined : BigInt(`${prefix}${significant === '' ? '0' : significant}`);
  return whole === undefined || whole >= 2n ** BigInt(bits) ? undefined : whole;
}

const prefix = 'tag:yaml.org,2002:';

/** Returns the value of a scalar with a tag, or undefined if the text does not match the tag. */
export function resolveTagged(text: string, tag: string): string | number | boolean | null | undefined {
  const plain = resolvePlain(text);
  switch (tag) {
    case `${prefix}int`:
      return typeof plain === 'number' && Number.isInteger(plain) ? plain : undefined;
    case `${prefix}float`:
      return typeof plain === 'number' ? plain : undefined;
    case `${prefix}bool`:
      return typeof plain === 'boolean' ? plain : undefined;
    case `${prefix}binary`: {
      const bytes = decodeBase64(text);
      return bytes === undefined ? undefined : fromBytes(bytes).toWellFormed();
    }
    case `${prefix}null`:
      return plain === null ? plain : undefined;
    default:
      return text;
  }
}
