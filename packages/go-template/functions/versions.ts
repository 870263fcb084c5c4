// Semantic versions and constraints on them. https://github.com/Masterminds/semver
import { compareSemvers, printSemver } from '@capi-serverless/apimachinery/semver';
import { define, FunctionError, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';
import { int, type Methods, Opaque, type TemplateValue } from '../value.ts';
import { parseVersion, type Version } from './version.ts';
import { checkConstraint } from './version-constraint.ts';

function versionOf(value: TemplateValue): Version {
  if (value instanceof Opaque && value.type.endsWith('semver.Version')) {
    return value.content as Version; // True: `toOpaque` sets this state.
  }
  throw new FunctionError('a version is needed');
}

const compares = (version: Version, holds: (order: number) => boolean) => ({
  params: ['version'] as const,
  run: ([other]: readonly TemplateValue[], meter: Meter) => holds(compared(version, versionOf(other), meter)),
});

type Meter = Parameters<Methods[string]['run']>[1];

/** The number of characters of a version that are compared in one step. Each may be an identifier. */
const comparedPerStep = 8;

function compared(version: Version, other: Version, meter: Meter): number {
  meter.spend((version.original.length + other.original.length) / comparedPerStep);
  return compareSemvers(version, other);
}

const returning = (value: TemplateValue) => ({ params: [] as const, run: () => value });

function toOpaque(version: Version, kind: 'ptr' | 'struct' = 'ptr'): Opaque {
  const { major, minor, patch, prerelease, build, original } = version;
  const text = printSemver(version);
  const raised = (next: Partial<Version>) => {
    const made = { ...version, prerelease: [], build: [], ...next };
    return {
      params: [] as const,
      run: () => toOpaque({ ...made, original: prefixOf(original) + printSemver(made) }, 'struct'),
    };
  };
  return new Opaque({
    type: kind === 'ptr' ? '*semver.Version' : 'semver.Version',
    kind,
    content: version,
    text,
    methods: {
      Major: returning(int(major, 'uint64')),
      Minor: returning(int(minor, 'uint64')),
      Patch: returning(int(patch, 'uint64')),
      Prerelease: returning(prerelease.join('.')),
      Metadata: returning(build.join('.')),
      String: returning(text),
      IncMajor: raised({ major: major + 1n, minor: 0n, patch: 0n }),
      IncMinor: raised({ minor: minor + 1n, patch: 0n }),
      IncPatch: raised(prerelease.length === 0 ? { patch: patch + 1n } : {}),
      ...(kind === 'ptr' ? ofPointer(version) : {}),
    },
  });
}

/** Go finds these methods only on a variable, and not on the result of a call. */
function ofPointer(version: Version): Methods {
  return {
    Original: returning(version.original),
    Compare: { params: ['version'], run: ([other], meter) => int(compared(version, versionOf(other), meter)) },
    Equal: compares(version, order => order === 0),
    LessThan: compares(version, order => order < 0),
    LessThanEqual: compares(version, order => order <= 0),
    GreaterThan: compares(version, order => order > 0),
    GreaterThanEqual: compares(version, order => order >= 0),
  };
}

function prefixOf(original: string): string {
  return original.startsWith('v') ? 'v' : '';
}

function satisfies(constraint: string, text: string, meter: RenderMeter): boolean {
  meter.spend(constraint.length + text.length);
  return checkConstraint(constraint, text);
}

export const versionFunctions: FunctionTable = {
  semver: define(['string'], ([text]) => toOpaque(parseVersion(text))),
  semverCompare: define(['string', 'string'], ([constraint, text], meter) => satisfies(constraint, text, meter)),
};
