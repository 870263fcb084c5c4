// Durations in Go's syntax, such as 1h2m3.5s, with Go's limits and rounding. https://pkg.go.dev/time#ParseDuration

const nanosecondsOf: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n], // U+00B5 (micro sign)
  ['μs', 1000n], // U+03BC (Greek letter mu)
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const second = 1_000_000_000n;
/** The absolute value of the smallest duration. */
const limit = 2n ** 63n;
const mostDigits = String(limit).length;

/** Returns nanoseconds, or `undefined` if the text is not a duration or exceeds 64 bits. */
export function parseDuration(text: string): bigint | undefined {
  const isNegative = text.startsWith('-');
  const body = text.replace(/^[+-]/, '');
  if (body === '0') {
    return 0n;
  }
  const total = sumOf(body);
  if (total === undefined || (total === limit && !isNegative)) {
    return undefined;
  }
  return isNegative ? -total : total;
}

function sumOf(body: string): bigint | undefined {
  const part = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
  let total = 0n;
  do {
    const [, whole = '', fraction = '', unit = ''] = part.exec(body) ?? [];
    const size = whole + fraction === '' ? undefined : sizeOf(whole, fraction, unit);
    if (size === undefined) {
      return undefined;
    }
    total += size;
  } while (part.lastIndex < body.length && total <= limit);
  return total > limit ? undefined : total;
}

function sizeOf(whole: string, fraction: string, unit: string): bigint | undefined {
  const scale = nanosecondsOf.get(unit);
  const digits = whole.replace(/^0+(?=\d)/, '');
  return scale === undefined || digits.length > mostDigits
    ? undefined
    : BigInt(digits) * scale + nanosecondsOfFraction(fraction, scale);
}

/** Computed in double precision, as in Go. Digits beyond 64 bits are ignored. */
function nanosecondsOfFraction(fraction: string, scale: bigint): bigint {
  let [value, power] = [0n, 1];
  for (const digit of fraction.slice(0, fraction.search(/[1-9]/) + mostDigits)) {
    const next = value * 10n + BigInt(digit);
    if (value > (limit - 1n) / 10n || next > limit) {
      break;
    }
    value = next;
    power *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(scale) / power)));
}

/** Returns the text that Go prints: `1h2m3.5s`, `1.5ms`, `0s`. */
export function printDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const sign = nanoseconds < 0n ? '-' : '';
  if (size === 0n) {
    return '0s';
  }
  if (size < second) {
    const [unit, one] = size < 1000n ? ['ns', 1n] : size < 1_000_000n ? ['µs', 1000n] : ['ms', 1_000_000n];
    return `${sign}${decimal(size, one)}${unit}`;
  }
  const minutes = size / (60n * second);
  const seconds = `${decimal(size % (60n * second), second)}s`;
  const hours = minutes / 60n;
  return sign + (hours > 0n ? `${hours}h` : '') + (minutes > 0n ? `${minutes % 60n}m` : '') + seconds;
}

function decimal(value: bigint, one: bigint): string {
  const digits = String(value % one).padStart(String(one).length - 1, '0');
  const fraction = digits.replace(/(?<!0)0+$/, '');
  return `${value / one}${fraction === '' ? '' : `.${fraction}`}`;
}
