// Kubernetes versions, parsed as Cluster API does, and their order with build metadata.
import { compareText } from '@capi-serverless/apimachinery';
import {
  compareIdentifierLists,
  compareSemvers,
  parseSemver,
  printSemver,
  type Semver,
} from '@capi-serverless/apimachinery/semver';

/** Tolerant: a leading "v" and missing minor and patch are accepted. `undefined` for an invalid version. */
export function parseVersion(text: string): Semver | undefined {
  return parseSemver(text, 'tolerant');
}

/** The complete version with a leading "v"; parts that the text omitted are filled in. */
export function toVersionText(version: Semver): string {
  return `v${printSemver(version)}`;
}

/** Precedence, then build metadata. 'incomparable': equal except for build identifiers without an order. */
export function compareVersionsWithBuild(a: Semver, b: Semver): -1 | 0 | 1 | 'incomparable' {
  return compareSemvers(a, b) || compareIdentifierLists(a.build, b.build, () => 'incomparable');
}

/**
 * Display order of version texts: versions ascending with build metadata, equal ones by text, then invalid ones by
 * text. 0 for incomparable ones, so that a stable sort keeps their order.
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
