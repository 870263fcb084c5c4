// Maps events to the MachineSets that they enqueue.
import { groupOf, type Kind, type Name, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { pauseVersion, primariesLabelled } from '../../shared/api/member-watches.ts';

export const machineSetKind: Kind = {
  group: clusterGroup,
  version: 'v1beta2',
  kind: 'MachineSet',
  scope: 'Namespaced',
};

function coreKind(kind: string): Kind {
  return { ...machineSetKind, kind };
}

export const machineSetWatches: readonly Watch[] = [
  {
    source: coreKind('Machine'),
    as: 'metadata',
    map: toController,
    // A Machine without controller may belong to any MachineSet of its namespace.
    matchParts: [],
    matches: ({ metadata }, { namespace }) => metadata.namespace === namespace,
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  },
  {
    source: coreKind('MachineDeployment'),
    as: 'metadata',
    map: () => 'expand',
    ...primariesLabelled(deploymentNameLabel),
  },
  {
    source: coreKind('Cluster'),
    as: 'object',
    parts: ['spec.paused'],
    map: ({ type }) => (type === 'MODIFIED' ? 'expand' : []),
    versionOf: pauseVersion,
    ...primariesLabelled(clusterNameLabel),
  },
];

/** The selector of a MachineSet may match a Machine that has no controller. */
function toController({ object }: SourceEvent): readonly Name[] | 'expand' {
  const { ownerReferences = [], namespace = '' } = object.metadata;
  const controller = ownerReferences.find(owner => owner.controller === true);
  if (controller === undefined) {
    return 'expand';
  }
  return controller.kind === 'MachineSet' && groupOf(controller.apiVersion) === clusterGroup
    ? [{ namespace, name: controller.name }]
    : [];
}
