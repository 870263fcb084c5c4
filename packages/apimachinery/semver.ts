// Semantic versions with the rules of the Go library blang/semver. Numbers have 64 bits. https://semver.org,
// https://pkg.go.dev/github.com/blang/semver/v4

/** The part of a version that determines its precedence. */
export interface Release {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly string[];
}

export interface Semver extends Release {
  readonly build: readonly string[];
}

/**
 * `normalized` also accepts a leading "v", leading zeros and missing numbers, as the CEL library of Kubernetes does.
 * `tolerant` also accepts white space around the version.
 */
type SemverSyntax = 'strict' | 'normalized' | 'tolerant';

const number = String.raw`(0|[1-9]\d*)`;
const prereleaseIdentifier = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)`;
const buildIdentifier = String.raw`[\dA-Za-z-]+`;
const prereleasePart = String.raw`(?:-(${prereleaseIdentifier}(?:\.${prereleaseIdentifier})*))?`;
const buildPart = String.raw`(?:\+(${buildIdentifier}(?:\.${buildIdentifier})*))?`;
const shape = new RegExp(String.raw`^${number}\.${number}\.${number}${prereleasePart}${buildPart}$`);
const numberLimit = 2n ** 64n;

/** Returns `undefined` for an invalid version. */
export function parseSemver(text: string, syntax: SemverSyntax = 'strict'): Semver | undefined {
  const complete = syntax === 'strict' ? text : normalize(syntax === 'tolerant' ? text.trim() : text);
  const match = shape.exec(complete ?? '');
  if (match === null) {
    return undefined;
  }
  const [, major = '', minor = '', patch = '', prereleaseText, buildText] = match;
  const prerelease = prereleaseText?.split('.') ?? [];
  if ([major, minor, patch, ...prerelease].some(isTooLarge)) {
    return undefined;
  }
  return {
    major: BigInt(major),
    minor: BigInt(minor),
    patch: BigInt(patch),
    prerelease,
    build: buildText?.split('.') ?? [],
  };
}

/** Parses the strict form. Only a version with three numbers can have pre-release and build identifiers. */
function normalize(text: string): string | undefined {
  const fields = text.replace(/^v/, '').split('.');
  const parts = fields.length < 3 ? fields : [...fields.slice(0, 2), fields.slice(2).join('.')];
  if (parts.length < 3 && /[+-]/.test(text)) {
    return undefined;
  }
  return [...parts.map(withoutLeadingZeros), '0', '0'].slice(0, 3).join('.');
}

/** As in the Go library, a missing number before a pre-release is zero. */
function withoutLeadingZeros(part: string): string {
  const rest = part.replace(/^0+(?=.)/s, '');
  return part.length < 2 || /^\d/.test(rest) ? rest : `0${rest}`;
}

function isNumeric(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}

function isTooLarge(identifier: string): boolean {
  return isNumeric(identifier) && BigInt(identifier) >= numberLimit;
}

export function printSemver({ major, minor, patch, prerelease, build }: Semver): string {
  const suffix = (mark: string, identifiers: readonly string[]): string =>
    identifiers.length === 0 ? '' : `${mark}${identifiers.join('.')}`;
  return `${major}.${minor}.${patch}${suffix('-', prerelease)}${suffix('+', build)}`;
}

/** Compares by semantic precedence. Build metadata is ignored. */
export function compareSemvers(a: Release, b: Release): -1 | 0 | 1 {
  return (
    order(a.major, b.major) ||
    order(a.minor, b.minor) ||
    order(a.patch, b.patch) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}

/** A version without pre-release has precedence over one with a pre-release. */
export function comparePrereleases(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  return a.length === 0 || b.length === 0 ? order(b.length, a.length) : compareIdentifierLists(a, b, order);
}

/**
 * Numeric identifiers are compared as numbers and sort before texts. With an equal prefix, the shorter list sorts first.
 * An identifier that exceeds 64 bits is a text.
 */
export function compareIdentifierLists<T>(
  a: readonly string[],
  b: readonly string[],
  compareTexts: (left: string, right: string) => T,
): T | -1 | 0 | 1 {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) {
      return 1;
    }
    const result = compareIdentifiers(left, right, compareTexts);
    if (result !== 0) {
      return result;
    }
  }
  return order(a.length, b.length);
}

function compareIdentifiers<T>(
  left: string,
  right: string,
  compareTexts: (left: string, right: string) => T,
): T | -1 | 0 | 1 {
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a !== undefined && b !== undefined) {
    return order(a, b);
  }
  if (a === undefined && b === undefined) {
    return left === right ? 0 : compareTexts(left, right);
  }
  return a === undefined ? 1 : -1;
}

function toNumber(identifier: string): bigint | undefined {
  return isNumeric(identifier) && !isTooLarge(identifier) ? BigInt(identifier) : undefined;
}

function order<T extends bigint | number | string>(left: T, right: T): -1 | 0 | 1 {
  return left < right ? -1 : left > right ? 1 : 0;
}
