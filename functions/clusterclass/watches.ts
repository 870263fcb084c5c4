// Maps events to the ClusterClasses that they enqueue.

import type { Kind } from '@capi-serverless/apimachinery';
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind } from '../../shared/api/cluster/reader.ts';
import { discovererOf } from '../../shared/api/cluster-class/class-spec.ts';
import { readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { extensionConfigKind } from '../../shared/api/extension-config/kind.ts';
import { definitionOf, referencesOf } from './phases/template-references.ts';

export const clusterClassKind = coreKind('ClusterClass');

/** The fields with references to templates. */
const templateParts = [
  'spec.infrastructure.templateRef',
  'spec.controlPlane.templateRef',
  'spec.controlPlane.machineInfrastructure.templateRef',
  ...['machineDeployments', 'machinePools'].flatMap(workers =>
    ['class', 'bootstrap.templateRef', 'infrastructure.templateRef'].map(field => `spec.workers.${workers}.${field}`),
  ),
];

/** The API groups of providers' templates, which this reconciler may read. */
export const templateGroups: readonly string[] = [
  'infrastructure.cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
];

const definitionKind: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  scope: 'Cluster',
};

export const clusterClassWatches: readonly Watch[] = [
  {
    source: extensionConfigKind,
    as: 'metadata',
    map: () => 'expand',
    matches: (primary, { name }) => discoverersOf(primary).includes(name),
    matchParts: ['spec.patches.external', 'spec.patches.name'],
  },
  {
    source: definitionKind,
    as: 'metadata',
    // An upgrade of a provider changes the labels that contain the newest version.
    map: ({ object }) => (isOfTemplates(object.metadata.name) ? 'expand' : []),
    matches: (primary, { name }) => referencesOf(readClusterClass(primary)).map(definitionOf).includes(name),
    matchParts: templateParts,
  },
];

/**
 * Returns the ExtensionConfigs that are called for variables. Handler names have the form
 * `<handler>.<ExtensionConfig>`.
 */
function discoverersOf(primary: Parameters<typeof readClusterClass>[0]): readonly (string | undefined)[] {
  return readClusterClass(primary).spec.patches.map(patch => {
    const [, config, ...more] = discovererOf(patch).split('.');
    return more.length === 0 ? config : undefined;
  });
}

function isOfTemplates(definition: string): boolean {
  return templateGroups.some(group => definition.endsWith(`.${group}`));
}
