// Chooses where a client's credentials come from.
import type { Credentials } from './credentials.ts';
import { createFileCredentials } from './file-credentials.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

export interface CredentialsOptions {
  /** JSON or YAML. Absent: the service account of the pod. */
  readonly kubeconfigPath?: string;
}

/** Rejects with KubeconfigError or InClusterError when they cannot be used. */
export function loadCredentials({ kubeconfigPath }: CredentialsOptions = {}): Promise<Credentials> {
  return createFileCredentials(
    kubeconfigPath === undefined ? () => loadInCluster({ env: process.env }) : () => loadKubeconfig(kubeconfigPath),
  );
}
