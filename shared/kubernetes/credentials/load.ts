// Selects the source of a client's credentials.
import type { Credentials } from './credentials.ts';
import type { EksCluster } from './eks.ts';
import { createFileCredentials } from './file-credentials.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

interface CredentialsOptions {
  /** The path of a kubeconfig in JSON or YAML. */
  readonly kubeconfigPath?: string | undefined;
  /** The ARN of a secret that contains a kubeconfig. */
  readonly kubeconfigSecret?: string | undefined;
  readonly eks?: EksCluster | undefined;
}

/**
 * Uses the first option that is set, in their order. Without any option, uses the service account of the pod. Rejects
 * with KubeconfigError, SecretError or InClusterError if the credentials cannot be used.
 */
export async function loadCredentials(options: CredentialsOptions = {}): Promise<Credentials> {
  const { kubeconfigPath, kubeconfigSecret, eks } = options;
  if (kubeconfigPath !== undefined) {
    return createFileCredentials(() => loadKubeconfig(kubeconfigPath));
  }
  // A process needs at most one of these modules, so each one is loaded on demand.
  if (kubeconfigSecret !== undefined) {
    return (await import('./secret-kubeconfig.ts')).createSecretKubeconfig(kubeconfigSecret);
  }
  if (eks !== undefined) {
    return (await import('./eks.ts')).createEksCredentials(eks);
  }
  return createFileCredentials(() => loadInCluster({ env: process.env }));
}
