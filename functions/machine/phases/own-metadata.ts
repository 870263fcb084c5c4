// The owner reference and the label of the Machine itself, and the values of its spec that objects of providers report.
import { groupOf, type MergePatch, type OwnerReference, toRef, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel, placeOwner } from '@capi-serverless/cluster-api/contract';
import { changesAfter, type Outcomes } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, clusterGroup } from '../../../shared/api/cluster/reader.ts';
import { poolNameLabel } from '../../../shared/api/machine/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { ObservedObjects } from '../seen.ts';
import type { PlannedMachineExternals } from './externals.ts';
import type { MachineChange, MachinePhase, MachineStep, SpecChange } from './pass-progress.ts';

export const patchMachineId = 'machine:patch';

/** A Machine with one of these labels gets its owner from another controller. */
const ownerLabels = ['cluster.x-k8s.io/set-name', poolNameLabel, 'cluster.x-k8s.io/control-plane-name'];

/** A Machine without controller belongs to its Cluster. */
function ownersOf({ metadata }: WholeMachine, cluster: Cluster | undefined): readonly OwnerReference[] | undefined {
  const { ownerReferences = [], labels } = metadata;
  const isOwned = ownerReferences.some(
    ({ controller, apiVersion, kind }) =>
      controller === true || (kind === 'Cluster' && groupOf(apiVersion) === clusterGroup),
  );
  if (cluster === undefined || isOwned || ownerLabels.some(label => label in labels)) {
    return undefined;
  }
  const { name, uid } = cluster.metadata;
  return placeOwner(ownerReferences, { apiVersion: clusterApiVersion, kind: 'Cluster', name, uid });
}

interface OwnMetadataScope extends Pick<ObservedObjects, 'machine' | 'cluster'> {
  readonly externals: PlannedMachineExternals;
}

/**
 * The one write of a pass to metadata and spec of the Machine. Values of an object whose owner reference could not be
 * written are not stored.
 */
export function ownMetadataPhase({ machine, cluster, externals }: OwnMetadataScope): MachinePhase {
  const { bootstrapStep, infrastructureStep } = externals;
  const body = (outcomes: Outcomes): MergePatch =>
    patchOf(machine, cluster, specAfter([bootstrapStep, infrastructureStep], outcomes));
  return {
    actions: [
      {
        id: patchMachineId,
        onError: 'stop',
        do: 'patch',
        ref: toRef(machine.object),
        body,
        when: outcomes => Object.keys(body(outcomes)).length > 0,
        resourceVersion: machine.metadata.resourceVersion,
      },
    ],
    // The errors follow those of all other phases.
    steps: [],
  };
}

function specAfter(steps: readonly MachineStep[], outcomes: Outcomes): SpecChange {
  const changes: readonly MachineChange[] = changesAfter(steps, outcomes);
  return Object.assign({}, ...changes.map(({ spec }) => spec ?? {}));
}

function patchOf(machine: WholeMachine, cluster: Cluster | undefined, change: SpecChange): MergePatch {
  const { metadata, spec } = machine;
  const ownerReferences = ownersOf(machine, cluster);
  const hasLabel = metadata.labels[clusterNameLabel] === spec.clusterName;
  const newMetadata = {
    ...withoutUndefined({ ownerReferences }),
    ...(hasLabel ? {} : { labels: { [clusterNameLabel]: spec.clusterName } }),
  };
  const { providerID, failureDomain, dataSecretName } = change;
  const newSpec = {
    ...(providerID === undefined || providerID === spec.providerID ? {} : { providerID }),
    ...(failureDomain === undefined || failureDomain === spec.failureDomain ? {} : { failureDomain }),
    ...(dataSecretName === undefined ? {} : { bootstrap: { dataSecretName } }),
  };
  return {
    ...(Object.keys(newMetadata).length === 0 ? {} : { metadata: newMetadata }),
    ...(Object.keys(newSpec).length === 0 ? {} : { spec: newSpec }),
  };
}
