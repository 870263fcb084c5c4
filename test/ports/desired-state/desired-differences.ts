// The differences from upstream's desired states that are intended, with their reasons.
import type { GeneratedCluster } from './generated-clusters.ts';

/** One field of a desired object, or `refused`, with the values of both sides. */
export interface DesiredDifference {
  readonly cluster: string;
  readonly className: string;
  /** Role of the object, then the path of the field, with slashes. */
  readonly path: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  readonly generated: GeneratedCluster;
}

interface KnownDesiredDifference {
  readonly what: string;
  readonly reason: string;
  matches(difference: DesiredDifference): boolean;
}

/** The first one that matches counts. */
export const knownDesiredDifferences: readonly KnownDesiredDifference[] = [];

/** Returns what differs, or `undefined`. */
export function knownDesiredDifferenceOf(difference: DesiredDifference): string | undefined {
  return knownDesiredDifferences.find(({ matches }) => matches(difference))?.what;
}
