// Reading a Secret. What it holds goes nowhere but to whoever asked for it: never into a message, an event or a log.
import { toRecord } from './fields.ts';
import type { Unstructured } from './object.ts';

/** The type of Secrets that Cluster API makes for its Clusters. */
export const clusterSecretType = 'cluster.x-k8s.io/secret';

/** The Secret with the kubeconfig of the workload cluster, under the key `value`. */
export function kubeconfigName({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return `${metadata.name}-kubeconfig`;
}

/** What is under that key of `data`, in base64 as it is stored; `undefined` when there is none. */
export function secretData(secret: Unstructured, key: string): string | undefined {
  const data = toRecord(secret['data'])[key];
  return typeof data === 'string' ? data : undefined;
}

/** The text under that key of `data`; "" when there is none. */
export function secretText(secret: Unstructured, key: string): string {
  return Buffer.from(secretData(secret, key) ?? '', 'base64').toString('utf8');
}

/** The text as a Secret's `data` holds it. */
export function toSecretData(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
