// A Machine in deletion whose Node is drained, in a Cluster of its own, and the objects of its workload cluster.
import { toBody } from '../../../shared/workqueue/message.ts';
import { aCluster, aMachine } from '../../support/builders.ts';
import type { MemoryApi } from '../../support/memory-api.ts';
import { ObjectBuilder } from '../../support/object-builder.ts';
import { conditionIn } from '../../support/result-text.ts';
import { staticMachineKind } from '../../support/static-provider.ts';
import { plainKubeconfig } from '../../support/workload-kubeconfig.ts';
import { aSecret } from '../functions/cluster/secrets.ts';

const machineFinalizer = 'machine.cluster.x-k8s.io';
const namespace = 'ns';

/** Stores the Machine, with Cluster, kubeconfig and infrastructure machine of the same name. */
export function giveDrainedMachine(api: Pick<MemoryApi, 'given'>, name: string, server: string): void {
  const aMember = () => aMachine().ofCluster(name).withFinalizers(machineFinalizer);
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: staticMachineKind.kind, name };
  api.given(
    aCluster()
      .named(name)
      .infrastructureProvisioned()
      .withCondition('ControlPlaneInitialized')
      .withCondition('RemoteConnectionProbe'),
    aSecret(`${name}-kubeconfig`).holding({ value: plainKubeconfig({ server }) }),
    // Without another Machine of the control plane, the Node would not be drained.
    aMember().named(`${name}-cp`).controlPlane(),
    aMember()
      .named(name)
      .annotated({ 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '' })
      .withNode(name)
      .withSpec({ providerID: `static://${name}`, infrastructureRef })
      .withStatus({ deletion: { nodeDrainStartTime: '2026-01-01T00:00:00Z' } })
      .deleting(),
    new ObjectBuilder({ ...staticMachineKind, name })
      .withFinalizers('example.com/static')
      .withSpec({ providerID: `static://${name}` })
      .withStatus({ initialization: { provisioned: true } }),
  );
}

export function toMachineMessage(name: string) {
  const key = { managementCluster: 'mc', group: 'cluster.x-k8s.io', kind: 'Machine', namespace, name };
  return {
    messageId: name,
    body: toBody({ v: 1, reconciler: 'machine', key, cause: 'event', attempt: 0, trace: 't' }),
  };
}

/** Returns the condition Deleting of the Machine. */
export function deletingOf(api: MemoryApi, name: string) {
  const machine = api.read({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', namespace, name });
  return conditionIn((machine.status as { readonly conditions?: unknown } | undefined)?.conditions, 'Deleting');
}

/** The Node of the Machine, already cordoned. */
export const aCordonedNode = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
  spec: { providerID: `static://${name}`, unschedulable: true },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
});

export const aPodList = (items: readonly unknown[], next = {}) => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '1', ...next },
  items,
});
