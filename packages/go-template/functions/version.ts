// Semantic versions in the syntax of Masterminds/semver. A leading `v` is accepted. Minor and patch may be missing,
// also before a pre-release. https://github.com/Masterminds/semver
import type { Semver } from '@capi-serverless/apimachinery/semver';
import { FunctionError } from '../call.ts';

export interface Version extends Semver {
  readonly original: string;
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`,
);
const most = 2n ** 64n;
/** The maximum length. Longer texts are invalid. */
const longest = 4096;

/** Throws FunctionError with Go's text. */
export function parseVersion(text: string): Version {
  const match = text.length > longest ? null : pattern.exec(text);
  if (match === null) {
    throw new FunctionError('Invalid Semantic Version');
  }
  const [, major = '0', minor = '0', patch = '0', prereleaseText, buildText] = match;
  const prerelease = prereleaseText?.split('.') ?? [];
  if (prerelease.some(part => /^0[0-9]+$/.test(part))) {
    throw new FunctionError('Version segment starts with 0');
  }
  const numbers = [major, minor, patch].map(BigInt);
  if (numbers.some(number => number >= most)) {
    throw new FunctionError('error parsing version segment: value out of range');
  }
  const [first = 0n, second = 0n, third = 0n] = numbers;
  return { major: first, minor: second, patch: third, prerelease, build: buildText?.split('.') ?? [], original: text };
}
