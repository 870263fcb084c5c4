// Reads the Cluster to which an object belongs.
import {
  type Checked,
  invalid,
  type ObjectMeta,
  type Reads,
  toDisplayName,
  valid,
} from '@capi-serverless/apimachinery';
import { isDeleting } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, readCluster } from '../api/cluster/reader.ts';

interface Belonging {
  readonly metadata: Pick<ObjectMeta, 'deletionTimestamp'> & { readonly namespace: string };
  readonly spec: { readonly clusterName: string };
}

/** Returns `undefined` for an object in deletion whose Cluster is gone. It can still be deleted. */
export async function readOwningCluster(object: Belonging, ask: Reads): Promise<Checked<Cluster | undefined>> {
  const { namespace } = object.metadata;
  const name = object.spec.clusterName;
  const answer = await ask.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name });
  if (answer.ok) {
    return valid(readCluster(answer.value));
  }
  return answer.missing && isDeleting(object)
    ? valid(undefined)
    : invalid(`failed to get Cluster ${toDisplayName({ namespace, name })}: ${answer.failure.message}`);
}
