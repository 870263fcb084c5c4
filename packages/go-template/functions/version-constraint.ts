// Version constraints. Operators are `^ ~ >= <= > < = !=`. `x` means any number. Ranges have a hyphen. `,` and spaces
// mean and, `||` means or. A constraint without prerelease excludes versions with one.
// https://github.com/Masterminds/semver#checking-version-constraints
import { comparePrereleases, compareSemvers } from '@capi-serverless/apimachinery/semver';
import { FunctionError } from '../call.ts';
import { parseVersion, type Version } from './version.ts';

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const number = '[0-9|xX*]+';
const version = `v?(?:${number})(?:\\.${number})?(?:\\.${number})?(?:-${identifiers})?(?:\\+${identifiers})?`;
const operator = '=>|>=|=<|<=|!=|~>|[=<>~^]|';
const all = new RegExp(
  `^\\s*(?:${operator})\\s*(?:${version})\\s*(?:(?:\\s+|,\\s*)(?:${operator})\\s*(?:${version})\\s*)*$`,
);
const one = new RegExp(`(${operator})\\s*(${version})`, 'g');
const range = new RegExp(`\\s*(${version})\\s+-\\s+(${version})\\s*`, 'g');
const parts = new RegExp(
  `^v?(${number})(?:\\.(${number}))?(?:\\.(${number}))?(-${identifiers})?(?:\\+${identifiers})?$`,
);
/** The maximum length. Longer texts are invalid. */
const longest = 4096;

interface Constraint {
  readonly operator: string;
  readonly bound: Version;
  /** The first part that is missing or a wildcard. */
  readonly open: 'major' | 'minor' | 'patch' | undefined;
}

/** Throws FunctionError with Go's text if the constraint or the version is invalid. */
export function checkConstraint(constraint: string, text: string): boolean {
  const alternatives = parseConstraint(constraint);
  const checked = parseVersion(text);
  return alternatives.some(needed => needed.every(each => isMet(each, checked)));
}

function parseConstraint(text: string): readonly (readonly Constraint[])[] {
  const whole = text.length > longest ? '(too long)' : text;
  const rewritten = /\s-\s/.test(whole) ? whole.replaceAll(/\s+/g, ' ').replaceAll(range, '>= $1, <= $2 ') : whole;
  return rewritten.split('||').map(alternative => {
    // Normalizes white space, so that the expression does not backtrack.
    if (!all.test(alternative.replaceAll(/\s+/g, ' ').replaceAll(/ ?, ?/g, ','))) {
      throw new FunctionError(`improper constraint: ${alternative}`);
    }
    return [...alternative.matchAll(one)].map(([, sign = '', bound = '']) => toConstraint(sign, bound));
  });
}

const isAny = (part: string | undefined): boolean => part === undefined || ['x', 'X', '*'].includes(part);

function toConstraint(sign: string, text: string): Constraint {
  const [, major = '', minor = '', patch = '', prerelease = ''] = parts.exec(text) ?? [];
  const open = isAny(major)
    ? 'major'
    : isAny(minor || undefined)
      ? 'minor'
      : isAny(patch || undefined)
        ? 'patch'
        : undefined;
  const bound = {
    major: `0.0.0${prerelease}`,
    minor: `${major}.0.0${prerelease}`,
    patch: `${major}.${minor}.0${prerelease}`,
    none: text,
  }[open ?? 'none'];
  try {
    return { operator: sign, bound: parseVersion(bound), open };
  } catch (error) {
    throw error instanceof FunctionError ? new FunctionError('constraint Parser Error') : error;
  }
}

function isMet(constraint: Constraint, checked: Version): boolean {
  const isExactDifference = constraint.operator === '!=' && constraint.open === undefined;
  if (checked.prerelease.length > 0 && constraint.bound.prerelease.length === 0 && !isExactDifference) {
    return false;
  }
  switch (constraint.operator) {
    case '!=':
      return differs(constraint, checked);
    case '>':
      return isAbove(constraint, checked);
    case '<':
      return compareSemvers(checked, constraint.bound) < 0;
    case '>=':
    case '=>':
      return compareSemvers(checked, constraint.bound) >= 0;
    case '<=':
    case '=<':
      return isAtMost(constraint, checked);
    case '~':
    case '~>':
      return isNear(constraint, checked);
    case '^':
      return isCompatible(constraint, checked);
    default:
      return constraint.open === undefined
        ? compareSemvers(checked, constraint.bound) === 0
        : isNear(constraint, checked);
  }
}

function differs({ bound, open }: Constraint, checked: Version): boolean {
  if (open === undefined || open === 'major') {
    return compareSemvers(checked, bound) !== 0;
  }
  if (checked.major !== bound.major || (open === 'patch' && checked.minor !== bound.minor)) {
    return true;
  }
  const hasPrerelease = checked.prerelease.length > 0 || bound.prerelease.length > 0;
  return open === 'patch' && hasPrerelease && comparePrereleases(checked.prerelease, bound.prerelease) !== 0;
}

function isAbove({ bound, open }: Constraint, checked: Version): boolean {
  if (open === undefined || checked.major !== bound.major) {
    return open === undefined ? compareSemvers(checked, bound) > 0 : checked.major > bound.major;
  }
  if (open === 'minor') {
    return false;
  }
  return open === 'patch' ? checked.minor > bound.minor : compareSemvers(checked, bound) > 0;
}

function isAtMost({ bound, open }: Constraint, checked: Version): boolean {
  if (open === undefined) {
    return compareSemvers(checked, bound) <= 0;
  }
  return (
    checked.major < bound.major || (checked.major === bound.major && (checked.minor <= bound.minor || open === 'minor'))
  );
}

function isNear({ bound, open }: Constraint, checked: Version): boolean {
  if (compareSemvers(checked, bound) < 0) {
    return false;
  }
  const isZero = bound.major === 0n && bound.minor === 0n && bound.patch === 0n;
  if (isZero && open !== 'minor' && open !== 'patch') {
    return true;
  }
  return checked.major === bound.major && (checked.minor === bound.minor || open === 'minor');
}

function isCompatible({ bound, open }: Constraint, checked: Version): boolean {
  if (compareSemvers(checked, bound) < 0) {
    return false;
  }
  if (bound.major > 0n || open === 'minor') {
    return checked.major === bound.major;
  }
  if (checked.major > 0n) {
    return false;
  }
  if (bound.minor > 0n || open === 'patch') {
    return checked.minor === bound.minor;
  }
  return checked.minor === 0n && checked.patch === bound.patch;
}
