// A SimulatedMachine that is provisioned, for tests of simulated workload clusters.
import type { Unstructured } from '@capi-serverless/apimachinery';

export function aSimulatedMachine(
  name: string,
  node: { readonly startsAt: string; readonly version: string },
  cluster = 'c1',
): Unstructured {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'SimulatedMachine',
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      resourceVersion: '1',
      labels: { 'cluster.x-k8s.io/cluster-name': cluster },
    },
    spec: { providerID: `simulated://ns/${name}` },
    status: { node },
  };
}
