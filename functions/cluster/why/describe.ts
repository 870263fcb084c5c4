// The output of `why` for a Cluster: its tree, and what it waits for.
import { type Answer, answered, type Unstructured } from '@capi-serverless/apimachinery';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { explain } from './explain.ts';
import { readSnapshot } from './read-snapshot.ts';
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
