// What the watches of members of a Cluster have in common: which primaries an expanded source selects, and the versions of
// the parts that they read. A version must not return, so that two processes that see different events cannot take a new
// state for an old one.
import { type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { type Condition, getCondition } from '@capi-serverless/cluster-api/conditions';
import type { Watch } from '@capi-serverless/reconciler';
import { readCluster } from './cluster/reader.ts';

/** Selects the primaries in the namespace of the source whose label names it. Default value: its name. */
export function primariesLabelled(
  label: string,
  toValue: (name: string) => string = name => name,
): Required<Pick<Watch, 'matches' | 'matchParts' | 'scopeOf'>> {
  return {
    matchParts: [],
    matches: ({ metadata }, { namespace = '', name }) =>
      (metadata.namespace ?? '') === namespace && metadata.labels?.[label] === toValue(name),
    // After a gap between watches, the source has neither name nor namespace.
    scopeOf: ({ namespace, name }) => ({
      ...withoutUndefined({ namespace }),
      ...(name === undefined ? {} : { labels: { [label]: toValue(name) } }),
    }),
  };
}

/** The version of a condition: its status, and the time of its transition, which does not return. */
export function conditionVersion(conditions: readonly Condition[] | undefined, type: string): readonly unknown[] {
  const condition = getCondition(conditions, type);
  return [condition?.status, condition?.lastTransitionTime];
}

/** The version of the pause of a Cluster. A generation does not return, so a pause is never taken for an older one. */
export function pauseVersion(object: Unstructured): string {
  const { metadata, spec } = readCluster(object);
  return JSON.stringify([metadata.generation, spec.paused]);
}
