// Invariant I9, the part of Machines: Pods are evicted only from cordoned Nodes, and no Node is deleted with Pods that a
// drain evicts.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { ApiCore } from '@capi-serverless/apiserver/core';
import type { SimulatedWorkloads, WorkloadRequest } from '../ports/workload-api.ts';

/** Registers itself, because no other oracle watches workload clusters. */
export function watchDrains(workloads: Pick<SimulatedWorkloads, 'onServed'>, report: (text: string) => void): void {
  workloads.onServed(request => {
    if (request.verb === 'evict') {
      checkEviction(request, report);
    } else if (request.verb === 'delete' && request.kind === 'Node') {
      checkDeletion(request, report);
    }
  });
}

/** The API server refuses an eviction that is limited to another uid. */
function checkEviction({ core, process, namespace, name, uid }: WorkloadRequest, report: (text: string) => void): void {
  const pod = list(core, 'Pod').find(
    ({ metadata }) =>
      metadata.namespace === namespace && metadata.name === name && (uid === undefined || metadata.uid === uid),
  );
  const nodeName = valueAt(pod?.spec, 'nodeName');
  const node = list(core, 'Node').find(({ metadata }) => metadata.name === nodeName);
  if (node !== undefined && valueAt(node.spec, 'unschedulable') !== true) {
    report(
      `I9: ${process.name} evicts Pod ${namespace}/${name} from Node ${node.metadata.name}, which is not cordoned`,
    );
  }
}

function checkDeletion({ core, process, name: node }: WorkloadRequest, report: (text: string) => void): void {
  for (const { metadata } of list(core, 'Pod').filter(
    pod => valueAt(pod.spec, 'nodeName') === node && isAwaited(pod),
  )) {
    report(`I9: ${process.name} deletes Node ${node} with Pod ${metadata.namespace}/${metadata.name}`);
  }
}

/** A drain evicts the Pod, or waits for its completion. */
export function isAwaited(pod: Unstructured): boolean {
  const { labels = {}, deletionTimestamp } = pod.metadata;
  const isCompleted =
    labels['cluster.x-k8s.io/drain'] === 'WaitCompleted' && valueAt(pod.status, 'phase') === 'Succeeded';
  return deletionTimestamp === undefined && !isSkipped(pod) && !isCompleted;
}

/** Pods of DaemonSets and static Pods stay. */
export function isSkipped({ metadata }: Unstructured): boolean {
  const { annotations = {}, ownerReferences = [] } = metadata;
  return 'kubernetes.io/config.mirror' in annotations || ownerReferences.some(({ kind }) => kind === 'DaemonSet');
}

function list(core: ApiCore, kind: string): readonly Unstructured[] {
  return core.list(core.registry.endpointOfKind('v1', kind), {}).items;
}
