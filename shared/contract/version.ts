// Semantic versions (https://semver.org) as Kubernetes writes them: optional "v", and build metadata that counts.
import { compareText } from '../names/text-order.ts';

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly string[];
  readonly build: readonly string[];
}

const prereleaseIdentifier = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)`;
const buildIdentifier = String.raw`[\dA-Za-z-]+`;
const prereleasePart = String.raw`(?:-(${prereleaseIdentifier}(?:\.${prereleaseIdentifier})*))?`;
const buildPart = String.raw`(?:\+(${buildIdentifier}(?:\.${buildIdentifier})*))?`;
/** Only a full version may carry pre-release and build identifiers. */
const shape = new RegExp(String.raw`^\s*v?(\d+)(?:\.(\d+)(?:\.(\d+)${prereleasePart}${buildPart})?)?\s*$`);

/** Tolerant: a leading "v" and missing minor and patch are accepted. `undefined` when it is no version. */
export function parseVersion(text: string): Version | undefined {
  const match = shape.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, major, minor = '0', patch = '0', prerelease, build] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: prerelease?.split('.') ?? [],
    build: build?.split('.') ?? [],
  };
}

/** The whole version with a leading "v": what was left out in a tolerant text is filled in. */
export function toVersionText({ major, minor, patch, prerelease, build }: Version): string {
  const suffix = (mark: string, identifiers: readonly string[]): string =>
    identifiers.length === 0 ? '' : `${mark}${identifiers.join('.')}`;
  return `v${major}.${minor}.${patch}${suffix('-', prerelease)}${suffix('+', build)}`;
}

/** Semantic precedence: build metadata does not count. */
export function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  const byNumber = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (byNumber !== 0) {
    return toSign(byNumber);
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return toSign(b.prerelease.length - a.prerelease.length);
  }
  return firstDifference(a.prerelease, b.prerelease, (left, right) => toSign(compareText(left, right)));
}

/** Precedence, then build metadata. 'incomparable': equal but for build identifiers that have no order. */
export function compareVersionsWithBuild(a: Version, b: Version): -1 | 0 | 1 | 'incomparable' {
  return compareVersions(a, b) || firstDifference(a.build, b.build, () => 'incomparable');
}

/**
 * Display order of version texts: versions ascending with build metadata, equal ones by their text, then what is no
 * version, by its text. 0 for incomparable ones, so that a stable sort keeps their order.
 */
export function compareVersionTexts(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined) || compareText(a, b);
  }
  const order = compareVersionsWithBuild(left, right);
  return order === 'incomparable' ? 0 : order || compareText(a, b);
}

/** After an equal beginning the shorter list comes first. */
function firstDifference<T>(
  a: readonly string[],
  b: readonly string[],
  compareTexts: (left: string, right: string) => T,
): T | -1 | 0 | 1 {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) {
      return 1;
    }
    const order = compareIdentifiers(left, right, compareTexts);
    if (order !== 0) {
      return order;
    }
  }
  return toSign(a.length - b.length);
}

/** Numeric identifiers compare as numbers and come before texts. */
function compareIdentifiers<T>(
  left: string,
  right: string,
  compareTexts: (left: string, right: string) => T,
): T | -1 | 0 | 1 {
  if (left === right) {
    return 0;
  }
  if (isNumeric(left) && isNumeric(right)) {
    return toSign(BigInt(left) - BigInt(right));
  }
  return isNumeric(left) ? -1 : isNumeric(right) ? 1 : compareTexts(left, right);
}

function isNumeric(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}

function toSign(difference: number | bigint): -1 | 0 | 1 {
  return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}
