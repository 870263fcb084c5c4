// A semantic version; `v` in front, and a minor or patch that is missing, are accepted. https://semver.org
import { FunctionError } from '../call.ts';

export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`,
);
const most = 2n ** 64n;
/** Longer ones are none. */
const longest = 4096;

/** Throws FunctionError in Go's words. */
export function parseVersion(text: string): Version {
  const match = text.length > longest ? null : pattern.exec(text);
  if (match === null) {
    throw new FunctionError('Invalid Semantic Version');
  }
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  if (prerelease.split('.').some(part => /^0[0-9]+$/.test(part))) {
    throw new FunctionError('Version segment starts with 0');
  }
  const numbers = [major, minor, patch].map(BigInt);
  if (numbers.some(number => number >= most)) {
    throw new FunctionError('error parsing version segment: value out of range');
  }
  const [first = 0n, second = 0n, third = 0n] = numbers;
  return { major: first, minor: second, patch: third, prerelease, metadata, original: text };
}

export function versionText({ major, minor, patch, prerelease, metadata }: Omit<Version, 'original'>): string {
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`;
}

function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** −1, 0 or 1; metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  return (
    compare(a.major, b.major) ||
    compare(a.minor, b.minor) ||
    compare(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

/** None is above any. */
export function comparePrereleases(a: string, b: string): number {
  if (a === b || a === '' || b === '') {
    return a === b ? 0 : a === '' ? 1 : -1;
  }
  const [left, right] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const order = comparePart(left[at], right[at]);
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) {
    return a === undefined ? -1 : 1;
  }
  const [left, right] = [toNumber(a), toNumber(b)];
  if (left !== undefined && right !== undefined) {
    return compare(left, right);
  }
  return left === undefined && right === undefined ? compare(a, b) : left === undefined ? 1 : -1;
}

function toNumber(part: string): bigint | undefined {
  const number = /^[0-9]+$/.test(part) ? BigInt(part) : undefined;
  return number !== undefined && number < most ? number : undefined;
}
