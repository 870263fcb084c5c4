// Maps events to the MachineDeployments that they enqueue. Machines are not watched: their MachineSet reports them.
import { groupOf, type Kind, type Name, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { pauseVersion, primariesLabelled } from '../../shared/api/member-watches.ts';

export const machineDeploymentKind: Kind = {
  group: clusterGroup,
  version: 'v1beta2',
  kind: 'MachineDeployment',
  scope: 'Namespaced',
};

export const machineDeploymentWatches: readonly Watch[] = [
  {
    source: { ...machineDeploymentKind, kind: 'MachineSet' },
    as: 'metadata',
    map: toController,
    // A MachineSet without controller may belong to any deployment of its namespace.
    matchParts: [],
    matches: ({ metadata }, { namespace }) => metadata.namespace === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  },
  {
    source: { ...machineDeploymentKind, kind: 'Cluster' },
    as: 'object',
    parts: ['spec.paused'],
    map: ({ type }) => (type === 'MODIFIED' ? 'expand' : []),
    versionOf: pauseVersion,
    ...primariesLabelled(clusterNameLabel),
  },
];

/** The selector of a deployment may match a MachineSet that has no controller. */
function toController({ object }: SourceEvent): readonly Name[] | 'expand' {
  const { ownerReferences = [], namespace = '' } = object.metadata;
  const controller = ownerReferences.find(owner => owner.controller === true);
  if (controller === undefined) {
    return 'expand';
  }
  return controller.kind === 'MachineDeployment' && groupOf(controller.apiVersion) === clusterGroup
    ? [{ namespace, name: controller.name }]
    : [];
}
