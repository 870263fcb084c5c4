// Reads Secrets. Their content must never be part of a message, an event or a log.

import { toRecord, type Unstructured } from '@capi-serverless/apimachinery';

/** The type of Secrets that Cluster API creates for Clusters. */
export const clusterSecretType = 'cluster.x-k8s.io/secret';

/** The Secret with the kubeconfig of the workload cluster, under the key `value`. */
export function kubeconfigName({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return `${metadata.name}-kubeconfig`;
}

/**
 * The maximum number of bytes of a kubeconfig in a Secret. One cluster, one user and their certificates take less than
 * 10 KiB.
 */
export const maxKubeconfigBytes = 64 * 1024;

/** Returns whether the text is larger than the maximum. Call this before parsing. */
export function isTooLargeForKubeconfig(text: string): boolean {
  return Buffer.byteLength(text) > maxKubeconfigBytes;
}

/** Returns the value of this key in `data`, in base64 as stored. Returns `undefined` if it is absent. */
export function secretData(secret: Unstructured, key: string): string | undefined {
  const data = toRecord(secret['data'])[key];
  return typeof data === 'string' ? data : undefined;
}

/** Returns the decoded value of this key in `data`, or "" if it is absent. */
export function secretText(secret: Unstructured, key: string): string {
  return Buffer.from(secretData(secret, key) ?? '', 'base64').toString('utf8');
}

/** Encodes a text for the `data` of a Secret. */
export function toSecretData(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
