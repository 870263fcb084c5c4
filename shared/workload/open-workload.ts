// The reads of the workload cluster of a Cluster, with the kubeconfig in the Secret of its Cluster.
import { type Reads, refused } from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import type { Cluster } from '../api/cluster/reader.ts';
import { isTooLargeForKubeconfig, kubeconfigName, secretText } from '../api/secret.ts';
import type { WorkloadApi, WorkloadReads } from './api.ts';

/** Never throws. Without a usable kubeconfig, each read fails as if the cluster did not answer. */
export async function openWorkload(
  { metadata }: { readonly metadata: Pick<Cluster['metadata'], 'namespace' | 'name' | 'uid'> },
  ask: Reads & { readonly workloadApi: WorkloadApi },
  pass: Pass,
): Promise<WorkloadReads> {
  const { namespace, uid } = metadata;
  const name = kubeconfigName({ metadata });
  const secret = await ask.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  if (!secret.ok) {
    return unreachable(`reading Secret ${namespace}/${name}: ${secret.failure.message}`);
  }
  const kubeconfig = secretText(secret.value, 'value');
  // A tenant may write the Secret, so a large kubeconfig is not parsed.
  return isTooLargeForKubeconfig(kubeconfig)
    ? unreachable(`Secret ${namespace}/${name} is too large for a kubeconfig`)
    : ask.workloadApi.reads(
        {
          cluster: uid,
          origin: `in Secret ${namespace}/${name}`,
          kubeconfig,
          version: secret.value.metadata.resourceVersion,
        },
        pass.signal,
      );
}

function unreachable(message: string): WorkloadReads {
  const fail = async () => refused({ reason: 'Unavailable', message });
  return { get: fail, list: fail, nodes: fail, resources: fail };
}
