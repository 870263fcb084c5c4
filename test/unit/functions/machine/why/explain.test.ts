// What a Machine waits for, what blocks it, and the remedy.
import { describe, expect, it } from 'vitest';
import { explainMachine, waitOfMachine } from '../../../../../functions/machine/why/explain.ts';
import type { MachineSnapshot } from '../../../../../functions/machine/why/machine-snapshot.ts';
import { findOrder } from '../../../../../local/provider/orders.ts';
import { aCapiCluster, aMachine, i1, now, TestObject } from '../scenario-objects.ts';
import { found, inDeletion, running, snapshot, withCondition } from './snapshots.ts';

const kubeconfig =
  "kubectl get secret -n ns c1-kubeconfig -o jsonpath='{.data.value}' | base64 -d > c1.kubeconfig && kubectl --kubeconfig c1.kubeconfig";

const refusal = "cannot evict pod as it would violate the pod's disruption budget.";
const budgetLine = `${refusal} The disruption budget web needs 2 healthy pods and has 2 currently`;
const drain = [
  'Drain not completed yet (started at 2026-01-01T00:00:00Z):',
  '* Pod app/ending: deletionTimestamp set, but still not removed from the Node',
  `* Pods app/web-1, shop/web-2: ${budgetLine}`,
  'After above Pods have been removed from the Node, the following Pods will be evicted: app/late',
].join('\n');

interface Row {
  readonly reason: string;
  readonly of: MachineSnapshot;
  readonly waitsFor: string;
  readonly pointsTo?: readonly string[];
  /** The first remedies. */
  readonly remedies: readonly string[];
}

const plan = 'see each step, and what blocks it now: npx capi-serverless plan machine ns/m1';
const answers = `see whether the workload cluster answers: ${kubeconfig} get --raw /`;
const why = 'see what its Cluster reports: npx capi-serverless why ns/c1';

const rows: readonly Row[] = [
  {
    reason: 'a new Machine',
    of: snapshot(aMachine()),
    waitsFor: 'its first reconcile',
    remedies: ['see whether the functions run, and whether their watch filter leaves this Machine out'],
  },
  {
    reason: 'a pause by annotation',
    of: snapshot(withCondition('Paused', 'Paused').annotated({ 'cluster.x-k8s.io/paused': '' })),
    waitsFor: 'its pause to end',
    remedies: ['remove the annotation: kubectl annotate machine -n ns m1 cluster.x-k8s.io/paused-'],
  },
  {
    reason: 'a pause of the Cluster',
    of: snapshot(withCondition('Paused', 'Paused'), { cluster: aCapiCluster().paused().build() }),
    waitsFor: 'its pause to end',
    remedies: [
      `unset spec.paused of its Cluster: kubectl patch cluster -n ns c1 --type=merge -p '{"spec":{"paused":false}}'`,
    ],
  },
  {
    reason: 'a bootstrap config that does not exist',
    of: snapshot(withCondition('BootstrapConfigReady', 'ObjectDoesNotExist'), {
      bootstrap: { state: 'missing', kind: 'FooConfig', name: 'b1' },
    }),
    waitsFor: 'BootstrapConfigReady',
    pointsTo: ['FooConfig ns/b1, which does not exist'],
    remedies: ['create FooConfig "b1" in the namespace of the Machine'],
  },
  {
    reason: 'no bootstrap config',
    of: snapshot(withCondition('BootstrapConfigReady', 'NotReady'), { bootstrap: undefined }),
    waitsFor: 'BootstrapConfigReady',
    remedies: ['set spec.bootstrap.configRef of the Machine'],
  },
  {
    reason: 'an infrastructure machine that is not ready',
    of: snapshot(withCondition('InfrastructureReady', 'NotReady'), {
      infrastructure: found(
        i1().withCondition('Ready', { status: 'False', reason: 'Booting', message: 'no capacity' }),
      ),
    }),
    waitsFor: 'InfrastructureReady',
    pointsTo: ['FooMachine ns/i1, which is not ready: Booting: no capacity'],
    remedies: ['nothing to do while its provider works on it; if that does not change, fix what the condition reports'],
  },
  {
    reason: 'a Cluster that is not initialized',
    of: snapshot(withCondition('NodeReady', 'InspectionFailed'), { cluster: undefined }),
    waitsFor: 'NodeReady',
    pointsTo: ['Cluster ns/c1, which is not initialized'],
    remedies: ['see what it waits for: npx capi-serverless why ns/c1'],
  },
  {
    reason: 'no providerID',
    of: snapshot(withCondition('NodeReady', 'InspectionFailed'), { infrastructure: found(i1()) }),
    waitsFor: 'NodeReady',
    pointsTo: ['FooMachine ns/i1, which is not reporting'],
    remedies: ['it reports nothing: see whether the controller of FooMachine runs'],
  },
  {
    reason: 'a Node that has not joined',
    of: snapshot(withCondition('NodeReady', 'InspectionFailed').withSpec({ providerID: 'foo://1' })),
    waitsFor: 'NodeReady',
    pointsTo: ['a Node with spec.providerID foo://1, which has not joined the workload cluster'],
    remedies: [
      `see which Nodes have which providerID: ${kubeconfig} get nodes -o custom-columns=NAME:.metadata.name,PROVIDERID:.spec.providerID`,
    ],
  },
  {
    reason: 'a lost connection',
    of: snapshot(withCondition('NodeReady', 'ConnectionDown', 'Last successful probe at …', running())),
    waitsFor: 'NodeReady',
    pointsTo: ['the workload cluster, whose connection is lost'],
    remedies: [answers, why],
  },
  {
    reason: 'a Node that was deleted',
    of: snapshot(withCondition('NodeReady', 'NodeDeleted', '', running())),
    waitsFor: 'NodeReady',
    pointsTo: ['Node n1, which was deleted in the workload cluster'],
    remedies: ['delete the Machine, so that its owner creates another one: kubectl delete machine -n ns m1'],
  },
  {
    reason: 'a look-up that failed',
    of: snapshot(withCondition('NodeReady', 'InternalError', '', running())),
    waitsFor: 'NodeReady',
    remedies: ['see the error in the log of function machine', answers, why],
  },
  {
    reason: 'a Node that is not healthy',
    of: snapshot(withCondition('NodeHealthy', 'NodeNotHealthy', '* Node.DiskPressure: disk full', running())),
    waitsFor: 'NodeHealthy',
    pointsTo: ['Node n1: Node.DiskPressure: disk full'],
    remedies: [`see what its kubelet reports: ${kubeconfig} describe node n1`],
  },
  {
    reason: 'an update',
    of: snapshot(withCondition('Updating', 'InPlaceUpdating', 'In-place update in progress: 1 of 2', running())),
    waitsFor: 'its update to end',
    remedies: [
      'wait for the extension with hook UpdateMachine, which is called again; to call it now: kubectl annotate machine -n ns m1 capi-serverless.dev/blocking-hooks-',
    ],
  },
  {
    reason: 'an update that failed',
    of: snapshot(withCondition('Updating', 'InPlaceUpdateFailed', 'UpdateMachine hook failed', running())),
    waitsFor: 'its update to end',
    remedies: ['see the error in the log of function machine, and the log of the extension with hook UpdateMachine'],
  },
  {
    reason: 'an update without infrastructure machine',
    of: snapshot(
      withCondition(
        'Updating',
        'InPlaceUpdateFailed',
        'In-place update not possible: InfraMachine not found',
        running(),
      ),
    ),
    waitsFor: 'its update to end',
    remedies: ['the infrastructure machine is gone; delete the Machine: kubectl delete machine -n ns m1'],
  },
  {
    reason: 'a failed health check',
    of: snapshot(withCondition('HealthCheckSucceeded', 'NodeStartupTimeout', '', running())),
    waitsFor: 'its remediation',
    remedies: ['nothing to do: its owner replaces the Machine; if it stays, see the conditions of its owner'],
  },
  {
    reason: 'a readiness gate',
    of: snapshot(withCondition('Ready', 'NotReady', '* Gate: False', running())),
    waitsFor: 'Ready',
    remedies: ['see the conditions that the message names'],
  },
  {
    reason: 'minReadySeconds',
    of: snapshot(
      withCondition('Available', 'WaitingForMinReadySeconds', '', running().withSpec({ minReadySeconds: 60 })),
    ),
    waitsFor: 'Available',
    remedies: ['nothing to do: the Machine becomes available after it was ready for 60 s'],
  },
  {
    reason: 'its condition Ready',
    of: snapshot(withCondition('Available', 'NotReady', '', running())),
    waitsFor: 'Available',
    remedies: ['see its condition Ready'],
  },
  {
    reason: 'a pre-drain hook',
    of: snapshot(
      inDeletion('WaitingForPreDrainHook').annotated({
        'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup': 'backup-controller',
        'pre-terminate.delete.hook.machine.cluster.x-k8s.io/other': '',
      }),
    ),
    waitsFor: 'its deletion to end',
    pointsTo: [
      'annotation pre-drain.delete.hook.machine.cluster.x-k8s.io/backup, which backup-controller is to remove',
    ],
    remedies: [
      'see whether the controller that set the annotation runs; it removes the annotation when its work is done',
      'to go on without it: kubectl annotate machine -n ns m1 pre-drain.delete.hook.machine.cluster.x-k8s.io/backup-',
    ],
  },
  {
    reason: 'a pre-terminate hook without owner',
    of: snapshot(
      inDeletion('WaitingForPreTerminateHook').annotated({
        'pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd': '',
      }),
    ),
    waitsFor: 'its deletion to end',
    pointsTo: ['annotation pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd'],
    remedies: [],
  },
  {
    reason: 'a drain that budgets refuse',
    of: snapshot(inDeletion('DrainingNode', drain)),
    waitsFor: 'its deletion to end',
    pointsTo: [
      'Pod app/ending: deletionTimestamp set, but still not removed from the Node',
      'Pod app/web-1, shop/web-2, whose eviction PodDisruptionBudget web refuses: The disruption budget web needs 2 healthy pods and has 2 currently',
    ],
    remedies: [
      `see what the budget needs: ${kubeconfig} get poddisruptionbudgets,pods -n app`,
      `see what the budget needs: ${kubeconfig} get poddisruptionbudgets,pods -n shop`,
      plan,
      'to go on without a drain: kubectl annotate machine -n ns m1 machine.cluster.x-k8s.io/exclude-node-draining=',
    ],
  },
  {
    reason: 'a drain that budgets without name refuse',
    of: snapshot(
      inDeletion(
        'DrainingNode',
        [
          'Drain not completed yet (started at 2026-01-01T00:00:00Z):',
          `* Pods app/web-1, app/web-2, shop/web-3, ... (2 more): ${refusal}`,
          `* Pod app/web-6: ${refusal} Retry later`,
        ].join('\n'),
      ),
    ),
    waitsFor: 'its deletion to end',
    pointsTo: [
      `Pod app/web-1, app/web-2, shop/web-3, ... (2 more), whose eviction a PodDisruptionBudget refuses: ${refusal}`,
      'Pod app/web-6, whose eviction a PodDisruptionBudget refuses: Retry later',
    ],
    remedies: [
      `see what the budget needs: ${kubeconfig} get poddisruptionbudgets,pods -n app`,
      `see what the budget needs: ${kubeconfig} get poddisruptionbudgets,pods -n shop`,
      plan,
    ],
  },
  {
    reason: 'a drain that has not begun',
    of: snapshot(inDeletion('DrainingNode', 'Drain not completed yet')),
    waitsFor: 'its deletion to end',
    remedies: [answers, why, plan],
  },
  {
    reason: 'a drain that failed',
    of: snapshot(
      inDeletion('DrainingNode', 'Error draining Node').withStatus({
        deprecated: {
          v1beta1: { conditions: [{ type: 'DrainingSucceeded', status: 'False', message: 'no connection' }] },
        },
      }),
    ),
    waitsFor: 'its deletion to end',
    pointsTo: ['the last error of the drain: no connection'],
    remedies: [answers, why, plan],
  },
  {
    reason: 'volumes',
    of: snapshot(
      inDeletion('WaitingForVolumeDetach', 'Waiting for Node volumes\n* PersistentVolumeClaims: app/c1, app/c2'),
    ),
    waitsFor: 'its deletion to end',
    pointsTo: ['PersistentVolumeClaims: app/c1, app/c2'],
    remedies: [
      `see which volumes are attached: ${kubeconfig} get volumeattachments`,
      'to go on with attached volumes: kubectl annotate machine -n ns m1 machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach=',
    ],
  },
  {
    reason: 'its infrastructure machine',
    of: snapshot(inDeletion('WaitingForInfrastructureDeletion'), {
      infrastructure: found(i1().withFinalizers('foo.example.com').deleting(now)),
    }),
    waitsFor: 'its deletion to end',
    pointsTo: ['FooMachine ns/i1, which is being deleted'],
    remedies: ['finalizers hold it: foo.example.com; see whether the controller of FooMachine runs'],
  },
  {
    reason: 'a bootstrap config that is gone',
    of: snapshot(inDeletion('WaitingForBootstrapDeletion'), {
      bootstrap: { state: 'missing', kind: 'FooConfig', name: 'b1' },
    }),
    waitsFor: 'its deletion to end',
    remedies: ['nothing to do: the next reconcile sees that it is gone'],
  },
  {
    reason: 'its Node',
    of: snapshot(inDeletion('DeletingNode', 'Error deleting Node', running())),
    waitsFor: 'its deletion to end',
    pointsTo: ['Node n1: Error deleting Node'],
    remedies: [answers, why, `or delete it: ${kubeconfig} delete node n1`],
  },
  {
    reason: 'other finalizers',
    of: snapshot(
      inDeletion(
        'DeletionCompleted',
        '',
        new TestObject({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm1' })
          .withFinalizers('other.example.com')
          .withStatus({ phase: 'Deleting' }),
      ),
    ),
    waitsFor: 'its deletion to end',
    pointsTo: ['its finalizers: other.example.com'],
    remedies: ['finalizers hold it: other.example.com; see whether the controller of Machine runs'],
  },
  {
    reason: 'an unknown stage',
    of: snapshot(inDeletion('InternalError')),
    waitsFor: 'its deletion to end',
    remedies: [plan],
  },
];

describe('a Machine waits for', () => {
  it.each(rows)('$reason', ({ of, waitsFor, pointsTo = [], remedies }) => {
    const explanation = explainMachine(of, findOrder);
    expect(explanation).toMatchObject({ waitsFor, pointsTo });
    expect(explanation?.remedies.slice(0, remedies.length)).toEqual(remedies);
  });

  it('nothing when its conditions are good', () => {
    const machine = running().withCondition('Ready').withCondition('Available');
    expect(explainMachine(snapshot(machine), findOrder)).toBeUndefined();
    expect(waitOfMachine(machine.build())).toBeUndefined();
  });

  it('the first condition that is not good, in the order of the steps', () => {
    const machine = withCondition('NodeReady', 'X', '', withCondition('InfrastructureReady', 'Y'));
    expect(waitOfMachine(machine.build())?.condition?.type).toBe('InfrastructureReady');
  });
});
