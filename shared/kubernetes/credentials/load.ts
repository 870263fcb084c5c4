// Chooses where a client's credentials come from.
import type { Credentials } from './credentials.ts';
import type { EksCluster } from './eks.ts';
import { createFileCredentials } from './file-credentials.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

export interface CredentialsOptions {
  /** JSON or YAML. */
  readonly kubeconfigPath?: string | undefined;
  /** ARN of a secret that holds a kubeconfig. */
  readonly kubeconfigSecret?: string | undefined;
  readonly eks?: EksCluster | undefined;
}

/**
 * The first that is given, in the order of the options; none: the service account of the pod. Rejects with KubeconfigError,
 * SecretError or InClusterError when they cannot be used.
 */
export async function loadCredentials(options: CredentialsOptions = {}): Promise<Credentials> {
  const { kubeconfigPath, kubeconfigSecret, eks } = options;
  if (kubeconfigPath !== undefined) {
    return createFileCredentials(() => loadKubeconfig(kubeconfigPath));
  }
  // Only one of these is ever needed in a process.
  if (kubeconfigSecret !== undefined) {
    return (await import('./secret-kubeconfig.ts')).createSecretKubeconfig(kubeconfigSecret);
  }
  if (eks !== undefined) {
    return (await import('./eks.ts')).createEksCredentials(eks);
  }
  return createFileCredentials(() => loadInCluster({ env: process.env }));
}
