// Definition of Provider (clusterctl.cluster.x-k8s.io/v1alpha3): the inventory of clusterctl. It is no core kind: only
// clusterctl reads it, and installs it if it is missing.
// https://cluster-api.sigs.k8s.io/clusterctl/provider-contract
import { ageColumn, column, toDefinition } from '../schema/definition.ts';
import { text } from '../schema/json-schema.ts';

export const clusterctlGroup = 'clusterctl.cluster.x-k8s.io';
export const inventoryVersion = 'v1alpha3';

/** The type of the one provider that reconciles Cluster API's own kinds. */
export const coreProviderType = 'CoreProvider';

/** The label of the objects of the inventory. */
export const inventoryLabels = { [`${clusterctlGroup}/core`]: 'inventory' } as const;

export const clusterctlProviderCrd = toDefinition({
  description: 'An installed provider.',
  group: clusterctlGroup,
  version: inventoryVersion,
  kind: 'Provider',
  labels: inventoryLabels,
  required: [],
  fields: {
    providerName: text('Name of the provider, without its type.'),
    type: text('Type of the provider: CoreProvider, BootstrapProvider, ControlPlaneProvider, and others.'),
    version: text('Version of the components of the provider.'),
    watchedNamespace: text('No longer used: a provider watches all namespaces.'),
  },
  columns: [ageColumn, column('Type', '.type'), column('Provider', '.providerName'), column('Version', '.version')],
});
