// The owner reference and the label of the Machine itself, and the values of its spec that objects of providers report.
import { groupOf, type MergePatch, type OwnerReference, toRef } from '@capi-serverless/apimachinery';
import { clusterNameLabel, placeOwner } from '@capi-serverless/cluster-api/contract';
import { type Action, failedWrites, type Outcomes } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, clusterGroup } from '../../../shared/api/cluster/reader.ts';
import { poolNameLabel } from '../../../shared/api/machine/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { MachineStep, SpecChange } from './step.ts';

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

/**
 * The one write of a pass to metadata and spec of the Machine. `steps` read objects of providers. A step whose owner
 * reference could not be written has no effect.
 */
export function machinePatchActions(
  machine: WholeMachine,
  cluster: Cluster | undefined,
  steps: readonly MachineStep[],
): readonly Action[] {
  const body = (outcomes: Outcomes): MergePatch => patchOf(machine, cluster, specAfter(steps, outcomes));
  return [
    {
      id: patchMachineId,
      onError: 'stop',
      do: 'patch',
      ref: toRef(machine.object),
      body,
      when: outcomes => Object.keys(body(outcomes)).length > 0,
      resourceVersion: machine.metadata.resourceVersion,
    },
  ];
}

function specAfter(steps: readonly MachineStep[], outcomes: Outcomes): SpecChange {
  const changes = steps
    .filter(({ needs = [] }) => failedWrites(needs, outcomes) === undefined)
    .map(({ change }) => change.spec ?? {});
  return Object.assign({}, ...changes);
}

function patchOf(machine: WholeMachine, cluster: Cluster | undefined, change: SpecChange): MergePatch {
  const { metadata, spec } = machine;
  const ownerReferences = ownersOf(machine, cluster);
  const hasLabel = metadata.labels[clusterNameLabel] === spec.clusterName;
  const newMetadata = {
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
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
