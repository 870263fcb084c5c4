// The Kubernetes versions that a ClusterClass lists: semantic versions, each later than the one before.
// https://semver.org, read tolerantly: with a leading v, spaces around, and missing or zero-padded numbers.
import { type FieldError, invalidValue } from '../api/field-error.ts';

interface Version {
  readonly numbers: readonly [number, number, number];
  readonly pre: readonly string[];
  readonly build: readonly string[];
}

const pattern = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

function parse(text: string): Version | undefined {
  const match = pattern.exec(text.trim().replace(/^v/, ''));
  const [, major = '0', minor = '0', patch = '0', pre, build] = match ?? [];
  const version: Version = {
    numbers: [Number(major), Number(minor), Number(patch)],
    pre: pre?.split('.') ?? [],
    build: build?.split('.') ?? [],
  };
  const isWhole = [...version.pre, ...version.build].every(part => part !== '');
  return match !== null && isWhole && !version.pre.some(part => /^0\d+$/.test(part)) ? version : undefined;
}

function print({ numbers, pre, build }: Version): string {
  const suffix = `${pre.length === 0 ? '' : `-${pre.join('.')}`}${build.length === 0 ? '' : `+${build.join('.')}`}`;
  return `${numbers.join('.')}${suffix}`;
}

const isNumber = (part: string): boolean => /^\d+$/.test(part);

/** Numbers come before words; `ofWords` decides between two words. */
function compareParts(
  left: readonly string[],
  right: readonly string[],
  ofWords: (a: string, b: string) => number,
): number {
  for (const [index, a] of left.entries()) {
    const b = right[index];
    if (b === undefined) {
      return 1;
    }
    const [aIsNumber, bIsNumber] = [isNumber(a), isNumber(b)];
    const order = aIsNumber && bIsNumber ? Number(a) - Number(b) : aIsNumber ? -1 : bIsNumber ? 1 : ofWords(a, b);
    if (order !== 0) {
      return order;
    }
  }
  return left.length - right.length;
}

/** Positive also where two builds have no order. */
function compare(left: Version, right: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (left.numbers[index] !== right.numbers[index]) {
      return left.numbers[index] - right.numbers[index];
    }
  }
  const isRelease = Number(left.pre.length === 0) - Number(right.pre.length === 0);
  const ofPre =
    isRelease === 0 ? compareParts(left.pre, right.pre, (a, b) => (a < b ? -1 : Number(a !== b))) : isRelease;
  return ofPre === 0 ? compareParts(left.build, right.build, (a, b) => Number(a !== b)) : ofPre;
}

export function problemsOfVersions(versions: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  let previous: Version | undefined;
  for (const [index, text] of versions.entries()) {
    const field = `spec.kubernetesVersion[${index}]`;
    const version = parse(text);
    if (version === undefined) {
      errors.push(invalidValue(field, text, 'version must be a valid semantic version'));
      continue;
    }
    if (previous !== undefined) {
      errors.push(...problemsOfStep(previous, version).map(problem => invalidValue(field, text, problem)));
    }
    previous = version;
  }
  return errors;
}

function problemsOfStep(previous: Version, version: Version): readonly string[] {
  const minor = previous.numbers[1];
  const isNext = version.numbers[1] === minor || version.numbers[1] === minor + 1;
  return [
    ...(compare(version, previous) <= 0 ? [`version must be greater than v${print(previous)}`] : []),
    ...(isNext ? [] : [`expecting a version with minor ${minor} or ${minor + 1}, found version ${print(version)}`]),
  ];
}
