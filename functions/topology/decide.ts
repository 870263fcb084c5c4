// The writes of one pass over a topology: what is owed to hooks and variables, then the objects, the Cluster's own references among them.

import { quote } from '../../shared/api/field-error.ts';
import { toRecord } from '../../shared/api/fields.ts';
import { type JsonObject, sameJson } from '../../shared/api/json.ts';
import { toDisplayName, toRef, type Unstructured } from '../../shared/api/object.ts';
import { clusterNameLabel } from '../../shared/contract/owner-references.ts';
import { mergeDiff } from '../../shared/kernel/merge-diff.ts';
import type { Action, Outcomes } from '../../shared/kernel/types.ts';
import { type ClusterPatch, toActions, toClusterRefs } from '../../shared/topology/changes/changes.ts';
import { ownedLabel, upgradeStepAnnotation } from '../../shared/topology/model/keys.ts';
import type { Planned, Seen } from './seen.ts';

export const bookkeepingId = 'bookkeeping';
export const clusterId = 'cluster';

export function decide(seen: Seen): readonly Action[] {
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

/** Before every other write: a hook that was answered may be called again, and none is ever passed over. */
function toBookkeepingPatch({ cluster, bookkeeping }: Seen): readonly Action[] {
  const { annotations, topology } = bookkeeping;
  const stored = toRecord(cluster.object.spec)['topology'];
  const change = topology === undefined ? undefined : mergeDiff({ topology: stored }, { topology });
  const body = {
    ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
    ...(change === undefined ? {} : { spec: change }),
  };
  const { resourceVersion } = cluster.metadata;
  return Object.keys(body).length === 0
    ? []
    : [{ id: bookkeepingId, onError: 'stop', do: 'patch', ref: toRef(cluster.object), body, resourceVersion }];
}

/** Labels, the version of the upgrade step, and references to what is there once the actions before it are done. */
function toClusterPatch({ cluster }: Seen, planned: Planned): ClusterPatch {
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

/** As the bookkeeping of this pass left it. */
function latestOf(cluster: Unstructured, outcomes: Outcomes): Unstructured {
  const outcome = outcomes.get(bookkeepingId);
  return outcome?.state === 'done' ? (outcome.object ?? cluster) : cluster;
}

/** The part of a Cluster that this patch is about. */
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
      annotations: { ...annotations, ...(upgradeStep === undefined ? {} : { [upgradeStepAnnotation]: upgradeStep }) },
    },
    spec: { ...toRecord(spec), ...toClusterRefs(planned, outcomes) },
  };
}
