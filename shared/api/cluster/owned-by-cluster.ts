// Whether a Cluster owns an object, by its name.
import { groupOf, type PartialObject } from '@capi-serverless/apimachinery';
import { clusterGroup } from './reader.ts';

/** Returns true if any owner reference names the Cluster. The uid is not compared, so the Cluster may be gone. */
export function isOwnedByCluster({ metadata: { ownerReferences = [] } }: PartialObject, clusterName: string): boolean {
  return ownerReferences.some(
    ({ apiVersion, kind, name }) => groupOf(apiVersion) === clusterGroup && kind === 'Cluster' && name === clusterName,
  );
}
