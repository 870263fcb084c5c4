// Decides the writes of a pass over a topology: hook annotations and variable defaults, then the objects, then the
// references of the Cluster.

import {
  type JsonObject,
  mergeDiff,
  quote,
  sameJson,
  toDisplayName,
  toRecord,
  toRef,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import { ownedLabel, upgradeStepAnnotation } from '../../shared/topology/model/keys.ts';
import { type ClusterPatch, toActions, toClusterRefs } from './plan/changes/ordered-changes.ts';
import type { ObservedTopology, Planned } from './seen.ts';

export const bookkeepingId = 'bookkeeping';
export const clusterId = 'cluster';

export function decide(seen: ObservedTopology): readonly Action[] {
  if (seen.repairs.length > 0) {
    return seen.repairs.map(({ ref, resourceVersion, body }) => ({
      id: `managed fields of ${ref.kind} ${ref.name}`,
      onError: 'stop',
      do: 'patch',
      ref,
      body,
      resourceVersion,
    }));
  }
  const { planned } = seen;
  const objects =
    planned === undefined ? [] : toActions(planned.changes, planned.current, toClusterPatch(seen, planned));
  return [...toBookkeepingPatch(seen), ...objects];
}

/**
 * Hook annotations are written before all other writes. After a crash, a hook may be called twice, but none is skipped.
 */
function toBookkeepingPatch({ cluster, bookkeeping }: ObservedTopology): readonly Action[] {
  const { annotations, topology } = bookkeeping;
  const stored = toRecord(cluster.object.spec)['topology'];
  const change = topology === undefined ? undefined : mergeDiff({ topology: stored }, { topology });
  const body = {
    ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
    ...withoutUndefined({ spec: change }),
  };
  const { resourceVersion } = cluster.metadata;
  return Object.keys(body).length === 0
    ? []
    : [{ id: bookkeepingId, onError: 'stop', do: 'patch', ref: toRef(cluster.object), body, resourceVersion }];
}

/**
 * Labels, the version of the upgrade step, and references to objects. The references are written after the objects
 * exist.
 */
function toClusterPatch({ cluster }: ObservedTopology, planned: Planned): ClusterPatch {
  const toBody = (outcomes: Outcomes): JsonObject => {
    const before = latestOf(cluster.object, outcomes);
    return mergeDiff(pick(before), pick(toDesiredCluster(before, planned, outcomes))) ?? {};
  };
  const name = toDisplayName(cluster.metadata);
  return {
    id: clusterId,
    onError: 'continue',
    do: 'patch',
    ref: toRef(cluster.object),
    body: toBody,
    resourceVersion: outcomes => latestOf(cluster.object, outcomes).metadata.resourceVersion,
    when: outcomes => !sameJson(toBody(outcomes), {}),
    toEvent: () => ({ type: 'Normal', reason: 'TopologyUpdate', message: `Updated Cluster ${quote(name)}` }),
  };
}

/** Returns the Cluster after its annotations and variable defaults are written. */
function latestOf(cluster: Unstructured, outcomes: Outcomes): Unstructured {
  const outcome = outcomes.get(bookkeepingId);
  return outcome?.state === 'done' ? (outcome.object ?? cluster) : cluster;
}

/** Returns the parts of a Cluster that this patch changes. */
function pick({ metadata, spec }: Pick<Unstructured, 'metadata' | 'spec'>): JsonObject {
  const { labels = {}, annotations = {} } = metadata;
  const { infrastructureRef, controlPlaneRef } = toRecord(spec);
  return { metadata: { labels, annotations }, spec: { infrastructureRef, controlPlaneRef } };
}

function toDesiredCluster(before: Unstructured, planned: Planned, outcomes: Outcomes): Unstructured {
  const { metadata, spec } = before;
  const { [upgradeStepAnnotation]: _, ...annotations } = metadata.annotations ?? {};
  const { upgradeStep } = planned.desired;
  return {
    ...before,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [clusterNameLabel]: metadata.name, [ownedLabel]: '' },
      annotations: { ...annotations, ...withoutUndefined({ [upgradeStepAnnotation]: upgradeStep }) },
    },
    spec: { ...toRecord(spec), ...toClusterRefs(planned, outcomes) },
  };
}
