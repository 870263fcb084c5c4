// The objects of Machines without owner in a simulated Cluster.
import type { Intent } from '@capi-serverless/apimachinery';
import { machineRef } from './members.ts';
import { home, toIntent } from './workload.ts';

interface Marks {
  /** The name of its Cluster. Default: `c1`. */
  readonly cluster?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: Intent['status'];
  /** Default: no time limit. Otherwise the Node stays if its deletion fails for too long. */
  readonly nodeDeletionTimeoutSeconds?: number;
}

/** A Machine with its bootstrap config and its infrastructure. */
export function aWholeMachine(
  name: string,
  { cluster = 'c1', labels: more = {}, annotations = {}, status, nodeDeletionTimeoutSeconds = 0 }: Marks = {},
): readonly Intent[] {
  const labels = { 'cluster.x-k8s.io/cluster-name': cluster, ...more };
  const metadata = { name, namespace: home, labels };
  return [
    { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'SimulatedBootstrapConfig', metadata, spec: {} },
    { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedMachine', metadata, spec: {} },
    {
      ...toIntent(machineRef(name)),
      metadata: { ...metadata, annotations },
      spec: {
        clusterName: cluster,
        version: 'v1.35.0',
        bootstrap: {
          configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'SimulatedBootstrapConfig', name },
        },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name },
        deletion: { nodeDeletionTimeoutSeconds },
      },
      ...(status === undefined ? {} : { status }),
    },
  ];
}
