// Maps events to the MachineDeployments that they enqueue. Machines are not watched: their MachineSet reports them.
import { groupOf, type Kind, type Name, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';

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
    versionOf: toPauseVersion,
    matchParts: [],
    matches: ({ metadata }, { namespace, name }) =>
      metadata.namespace === namespace && metadata.labels?.[clusterNameLabel] === name,
    // After a gap between watches, the source has neither name nor namespace.
    scopeOf: ({ namespace, name }) => ({
      ...withoutUndefined({ namespace }),
      ...(name === undefined ? {} : { labels: { [clusterNameLabel]: name } }),
    }),
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

/** A generation does not return, so that a pause is never taken for an older one. */
function toPauseVersion(object: Unstructured): string {
  const { metadata, spec } = readCluster(object);
  return JSON.stringify([metadata.generation, spec.paused]);
}
