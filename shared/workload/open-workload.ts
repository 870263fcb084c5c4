// The reads of the workload cluster of a Cluster, with the kubeconfig in the Secret of its Cluster.
import type { Answer, Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import type { Cluster } from '../api/cluster/reader.ts';
import { isTooLargeForKubeconfig, kubeconfigName, secretText } from '../api/secret.ts';
import type { WorkloadApi, WorkloadReads } from './api.ts';
import { unconnectedReads } from './unconnected.ts';

/** A Cluster, or its name before it is read. */
interface NamedCluster {
  readonly metadata: Pick<Cluster['metadata'], 'namespace' | 'name'>;
}

interface ReadCluster {
  readonly metadata: Pick<Cluster['metadata'], 'namespace' | 'name' | 'uid'>;
}

/** Reads the Secret with the kubeconfig. */
export function readKubeconfig({ metadata }: NamedCluster, ask: Reads): Promise<Answer<Unstructured>> {
  const { namespace } = metadata;
  return ask.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: kubeconfigName({ metadata }) });
}

/** Never throws. Without a usable kubeconfig, each read fails as if the cluster did not answer. */
export async function openWorkload(
  cluster: ReadCluster,
  ask: Reads & { readonly workloadApi: WorkloadApi },
  pass: Pass,
): Promise<WorkloadReads> {
  return workloadOf(cluster, await readKubeconfig(cluster, ask), { workloadApi: ask.workloadApi, pass });
}

interface Opening {
  readonly workloadApi: WorkloadApi;
  readonly pass: Pass;
}

/** The same, with the Secret that was read before. */
export function workloadOf(
  { metadata }: ReadCluster,
  secret: Answer<Unstructured>,
  { workloadApi, pass }: Opening,
): WorkloadReads {
  const { namespace, uid } = metadata;
  const name = `${namespace}/${kubeconfigName({ metadata })}`;
  if (!secret.ok) {
    const { reason, message } = secret.failure;
    // A read that the time limit of the pass has ended says nothing about the workload cluster.
    return unconnectedReads(`reading Secret ${name}: ${message}`, reason === 'Aborted' ? reason : undefined);
  }
  const kubeconfig = secretText(secret.value, 'value');
  // A tenant may write the Secret, so a large kubeconfig is not parsed.
  return isTooLargeForKubeconfig(kubeconfig)
    ? unconnectedReads(`Secret ${name} is too large for a kubeconfig`)
    : workloadApi.reads(
        {
          cluster: uid,
          origin: `in Secret ${name}`,
          kubeconfig,
          version: secret.value.metadata.resourceVersion,
        },
        pass.signal,
      );
}
