// Semantic versions.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library
import { asBool, asKind, asText, costOf, define, type Overload } from '../overload.ts';
import { EvaluationProblem, type SemverValue, type Value } from '../value.ts';

const shape =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const mostCharacters = 1000;

/** `normalize`: without a leading v, with zeros for what is missing, without leading zeros. */
export function parseSemver(given: string, normalize: boolean): SemverValue | undefined {
  const match = given.length > mostCharacters ? null : shape.exec(normalize ? normalized(given) : given);
  const [, major, minor, patch, prerelease] = match ?? [];
  const parts = prerelease?.split('.') ?? [];
  if (major === undefined || minor === undefined || patch === undefined || parts.some(part => /^0\d+$/.test(part))) {
    return undefined;
  }
  return { kind: 'semver', major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch), prerelease: parts };
}

function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([^+-]*)(.*)$/s.exec(text) ?? [];
  const parts = core.split('.').map(part => part.replace(/^0+(?=\d)/, ''));
  return `${[...parts, '0', '0'].slice(0, Math.max(3, parts.length)).join('.')}${rest}`;
}

function semverOf(text: string, normalize: boolean): SemverValue {
  const version = parseSemver(text, normalize);
  if (version === undefined) {
    const parts = text.split('.').length;
    throw new EvaluationProblem(
      parts < 3 ? 'No Major.Minor.Patch elements found' : `Invalid version ${JSON.stringify(text)}`,
    );
  }
  return version;
}

function order<T extends bigint | number | string>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function comparePart(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) {
    return left === right ? 0 : left === undefined ? -1 : 1;
  }
  const [one, other] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (one !== other) {
    return one ? -1 : 1;
  }
  return one ? order(BigInt(left), BigInt(right)) : order(left, right);
}

/** A version without prerelease comes after those with one. */
function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) {
    return order(right.length, left.length);
  }
  const longest = Math.max(left.length, right.length);
  for (let at = 0; at < longest; at += 1) {
    const result = comparePart(left[at], right[at]);
    if (result !== 0) {
      return result;
    }
  }
  return 0;
}

function compare(left: SemverValue, right: SemverValue): number {
  return (
    order(left.major, right.major) ||
    order(left.minor, right.minor) ||
    order(left.patch, right.patch) ||
    comparePrereleases(left.prerelease, right.prerelease)
  );
}

const asSemver = (value: Value | undefined): SemverValue => asKind(value, 'semver');
const semver = 'kubernetes.Semver';
const reading = { cost: costOf.reading };

export const semvers: readonly Overload[] = [
  define(`semver(string): ${semver}`, ([text]) => semverOf(asText(text), false), reading),
  define(`semver(string, bool): ${semver}`, ([text, flag]) => semverOf(asText(text), asBool(flag)), reading),
  define('isSemver(string): bool', ([text]) => parseSemver(asText(text), false) !== undefined, reading),
  define(
    'isSemver(string, bool): bool',
    ([text, flag]) => parseSemver(asText(text), asBool(flag)) !== undefined,
    reading,
  ),
  define(`${semver}.major(): int`, ([value]) => asSemver(value).major),
  define(`${semver}.minor(): int`, ([value]) => asSemver(value).minor),
  define(`${semver}.patch(): int`, ([value]) => asSemver(value).patch),
  define(`${semver}.compareTo(${semver}): int`, ([left, right]) => BigInt(compare(asSemver(left), asSemver(right)))),
  define(`${semver}.isLessThan(${semver}): bool`, ([left, right]) => compare(asSemver(left), asSemver(right)) < 0),
  define(`${semver}.isGreaterThan(${semver}): bool`, ([left, right]) => compare(asSemver(left), asSemver(right)) > 0),
];
