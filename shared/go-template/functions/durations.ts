// Durations in Go's syntax, such as 1h2m3.5s. https://pkg.go.dev/time#ParseDuration

const unitNanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const second = 1_000_000_000n;
const most = 2n ** 63n - 1n;

/** Nanoseconds; undefined where the text is no duration. */
export function parseDuration(text: string): bigint | undefined {
  const [, sign, body = ''] = /^([+-]?)(.+)$/su.exec(text) ?? [];
  if (body === '0') {
    return 0n;
  }
  const part = /(\d{0,20})(?:\.(\d{0,20}))?(ns|us|µs|μs|ms|s|m|h)/uy;
  let total = 0n;
  while (part.lastIndex < body.length || body === '') {
    const match = part.exec(body);
    const [, whole = '', fraction = '', unit = ''] = match ?? [];
    if (match === null || whole + fraction === '') {
      return undefined;
    }
    const scale = unitNanoseconds[unit] ?? 0n;
    total += BigInt(whole || 0) * scale + (BigInt(fraction || 0) * scale) / 10n ** BigInt(fraction.length);
    if (total > most) {
      return undefined;
    }
  }
  return sign === '-' ? -total : total;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return `${value / unit}${fraction === '' ? '' : `.${fraction}`}`;
}

export function formatDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const sign = nanoseconds < 0n ? '-' : '';
  if (size === 0n) {
    return '0s';
  }
  if (size < second) {
    const unit = size < 1000n ? 'ns' : size < 1_000_000n ? 'µs' : 'ms';
    return `${sign}${decimal(size, unitNanoseconds[unit] ?? 1n)}${unit}`;
  }
  const minutes = size / (60n * second);
  const seconds = `${decimal(size % (60n * second), second)}s`;
  const hours = minutes / 60n;
  return sign + (hours > 0n ? `${hours}h` : '') + (minutes > 0n ? `${minutes % 60n}m` : '') + seconds;
}
