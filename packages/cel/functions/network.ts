// IP addresses and networks.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library
import type { RuleMeter } from '../budget.ts';
import { asKind, asText, costOf, define, defineIn, type Overload } from '../overload.ts';
import { type CelValue, type CidrValue, EvaluationProblem, type IpValue } from '../value.ts';

const widths = { 4: 32, 6: 128 } as const;

/** Strict parsing: no leading zeros, no zones, no IPv4 inside IPv6. */
function parseIp(text: string): IpValue | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpValue | undefined {
  const parts = text.split('.');
  const isPart = (part: string): boolean => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256;
  if (parts.length !== 4 || !parts.every(isPart)) {
    return undefined;
  }
  return { kind: 'ip', family: 4, bits: parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n) };
}

function parseIpv6(text: string): IpValue | undefined {
  const halves = text.split('::');
  const groupsOf = (half: string | undefined): readonly string[] =>
    half === undefined || half === '' ? [] : half.split(':');
  const [head, tail] = [groupsOf(halves[0]), groupsOf(halves[1])];
  const missing = 8 - head.length - tail.length;
  const groups = halves.length === 2 ? [...head, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail] : head;
  const isShort = halves.length === 2 && missing < 1;
  if (halves.length > 2 || groups.length !== 8 || isShort || !groups.every(group => /^[0-9A-Fa-f]{1,4}$/.test(group))) {
    return undefined;
  }
  return { kind: 'ip', family: 6, bits: groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n) };
}

function formatIp({ family, bits }: IpValue): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map(shift => (bits >> shift) & 255n).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, at) => ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  const runs = [...`:${groups.join(':')}:`.matchAll(/(?<=:)(?:0:){2,}/g)];
  const [longest] = runs.toSorted((left, right) => right[0].length - left[0].length);
  if (longest === undefined) {
    return groups.join(':');
  }
  const text = `:${groups.join(':')}:`;
  const [head, tail] = [text.slice(1, longest.index), text.slice(longest.index + longest[0].length, -1)];
  return `${head.replace(/:$/, '')}::${tail}`;
}

function parseCidr(text: string): CidrValue | undefined {
  const [address = '', length = '', ...rest] = text.split('/');
  const ip = parseIp(address);
  const prefix = /^(0|[1-9]\d{0,2})$/.test(length) ? Number(length) : Number.NaN;
  return ip === undefined || rest.length > 0 || !(prefix <= widths[ip.family])
    ? undefined
    : { kind: 'cidr', ip, prefix };
}

function masked({ family, bits }: IpValue, prefix: number): bigint {
  const host = BigInt(widths[family] - prefix);
  return (bits >> host) << host;
}

function ipOf(text: string): IpValue {
  const ip = parseIp(text);
  if (ip === undefined) {
    const quoted = JSON.stringify(text);
    throw new EvaluationProblem(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
    );
  }
  return ip;
}

function cidrOf(text: string): CidrValue {
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    throw new EvaluationProblem(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${text.includes('/') ? 'unable to parse' : "no '/'"}`,
    );
  }
  return cidr;
}

function containsIp(cidr: CidrValue, ip: IpValue): boolean {
  return cidr.ip.family === ip.family && masked(ip, cidr.prefix) === masked(cidr.ip, cidr.prefix);
}

function containsCidr(outer: CidrValue, inner: CidrValue): boolean {
  return inner.prefix >= outer.prefix && containsIp(outer, inner.ip);
}

const within = (ip: IpValue, ...networks: readonly string[]): boolean =>
  networks.some(network => containsIp(cidrOf(network), ip));

const properties: readonly (readonly [name: string, holds: (ip: IpValue) => boolean])[] = [
  ['isUnspecified', ({ bits }) => bits === 0n],
  ['isLoopback', ip => within(ip, '127.0.0.0/8', '::1/128')],
  [
    'isLinkLocalMulticast',
    ip => within(ip, '224.0.0.0/24') || (ip.family === 6 && ((ip.bits >> 112n) & 0xff0fn) === 0xff02n),
  ],
  ['isLinkLocalUnicast', ip => within(ip, '169.254.0.0/16', 'fe80::/10')],
  [
    'isGlobalUnicast',
    ip =>
      ip.bits !== 0n &&
      !within(
        ip,
        '127.0.0.0/8',
        '::1/128',
        '224.0.0.0/4',
        'ff00::/8',
        '169.254.0.0/16',
        'fe80::/10',
        '255.255.255.255/32',
      ),
  ],
];

/** The units for a character of an address, in addition to its cost in API servers. The error contains it twice. */
const unitsPerCharacter = 16;

function paidText(value: CelValue | undefined, meter: RuleMeter): string {
  const text = asText(value);
  meter.work(text.length * unitsPerCharacter);
  return text;
}

const ip = 'net.IP';
const cidr = 'net.CIDR';
const reading = { cost: costOf.reading };

export const network: readonly Overload[] = [
  define(`ip(string): ${ip}`, ([text], meter) => ipOf(paidText(text, meter)), reading),
  define('isIP(string): bool', ([text]) => parseIp(asText(text)) !== undefined, reading),
  defineIn(
    'ip',
    'isCanonical(string): bool',
    ([text], meter) => formatIp(ipOf(paidText(text, meter))) === asText(text),
    reading,
  ),
  define(`${ip}.family(): int`, ([value]) => BigInt(asKind(value, 'ip').family)),
  define(`string(${ip}): string`, ([value]) => formatIp(asKind(value, 'ip')), {
    resultSize: () => ({ min: 2, max: 39 }),
  }),
  ...properties.map(([name, holds]) => define(`${ip}.${name}(): bool`, ([value]) => holds(asKind(value, 'ip')))),
  define(`cidr(string): ${cidr}`, ([text], meter) => cidrOf(paidText(text, meter)), reading),
  define('isCIDR(string): bool', ([text]) => parseCidr(asText(text)) !== undefined, reading),
  define(
    `string(${cidr}): string`,
    ([value]) => {
      const { ip: address, prefix } = asKind(value, 'cidr');
      return `${formatIp(address)}/${prefix}`;
    },
    { resultSize: () => ({ min: 4, max: 43 }) },
  ),
  define(`${cidr}.ip(): ${ip}`, ([value]) => asKind(value, 'cidr').ip),
  define(`${cidr}.prefixLength(): int`, ([value]) => BigInt(asKind(value, 'cidr').prefix)),
  define(`${cidr}.masked(): ${cidr}`, ([value]) => {
    const { ip: address, prefix } = asKind(value, 'cidr');
    return { kind: 'cidr', prefix, ip: { ...address, bits: masked(address, prefix) } };
  }),
  define(`${cidr}.containsIP(${ip}): bool`, ([net, value]) => containsIp(asKind(net, 'cidr'), asKind(value, 'ip'))),
  define(`${cidr}.containsIP(string): bool`, ([net, text], meter) =>
    containsIp(asKind(net, 'cidr'), ipOf(paidText(text, meter))),
  ),
  define(`${cidr}.containsCIDR(${cidr}): bool`, ([net, other]) =>
    containsCidr(asKind(net, 'cidr'), asKind(other, 'cidr')),
  ),
  define(`${cidr}.containsCIDR(string): bool`, ([net, text], meter) =>
    containsCidr(asKind(net, 'cidr'), cidrOf(paidText(text, meter))),
  ),
];
