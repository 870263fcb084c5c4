// Exact resource quantities.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library
import { asInt, asKind, asText, costOf, define, type Overload, toInt } from '../overload.ts';
import { type CelValue, EvaluationProblem, type QuantityValue } from '../value.ts';

const shape = /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]*|[eE][+-]?\d+)$/;
const decimal: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binary: ReadonlyMap<string, bigint> = new Map(
  ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, index) => [suffix, 2n ** BigInt(10 * (index + 1))]),
);
/** The limits of exponents and number lengths. Larger values are not useful for resources. */
const mostExponent = 100;
const mostCharacters = 100;

function parseQuantity(text: string): QuantityValue | undefined {
  const [whole, sign = '', digits = '', written = '', suffix = ''] = shape.exec(text) ?? [];
  const fraction = written.replace(/(?<!0)0+$/, '');
  const number = `${digits}${fraction}`;
  if (whole === undefined || digits + written === '' || text.length > mostCharacters) {
    return undefined;
  }
  const value = BigInt(number === '' ? '0' : number) * (sign === '-' ? -1n : 1n);
  const factor = binary.get(suffix);
  if (factor !== undefined) {
    return reduced(value * factor, -fraction.length);
  }
  const exponent = /^[eE][+-]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : decimal.get(suffix);
  return exponent === undefined || Math.abs(exponent) > mostExponent
    ? undefined
    : { kind: 'quantity', digits: value, exponent: exponent - fraction.length };
}

/** Removes trailing zeros. */
function reduced(digits: bigint, exponent: number): QuantityValue {
  return exponent < 0 && digits % 10n === 0n
    ? reduced(digits / 10n, exponent + 1)
    : { kind: 'quantity', digits, exponent };
}

function quantityOf(text: string): QuantityValue {
  const value = parseQuantity(text);
  if (value === undefined) {
    throw new EvaluationProblem(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  return value;
}

/** Converts both numbers to multiples of the same power of ten. */
function aligned(left: QuantityValue, right: QuantityValue): readonly [bigint, bigint, number] {
  const exponent = Math.min(left.exponent, right.exponent);
  const at = ({ digits, exponent: own }: QuantityValue): bigint => digits * 10n ** BigInt(own - exponent);
  return [at(left), at(right), exponent];
}

function compare(left: QuantityValue, right: QuantityValue): number {
  const [one, other] = aligned(left, right);
  return one < other ? -1 : one > other ? 1 : 0;
}

function combine(left: QuantityValue, right: QuantityValue, sign: bigint): QuantityValue {
  const [one, other, exponent] = aligned(left, right);
  return { kind: 'quantity', digits: one + sign * other, exponent };
}

/** As in Go, the representation determines the result. A sum of fractions is not an integer, even if its value is. */
function isInteger({ exponent }: QuantityValue): boolean {
  return exponent >= 0;
}

function integerOf(value: QuantityValue): bigint {
  if (!isInteger(value)) {
    throw new EvaluationProblem('cannot convert value to integer');
  }
  return toInt(value.digits * 10n ** BigInt(value.exponent));
}

const asQuantity = (value: CelValue | undefined): QuantityValue => asKind(value, 'quantity');
const fromInt = (value: CelValue | undefined): QuantityValue => ({
  kind: 'quantity',
  digits: asInt(value),
  exponent: 0,
});
const quantity = 'kubernetes.Quantity';
const reading = { cost: costOf.reading };

export const quantities: readonly Overload[] = [
  define(`quantity(string): ${quantity}`, ([text]) => quantityOf(asText(text)), reading),
  define('isQuantity(string): bool', ([text]) => parseQuantity(asText(text)) !== undefined, reading),
  define(`sign(${quantity}): int`, ([value]) => {
    const { digits } = asQuantity(value);
    return digits > 0n ? 1n : digits < 0n ? -1n : 0n;
  }),
  define(`${quantity}.isInteger(): bool`, ([value]) => isInteger(asQuantity(value))),
  define(`${quantity}.asInteger(): int`, ([value]) => integerOf(asQuantity(value))),
  define(`${quantity}.asApproximateFloat(): double`, ([value]) => {
    const { digits, exponent } = asQuantity(value);
    return Number(`${digits}e${exponent}`);
  }),
  define(`${quantity}.compareTo(${quantity}): int`, ([left, right]) =>
    BigInt(compare(asQuantity(left), asQuantity(right))),
  ),
  define(
    `${quantity}.isLessThan(${quantity}): bool`,
    ([left, right]) => compare(asQuantity(left), asQuantity(right)) < 0,
  ),
  define(
    `${quantity}.isGreaterThan(${quantity}): bool`,
    ([left, right]) => compare(asQuantity(left), asQuantity(right)) > 0,
  ),
  define(`${quantity}.add(${quantity}): ${quantity}`, ([left, right]) =>
    combine(asQuantity(left), asQuantity(right), 1n),
  ),
  define(`${quantity}.add(int): ${quantity}`, ([left, right]) => combine(asQuantity(left), fromInt(right), 1n)),
  define(`${quantity}.sub(${quantity}): ${quantity}`, ([left, right]) =>
    combine(asQuantity(left), asQuantity(right), -1n),
  ),
  define(`${quantity}.sub(int): ${quantity}`, ([left, right]) => combine(asQuantity(left), fromInt(right), -1n)),
];
