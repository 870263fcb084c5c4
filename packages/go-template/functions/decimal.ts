// Exact decimal arithmetic of the functions addf, subf, mulf, divf. https://pkg.go.dev/github.com/shopspring/decimal
import { FunctionError } from '../call.ts';
import type { RenderMeter } from '../limits.ts';

/** The number is value × 10^exponent. */
interface Decimal {
  readonly value: bigint;
  readonly exponent: number;
}

/** The number of fractional digits of a quotient. */
const quotientDigits = 16;

export function toDecimal(number: number): Decimal {
  if (!Number.isFinite(number)) {
    throw new FunctionError(
      `Cannot create a Decimal from ${Number.isNaN(number) ? 'NaN' : number > 0 ? '+Inf' : '-Inf'}`,
    );
  }
  const [mantissa = '0', exponent = '0'] = number.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const fraction = mantissa.includes('.') ? mantissa.length - mantissa.indexOf('.') - 1 : 0;
  return { value: BigInt(digits), exponent: Number(exponent) - fraction };
}

export function toNumber({ value, exponent }: Decimal): number {
  return Number(`${value}e${exponent}`);
}

type Operation = (a: Decimal, b: Decimal, meter: RenderMeter) => Decimal;

function power(of: number, meter: RenderMeter): bigint {
  meter.text(of);
  return 10n ** BigInt(of);
}

function aligned(a: Decimal, b: Decimal, meter: RenderMeter): readonly [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.value * power(a.exponent - exponent, meter), b.value * power(b.exponent - exponent, meter), exponent];
}

export const plus: Operation = (a, b, meter) => {
  const [x, y, exponent] = aligned(a, b, meter);
  return { value: x + y, exponent };
};

export const minus: Operation = (a, b, meter) => plus(a, { ...b, value: -b.value }, meter);

export const times: Operation = (a, b, meter) => {
  const value = a.value * b.value;
  const size = value.toString(16).length;
  meter.text(size * size);
  return { value, exponent: a.exponent + b.exponent };
};

/** Rounds half away from zero. */
export const dividedBy: Operation = (a, b, meter) => {
  if (b.value === 0n) {
    throw new FunctionError('decimal division by 0');
  }
  const shift = a.exponent - b.exponent + quotientDigits;
  const numerator = a.value * (shift > 0 ? power(shift, meter) : 1n);
  const denominator = b.value * (shift < 0 ? power(-shift, meter) : 1n);
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  const isUp = 2n * absolute(rest) >= absolute(denominator);
  const sign = numerator < 0n === denominator < 0n ? 1n : -1n;
  return { value: isUp ? quotient + sign : quotient, exponent: -quotientDigits };
};

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
