// The one write of a pass to metadata and spec of the MachinePool: its label and its owner, the ids of its machines and the
// name of the Secret with the bootstrap data.
import { type MergePatch, toRef } from '@capi-serverless/apimachinery';
import { clusterNameLabel, placeOwner } from '@capi-serverless/cluster-api/contract';
import { changesAfter, type Outcomes, patchProblem } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import type { PoolChange, PoolPhase, PoolSpecChange } from './pool-progress.ts';

export const patchPoolId = 'pool:patch';

interface Patching {
  readonly pool: WholeMachinePool;
  readonly cluster: Cluster;
  /** The phases whose values are stored. */
  readonly values: PoolPhase;
}

/** Values of an object whose owner reference could not be written are not stored. */
export function ownMetadataPhase({ pool, cluster, values }: Patching): PoolPhase {
  const body = (outcomes: Outcomes): MergePatch => patchOf(pool, cluster, specAfter(values, outcomes));
  return {
    actions: [
      {
        id: patchPoolId,
        onError: 'stop',
        do: 'patch',
        ref: toRef(pool.object),
        body,
        when: outcomes => Object.keys(body(outcomes)).length > 0,
        resourceVersion: pool.metadata.resourceVersion,
      },
    ],
    // The error follows those of all other phases, because upstream patches the MachinePool last.
    steps: [],
  };
}

export function ownPatchPhase({ object }: WholeMachinePool): PoolPhase {
  return { actions: [], steps: [{ change: {}, needs: [{ id: patchPoolId, problem: patchProblem(object) }] }] };
}

function specAfter({ steps }: PoolPhase, outcomes: Outcomes): PoolSpecChange {
  const changes: readonly PoolChange[] = changesAfter(steps, outcomes);
  return Object.assign({}, ...changes.map(({ spec }) => spec ?? {}));
}

function patchOf(pool: WholeMachinePool, cluster: Cluster, change: PoolSpecChange): MergePatch {
  const { metadata, spec } = pool;
  const { ownerReferences = [], labels } = metadata;
  const { name, uid } = cluster.metadata;
  const owners = placeOwner(ownerReferences, { apiVersion: clusterApiVersion, kind: 'Cluster', name, uid });
  const newMetadata = {
    ...(owners === ownerReferences ? {} : { ownerReferences: owners }),
    ...(labels[clusterNameLabel] === spec.clusterName ? {} : { labels: { [clusterNameLabel]: spec.clusterName } }),
  };
  const { providerIDList: ids, dataSecretName } = change;
  const hasSecret = dataSecretName === undefined || dataSecretName === spec.template.spec.bootstrap.dataSecretName;
  const newSpec = {
    ...(ids === undefined ? {} : { providerIDList: ids.length === 0 ? null : ids }),
    ...(hasSecret ? {} : { template: { spec: { bootstrap: { dataSecretName } } } }),
  };
  return {
    ...(Object.keys(newMetadata).length === 0 ? {} : { metadata: newMetadata }),
    ...(Object.keys(newSpec).length === 0 ? {} : { spec: newSpec }),
  };
}
