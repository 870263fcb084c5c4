// The entry of this project in the inventory of clusterctl. While there is a provider of the type CoreProvider,
// `clusterctl init` installs none, and no bootstrap or control plane provider that is not named.
// https://cluster-api.sigs.k8s.io/clusterctl/commands/init
import {
  clusterctlGroup,
  clusterctlProviderCrd,
  coreProviderType,
  inventoryLabels,
  inventoryVersion,
} from '../../shared/api/clusterctl-provider/crd.ts';
import { coreLabels } from '../../shared/api/schema/core.ts';
import { namespaceManifest } from './forwarder.ts';
import { partOf } from './identities.ts';
import { labels } from './roles.ts';

/** clusterctl reads the contract of a provider from the metadata of this release of Cluster API. */
const mirroredRelease = 'v1.14.0';

/** The names of the entry are those that clusterctl gives to Cluster API's core provider. */
const coreProvider = {
  apiVersion: `${clusterctlGroup}/${inventoryVersion}`,
  kind: 'Provider',
  metadata: { name: 'cluster-api', namespace: partOf, labels: { ...coreLabels, ...inventoryLabels, ...labels } },
  providerName: 'cluster-api',
  type: coreProviderType,
  version: mirroredRelease,
} as const;

/** The manifests by file name. */
export const inventoryManifests: Readonly<Record<string, object>> = {
  // The same manifest as that of the forwarder.
  namespace: namespaceManifest,
  definition: clusterctlProviderCrd,
  provider: coreProvider,
};
