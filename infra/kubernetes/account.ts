// The service account of all functions, if they share one kubeconfig, and its namespace.
import { namespaceManifest } from './forwarder.ts';
import { functionsAccount, partOf } from './identities.ts';

export const accountManifests: readonly object[] = [
  // The manifest is the same as the forwarder's, so that neither removes the labels of the other.
  namespaceManifest,
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...functionsAccount, labels: { 'app.kubernetes.io/part-of': partOf } },
    automountServiceAccountToken: false,
  },
];
