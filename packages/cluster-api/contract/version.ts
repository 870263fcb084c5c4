// Kubernetes versions: parsing with the rules of Cluster API, and their order including build metadata.
import { compareText } from '@capi-serverless/apimachinery';
import {
  compareIdentifierLists,
  compareSemvers,
  parseSemver,
  printSemver,
  type Semver,
} from '@capi-serverless/apimachinery/semver';

/** Accepts a leading "v" and missing minor and patch numbers. Returns `undefined` for an invalid version. */
export function parseVersion(text: string): Semver | undefined {
  return parseSemver(text, 'tolerant');
}

/** Returns the complete version with a leading "v". Missing parts are filled in. */
export function toVersionText(version: Semver): string {
  return `v${printSemver(version)}`;
}

/** Compares precedence, then build metadata. 'incomparable': equal except for build identifiers without an order. */
export function compareVersionsWithBuild(a: Semver, b: Semver): -1 | 0 | 1 | 'incomparable' {
  return compareSemvers(a, b) || compareIdentifierLists(a.build, b.build, () => 'incomparable');
}

/**
 * The display order of version texts: valid versions ascending with build metadata, then invalid ones. Equal versions
 * are sorted by text. Returns 0 for incomparable versions, so that a stable sort keeps their order.
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
