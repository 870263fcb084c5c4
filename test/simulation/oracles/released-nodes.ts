// Invariant I9, the Node of a released Machine: its name may belong to another machine already, so a Node is deleted only
// for a Machine in deletion that is not released.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { WorkloadRequest } from '../ports/workload-api.ts';
import type { System } from '../system/system.ts';

const machineFinalizer = 'machine.cluster.x-k8s.io';

/** Registers itself, because no other oracle watches workload clusters. */
export function watchReleasedNodes(
  { api, workloads }: Pick<System, 'api' | 'workloads'>,
  report: (text: string) => void,
): void {
  workloads.onServed(request => {
    const { verb, kind, name, process } = request;
    if (verb === 'delete' && kind === 'Node' && hasEffect(request)) {
      const objects = [...api.objects().values()];
      const cluster = objects.find(({ metadata }) => metadata.uid === request.cluster);
      if (!objects.some(object => isEnding(object, { cluster, node: name }))) {
        report(`I9: ${process.name} deletes Node ${name}, and no Machine in deletion has it`);
      }
    }
  });
}

/** A deletion that is limited to another uid has none. */
function hasEffect({ core, name, uid }: WorkloadRequest): boolean {
  return core
    .list(core.registry.endpointOfKind('v1', 'Node'), {})
    .items.some(({ metadata }) => metadata.name === name && (uid === undefined || metadata.uid === uid));
}

interface NodeOfCluster {
  readonly cluster: Unstructured | undefined;
  readonly node: string;
}

/** A Machine may be deleted before it has learned the name of its Node. */
function isEnding({ kind, metadata, spec, status }: Unstructured, { cluster, node }: NodeOfCluster): boolean {
  return (
    kind === 'Machine' &&
    metadata.deletionTimestamp !== undefined &&
    metadata.finalizers?.includes(machineFinalizer) === true &&
    metadata.namespace === cluster?.metadata.namespace &&
    valueAt(spec, 'clusterName') === cluster?.metadata.name &&
    (valueAt(status, 'nodeRef.name') ?? node) === node
  );
}
