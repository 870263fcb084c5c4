// Invariant I6, first half: the finalizer stays while an object that it protects exists, and until the last status of
// the Cluster is stored.

import { isJsonObject, type Unstructured } from '@capi-serverless/apimachinery';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import type { Oracle } from './monitor.ts';

const clusterFinalizer = 'cluster.cluster.x-k8s.io';
const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
const counted: ReadonlySet<string> = new Set(['MachineDeployment', 'MachineSet', 'MachinePool', 'Machine']);

/** Applies to the product only. A user may remove any finalizer. */
export function watchFinalizers(api: SimulatedApi, report: (text: string) => void): Oracle {
  const reportedAsDeleted = new Set<string>();
  return {
    committed(commit) {
      const { object, previous } = commit;
      if (object.kind === 'Cluster' && isReportedAsDeleted(object)) {
        reportedAsDeleted.add(object.metadata.uid);
      }
      if (previous?.kind !== 'Cluster' || commit.writer === 'user' || !isReleased(commit)) {
        return;
      }
      if (!reportedAsDeleted.has(previous.metadata.uid)) {
        report(`I6: ${commit.writer} released Cluster ${previous.metadata.name} before its last status was stored`);
      }
      for (const object of api.objects().values()) {
        if (isGuarded(previous, object)) {
          const { kind, metadata } = object;
          report(
            `I6: ${commit.writer} released Cluster ${previous.metadata.name} while ${kind} ${metadata.name} exists`,
          );
        }
      }
    },
  };
}

function isReleased({ type, object, previous }: Commit): boolean {
  const had = previous?.metadata.finalizers?.includes(clusterFinalizer) === true;
  const has = type !== 'DELETED' && object.metadata.finalizers?.includes(clusterFinalizer) === true;
  return had && !has;
}

/**
 * Clients that watch the Cluster see this condition before the Cluster disappears. A late status patch of a second
 * invocation that holds the key may follow it.
 */
function isReportedAsDeleted({ status }: Unstructured): boolean {
  const conditions = isJsonObject(status) ? status['conditions'] : undefined;
  return (
    Array.isArray(conditions) &&
    conditions.some(each => isJsonObject(each) && each['type'] === 'Deleting' && each['reason'] === 'DeletionCompleted')
  );
}

function isGuarded(cluster: Unstructured, { kind, metadata }: Unstructured): boolean {
  if (metadata.namespace !== cluster.metadata.namespace) {
    return false;
  }
  const { infrastructureRef, controlPlaneRef } = isJsonObject(cluster.spec) ? cluster.spec : {};
  const names = (ref: unknown): boolean => isJsonObject(ref) && ref['kind'] === kind && ref['name'] === metadata.name;
  if (names(infrastructureRef) || names(controlPlaneRef)) {
    return true;
  }
  const isCounted = counted.has(kind) && metadata.labels?.[clusterNameLabel] === cluster.metadata.name;
  const isOfControlPlane = metadata.labels !== undefined && controlPlaneLabel in metadata.labels;
  return isCounted && !(isOfControlPlane && controlPlaneRef !== undefined);
}
