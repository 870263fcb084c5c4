// The label and the owner reference of the MachineHealthCheck itself. Its Cluster owns it, so both are deleted together.
import { toRef } from '@capi-serverless/apimachinery';
import { clusterNameLabel, placeOwner } from '@capi-serverless/cluster-api/contract';
import { type Action, type PassChange, type Phase, patchProblem } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';

export const patchCheckId = 'healthcheck:patch';

export function ownPhase(check: MachineHealthCheck, cluster: Cluster): Phase<PassChange> {
  const needs = [{ id: patchCheckId, problem: patchProblem(check.object) }];
  return { actions: ownActions(check, cluster), steps: [{ change: {}, needs }] };
}

function ownActions({ object, metadata, spec }: MachineHealthCheck, cluster: Cluster): readonly Action[] {
  const { ownerReferences = [], labels, resourceVersion } = metadata;
  const { name, uid } = cluster.metadata;
  const owners = placeOwner(ownerReferences, { apiVersion: clusterApiVersion, kind: 'Cluster', name, uid });
  const change = {
    ...(owners === ownerReferences ? {} : { ownerReferences: owners }),
    ...(labels[clusterNameLabel] === spec.clusterName ? {} : { labels: { [clusterNameLabel]: spec.clusterName } }),
  };
  return Object.keys(change).length === 0
    ? []
    : [
        {
          id: patchCheckId,
          onError: 'continue',
          do: 'patch',
          ref: toRef(object),
          body: { metadata: change },
          resourceVersion,
        },
      ];
}
