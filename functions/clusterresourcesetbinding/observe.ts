// Reads the Cluster of a ClusterResourceSetBinding.
import type { Reads, Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { blocked, type EarlyEnd, type Stop } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, readCluster } from '../../shared/api/cluster/reader.ts';
import { readBinding } from '../../shared/api/cluster-resource-set-binding/reader.ts';
import { isOkToDelete } from '../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { clusterNameOf, type ObservedBinding } from './plan.ts';

/** `honorsDeleteHook`: a Cluster with topology keeps its binding until its deletion hook allows the deletion. */
export async function observe(
  primary: Unstructured,
  ask: Reads,
  honorsDeleteHook: boolean,
): Promise<ObservedBinding | EarlyEnd | Stop> {
  const binding = readBinding(primary);
  if (pausedAnnotation in (binding.metadata.annotations ?? {})) {
    return { stop: 'paused' };
  }
  const named = clusterNameOf(binding);
  if (!named.ok) {
    return blocked(named.error);
  }
  const { namespace } = binding.metadata;
  const name = named.value;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name }, readObject);
  const seen = { binding, clusterName: name };
  if (answer.ok) {
    return { ...seen, cluster: { state: hasEnded(answer.value, honorsDeleteHook) ? 'ended' : 'exists' } };
  }
  return {
    ...seen,
    cluster: answer.missing
      ? { state: 'ended' }
      : { state: 'unreadable', error: `failed to get Cluster ${namespace}/${name}: ${answer.failure.message}` },
  };
}

function readObject(raw: unknown): Cluster {
  return readCluster(raw as Unstructured); // true: the answer to a get is an object
}

function hasEnded({ metadata, spec }: Cluster, honorsDeleteHook: boolean): boolean {
  const waitsForHook = honorsDeleteHook && spec.topology.isDefined && !isOkToDelete(metadata.annotations);
  return metadata.deletionTimestamp !== undefined && !waitsForHook;
}
