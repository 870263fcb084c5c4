// Conversions to numbers, as in Go's cast package. https://pkg.go.dev/github.com/spf13/cast
import { parseFloatLiteral, parseInteger } from '../number.ts';
import { Int, type TemplateValue } from '../value.ts';

const most = 2n ** 63n;

function wrapped(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** A float outside the range of integers becomes the smallest integer, as on amd64. */
function truncated(value: number): bigint {
  if (Number.isNaN(value) || value >= Number(most) || value < -Number(most)) {
    return -most;
  }
  return BigInt(Math.trunc(value));
}

/** Returns 0 if the value is not a number. */
export function toInt64(value: TemplateValue): bigint {
  if (value instanceof Int) {
    return wrapped(value.value);
  }
  switch (typeof value) {
    case 'number':
      return truncated(value);
    case 'boolean':
      return value ? 1n : 0n;
    case 'string':
      return integerOf(value);
    default:
      return 0n;
  }
}

function integerOf(text: string): bigint {
  const whole = parseInteger(text.replace(/\.0*$/, ''));
  return whole !== undefined && whole < most && whole >= -most ? whole : 0n;
}

/** Returns 0 if the value is not a number. */
export function toFloat64(value: TemplateValue): number {
  if (value instanceof Int) {
    return Number(value.value);
  }
  switch (typeof value) {
    case 'number':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    case 'string':
      return floatOf(value);
    default:
      return 0;
  }
}

function floatOf(text: string): number {
  const special = /^([+-]?)(?:inf|infinity)$/i.exec(text);
  if (special !== null) {
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (/^nan$/i.test(text)) {
    return Number.NaN;
  }
  return text.includes('_') ? 0 : (parseFloatLiteral(text) ?? 0);
}
