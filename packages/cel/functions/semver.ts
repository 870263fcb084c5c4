// Semantic versions.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library
import { compareSemvers, parseSemver } from '@capi-serverless/apimachinery/semver';
import { asBool, asKind, asText, costOf, define, type Overload } from '../overload.ts';
import { type CelValue, EvaluationProblem, type SemverValue } from '../value.ts';

const mostCharacters = 1000;

/** `normalize` removes a leading v and leading zeros, and adds missing numbers as zeros. */
function parse(text: string, normalize: boolean): SemverValue | undefined {
  const version = text.length > mostCharacters ? undefined : parseSemver(text, normalize ? 'normalized' : 'strict');
  if (version === undefined) {
    return undefined;
  }
  const { build: _, ...release } = version;
  return { kind: 'semver', ...release };
}

function semverOf(text: string, normalize: boolean): SemverValue {
  const version = parse(text, normalize);
  if (version === undefined) {
    const parts = text.split('.').length;
    throw new EvaluationProblem(
      parts < 3 ? 'No Major.Minor.Patch elements found' : `Invalid version ${JSON.stringify(text)}`,
    );
  }
  return version;
}

const asSemver = (value: CelValue | undefined): SemverValue => asKind(value, 'semver');
/** Numbers beyond 63 bits wrap around, as in Kubernetes. */
const toInt = (number: bigint): bigint => BigInt.asIntN(64, number);
const semver = 'kubernetes.Semver';
const reading = { cost: costOf.reading };

export const semvers: readonly Overload[] = [
  define(`semver(string): ${semver}`, ([text]) => semverOf(asText(text), false), reading),
  define(`semver(string, bool): ${semver}`, ([text, flag]) => semverOf(asText(text), asBool(flag)), reading),
  define('isSemver(string): bool', ([text]) => parse(asText(text), false) !== undefined, reading),
  define('isSemver(string, bool): bool', ([text, flag]) => parse(asText(text), asBool(flag)) !== undefined, reading),
  define(`${semver}.major(): int`, ([value]) => toInt(asSemver(value).major)),
  define(`${semver}.minor(): int`, ([value]) => toInt(asSemver(value).minor)),
  define(`${semver}.patch(): int`, ([value]) => toInt(asSemver(value).patch)),
  define(`${semver}.compareTo(${semver}): int`, ([left, right]) =>
    BigInt(compareSemvers(asSemver(left), asSemver(right))),
  ),
  define(
    `${semver}.isLessThan(${semver}): bool`,
    ([left, right]) => compareSemvers(asSemver(left), asSemver(right)) < 0,
  ),
  define(
    `${semver}.isGreaterThan(${semver}): bool`,
    ([left, right]) => compareSemvers(asSemver(left), asSemver(right)) > 0,
  ),
];
