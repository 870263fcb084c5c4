// The output of `why` for a Cluster: its tree, and what it waits for.
import { type Answer, answered, type Name, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { readReferred } from '../../../shared/explain/read-referred.ts';
import { waitOf } from './cluster-view.ts';
import { readKubeconfigProblem } from './describe-kubeconfig.ts';
import { explain } from './explain.ts';
import { type ClusterSnapshot, type MemberKind, memberKinds, referencesOf, toMembers } from './snapshot.ts';
import { toClusterNode } from './tree.ts';

/** Fails if a list cannot be read. */
export async function describeCluster(
  cluster: Unstructured,
  { reads, findOrder }: Describing,
): Promise<Answer<Description>> {
  const snapshot = await readSnapshot(reads, cluster);
  return snapshot.ok
    ? answered({
        tree: shown => toClusterNode(snapshot.value, shown),
        explanation: explain(snapshot.value, findOrder),
      })
    : snapshot;
}

/** Rejects if a list cannot be read. A failed read of a reference is returned as data. */
async function readSnapshot(reads: Reads, cluster: Unstructured): Promise<Answer<ClusterSnapshot>> {
  const { name, namespace = '' } = cluster.metadata;
  const of = { namespace, name };
  const references = referencesOf(cluster);
  const isLost = waitOf(cluster)?.condition?.type === 'RemoteConnectionProbe';
  const [infrastructure, controlPlane, kubeconfigProblem, lists] = await Promise.all([
    readReferred(reads, of, references.infrastructure),
    readReferred(reads, of, references.controlPlane),
    isLost ? readKubeconfigProblem(reads, cluster) : undefined,
    Promise.all(memberKinds.map(async kind => ({ kind, list: await readMembers(reads, of, kind) }))),
  ]);
  const members = new Map<MemberKind, readonly Unstructured[]>();
  for (const { kind, list } of lists) {
    if (!list.ok) {
      return list;
    }
    members.set(kind, list.value);
  }
  return answered({
    cluster,
    infrastructure,
    controlPlane,
    kubeconfigProblem,
    // True: the list of each kind was read.
    ...toMembers(kind => members.get(kind) as readonly Unstructured[]),
  });
}

/** If the API server does not serve the kind, it has no objects of this kind. */
async function readMembers(
  reads: Reads,
  { namespace, name }: Name,
  kind: string,
): Promise<Answer<readonly Unstructured[]>> {
  const labels = { [clusterNameLabel]: name };
  const answer = await reads.list({ apiVersion: clusterApiVersion, kind, namespace, labels });
  return answer.ok || answer.failure.reason !== 'NotFound' ? answer : answered([]);
}
