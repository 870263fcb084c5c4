// The metadata of the MachineSet itself: its Cluster as label, in the selector and in the template, and as owner.

import {
  groupOf,
  type JsonObject,
  mergeDeep,
  mergeDiff,
  nest,
  toRecord,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel, clusterOwner } from '@capi-serverless/cluster-api/contract';
import { concluded, patchProblem } from '@capi-serverless/reconciler';
import { type Cluster, clusterGroup } from '../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import { readWholeMachineSet, type WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { MachineSetPhase } from './pass-progress.ts';

export const patchMetadataId = 'set:metadata';

/** Returns the MachineSet with its metadata as this pass writes it. */
export function withOwnMetadata(stored: Unstructured, cluster: Cluster | undefined): WholeMachineSet {
  const { clusterName } = readWholeMachineSet(stored).spec;
  const label = { [clusterNameLabel]: clusterName };
  const spec = mergeDeep(
    toRecord(stored.spec),
    mergeDeep(nest('selector.matchLabels', label), nest('template.metadata.labels', label)),
  );
  const labels = { ...stored.metadata.labels, ...label };
  const metadata = { ...stored.metadata, labels, ...ownersWith(stored, cluster) };
  return readWholeMachineSet({ ...stored, metadata, spec });
}

/** The Cluster owns a MachineSet only if no MachineDeployment does. */
function ownersWith({ metadata }: Unstructured, cluster: Cluster | undefined): Partial<Unstructured['metadata']> {
  const { labels = {}, ownerReferences = [] } = metadata;
  const isOwned = ownerReferences.some(
    ({ apiVersion, kind }) =>
      groupOf(apiVersion) === clusterGroup && (kind === 'MachineDeployment' || kind === 'Cluster'),
  );
  if (cluster === undefined || deploymentNameLabel in labels || isOwned) {
    return {};
  }
  const { name, uid } = cluster.metadata;
  return { ownerReferences: [...ownerReferences, clusterOwner({ name, uid, hasTopology: false })] };
}

export function ownMetadataPhase(stored: Unstructured, machineSet: WholeMachineSet): MachineSetPhase {
  const body = mergeDiff(partsOf(stored), partsOf(machineSet.object));
  if (body === undefined) {
    return concluded();
  }
  return {
    actions: [
      {
        id: patchMetadataId,
        onError: 'continue',
        do: 'patch',
        ref: toRef(stored),
        body,
        resourceVersion: stored.metadata.resourceVersion,
      },
    ],
    // The patch changes the generation.
    steps: [{ change: { again: true }, needs: [{ id: patchMetadataId, problem: patchProblem(stored) }] }],
  };
}

function partsOf({ metadata, spec }: Unstructured): JsonObject {
  const { labels, ownerReferences } = metadata;
  return { metadata: { labels, ownerReferences }, spec };
}
