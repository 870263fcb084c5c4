// The differences from upstream that are intended, with their reasons.
import { memberOf } from '@capi-serverless/apimachinery';
import type { ConversionAnswer } from './converter.ts';

interface Compared {
  readonly object: unknown;
  readonly upstream: ConversionAnswer;
  readonly ours: ConversionAnswer;
}

interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  matches(compared: Compared): boolean;
}

const errorOf = (answer: ConversionAnswer): string => ('error' in answer ? answer.error : '');

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: 'crash',
    reason:
      'Upstream crashes if a schema of a ClusterClass has more alternatives than the annotation. Here, nothing is restored for them',
    matches: ({ upstream, ours }) => errorOf(upstream).startsWith('panic: ') && 'object' in ours,
  },
  {
    name: 'zero time',
    reason: 'Upstream writes null or {} for the time 0001-01-01T00:00:00Z. Here, it is the same as no time',
    matches: ({ object }) => JSON.stringify(object).includes('0001-01-01T00:00:00Z'),
  },
  {
    name: 'null as duration',
    reason: 'Upstream refuses null where a duration is required. Here, it is 0s, as absent durations are',
    matches: ({ upstream, ours }) => errorOf(upstream) === 'time: invalid duration ""' && 'object' in ours,
  },
  {
    name: 'empty list on the way',
    reason: 'Between two older versions, an empty list leaves an empty status in the annotation of upstream',
    matches: ({ object, ours }) =>
      memberOf(object, 'apiVersion') === 'ipam.cluster.x-k8s.io/v1beta1' &&
      'object' in ours &&
      ours.object['apiVersion'] === 'ipam.cluster.x-k8s.io/v1alpha1' &&
      JSON.stringify(object).includes('"conditions":[]'),
  },
  {
    name: 'first error',
    reason:
      'If two references of an object cannot be converted, or a reference and its annotation, the error names one of them',
    matches: ({ upstream, ours }) =>
      errorOf(upstream).startsWith('failed to convert object: ') &&
      /^(failed to convert object: |annotation \S+ is not JSON)/.test(errorOf(ours)),
  },
];

/** Returns the name of the known difference, or `undefined`. */
export function knownDifferenceOf(compared: Compared): string | undefined {
  return knownDifferences.find(({ matches }) => matches(compared))?.name;
}
