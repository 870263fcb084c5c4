// Formats floating point numbers like Go's strconv. https://pkg.go.dev/strconv#FormatFloat

/** The significant digits and the position of the point: 0.d₁d₂… × 10^point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Returns the fewest digits that parse to the same number. */
function shortest(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  return value === 0 ? { digits: '', point: 0 } : { digits, point: Number(exponent) + 1 };
}

/** Returns all digits of the number, at most about 770. */
function exact(value: number): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  const text = power >= 0 ? (mantissa << BigInt(power)).toString() : (mantissa * 5n ** BigInt(-power)).toString();
  const digits = text.replace(/(?<!0)0+$/, '');
  return { digits, point: digits === '' ? 0 : text.length + Math.min(power, 0) };
}

/** Rounds to `keep` digits, half to even. */
function round({ digits, point }: Decimal, keep: number): Decimal {
  if (keep >= digits.length) {
    return { digits, point };
  }
  if (keep < 0) {
    return { digits: '', point: 0 };
  }
  const rest = digits.slice(keep);
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const isOdd = keep > 0 && Number(digits[keep - 1]) % 2 === 1;
  const up = rest > half || (rest === half && isOdd);
  const kept = digits.slice(0, keep);
  if (!up) {
    const trimmed = kept.replace(/(?<!0)0+$/, '');
    return { digits: trimmed, point: trimmed === '' ? 0 : point };
  }
  const raised = (BigInt(`0${kept}`) + 1n).toString().padStart(keep, '0');
  const carried = raised.length > keep ? 1 : 0;
  return { digits: raised.replace(/(?<!0)0+$/, ''), point: point + carried };
}

export type FloatFormat = 'e' | 'f' | 'g';

/** Formats the number without a sign. Precision −1 means as many digits as needed. */
export function formatMagnitude(value: number, format: FloatFormat, precision: number): string {
  const magnitude = Math.abs(value);
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? 'NaN' : 'Inf';
  }
  const all = precision < 0 ? shortest(magnitude) : exact(magnitude);
  if (format === 'f') {
    return fixed(precision < 0 ? all : round(all, all.point + precision), precision);
  }
  if (format === 'e') {
    return scientific(precision < 0 ? all : round(all, precision + 1), precision);
  }
  return general(all, precision);
}

/** The maximum number of integer digits without an exponent. */
const longestPlain = 6;

function general(all: Decimal, precision: number): string {
  const wanted = precision === 0 ? 1 : precision;
  const rounded = precision < 0 ? all : round(all, wanted);
  const { digits, point } = rounded;
  const isLong = wanted > digits.length && digits.length >= point;
  const limit = precision < 0 ? longestPlain : isLong ? digits.length : wanted;
  const exponent = point - 1;
  if (digits !== '' && (exponent < -4 || exponent >= limit)) {
    return scientific(rounded, digits.length - 1);
  }
  return fixed(rounded, Math.max(digits.length - point, 0));
}

function fixed({ digits, point }: Decimal, precision: number): string {
  const places = precision < 0 ? Math.max(digits.length - point, 0) : precision;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places === 0) {
    return whole;
  }
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, places)) + digits;
  return `${whole}.${fraction.slice(0, places).padEnd(places, '0')}`;
}

function scientific({ digits, point }: Decimal, precision: number): string {
  const places = precision < 0 ? Math.max(digits.length - 1, 0) : precision;
  const exponent = digits === '' ? 0 : point - 1;
  const fraction = places === 0 ? '' : `.${digits.slice(1).padEnd(places, '0')}`;
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${digits[0] ?? '0'}${fraction}e${exponent < 0 ? '-' : '+'}${power}`;
}

export function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

/** Returns the form of `%v`: 4, 2.5, 1e+06. */
export function formatFloat(value: number): string {
  if (value === Number.POSITIVE_INFINITY) {
    return '+Inf';
  }
  return (isNegative(value) ? '-' : '') + formatMagnitude(value, 'g', -1);
}
