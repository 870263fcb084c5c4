// Which changes of other objects wake the ClusterClass reconciler, and which ClusterClasses they concern.
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { readClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Kind } from '../../shared/api/object.ts';
import type { Watch } from '../../shared/kernel/types.ts';
import { definitionOf, referencesOf } from './phases/references.ts';

export const clusterClassKind: Kind = {
  group: clusterGroup,
  version: 'v1beta2',
  kind: 'ClusterClass',
  scope: 'Namespaced',
};

/** The groups in which providers' templates are, and this reconciler may read them. */
export const templateGroups: readonly string[] = [
  'infrastructure.cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
];

const extensionConfigKind: Kind = {
  group: 'runtime.cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'ExtensionConfig',
  scope: 'Cluster',
};

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
  },
  {
    source: definitionKind,
    as: 'metadata',
    // A provider's upgrade changes the labels that say which version is the newest.
    map: ({ object }) => (isOfTemplates(object.metadata.name) ? 'expand' : []),
    matches: (primary, { name }) => referencesOf(readClusterClass(primary)).map(definitionOf).includes(name),
  },
];

/** The ExtensionConfigs that are asked for variables; a handler is named `<handler>.<ExtensionConfig>`. */
function discoverersOf(primary: Parameters<typeof readClusterClass>[0]): readonly (string | undefined)[] {
  return readClusterClass(primary).spec.patches.map(({ external }) => {
    const [, config, ...more] = external.discoverVariablesExtension.split('.');
    return more.length === 0 ? config : undefined;
  });
}

function isOfTemplates(definition: string): boolean {
  return templateGroups.some(group => definition.endsWith(`.${group}`));
}
