import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { explain as explainWith } from '../../../../../functions/cluster/why/explain.ts';
import type { ClusterSnapshot } from '../../../../../functions/cluster/why/snapshot.ts';
import { findOrder } from '../../../../../local/provider/orders.ts';
import { type Explanation, toSentences } from '../../../../../shared/explain/explanation.ts';
import type { Referred } from '../../../../../shared/explain/referred.ts';
import {
  aCluster,
  aControlPlane,
  aMachine,
  aMachineDeployment,
  anInfraCluster,
  type ClusterBuilder,
} from '../../../../support/builders.ts';
import { snapshotOf } from './snapshot-of.ts';

/** The objects have the annotations of the simulated provider. */
function explain(of: ClusterSnapshot): Explanation | undefined {
  return explainWith(of, findOrder);
}

const order = 'simulated.capi-serverless.dev';
const reference = { kind: 'SimulatedCluster', name: 'c1-infra' } as const;

function found(object: Unstructured): Referred {
  return { state: 'found', kind: object.kind, name: object.metadata.name, object };
}

function waiting(
  type: string,
  cluster: ClusterBuilder = aCluster(),
  reason = 'NotReady',
  message = 'as ordered',
): Unstructured {
  const status = ['Paused', 'Deleting'].includes(type) ? 'True' : 'False';
  return cluster.inPhase('Provisioning').withCondition(type, { status, reason, message }).build();
}

function snapshot({ cluster = waiting('InfrastructureReady'), ...parts }: Partial<ClusterSnapshot>): ClusterSnapshot {
  return snapshotOf(cluster, parts);
}

describe('a Cluster that waits for nothing', () => {
  it('has no explanation', () => {
    expect(explain(snapshot({ cluster: aCluster().inPhase('Provisioned').build() }))).toBeUndefined();
    expect(toSentences('ns/c1', undefined)).toEqual(['ns/c1 waits for nothing.']);
  });
});

describe('a Cluster that waits without a condition', () => {
  it('waits for its first reconcile', () => {
    expect(toSentences('ns/c1', explain(snapshot({ cluster: aCluster().build() })))).toEqual([
      'ns/c1 waits for its first reconcile.',
      'What to do: see whether the functions run, and whether their watch filter leaves this Cluster out',
    ]);
  });

  it('waits for its phase', () => {
    const explanation = explain(snapshot({ cluster: aCluster().inPhase('Pending').build() }));
    expect(explanation).toEqual({ waitsFor: 'phase Pending to become Provisioned', pointsTo: [], remedies: [] });
  });
});

describe('a Cluster that waits for its topology', () => {
  const inClass = aCluster().withTopology({ class: 'class1', version: 'v1.35.0' });
  const seeClass = 'see what its class waits for: npx capi-serverless why clusterclass ns/class1';
  const askNow =
    'wait for the blocking extension, which is called again by itself; to call it now: kubectl annotate cluster -n ns c1 capi-serverless.dev/blocking-hooks-';

  it.each([
    {
      ...{ reason: 'ReconcileFailed', message: 'ClusterClass is not successfully reconciled: …' },
      ...{ waitsFor: 'what keeps its topology from being made', remedies: [seeClass] },
    },
    {
      ...{ reason: 'ReconcileFailed', message: 'failed to retrieve ClusterClass ns/class1: not found' },
      waitsFor: 'what keeps its topology from being made',
      remedies: ['create ClusterClass ns/class1, or name another one in spec.topology.classRef'],
    },
    {
      ...{ reason: 'ReconcileFailed', message: 'error reconciling the Cluster topology: no quota' },
      waitsFor: 'what keeps its topology from being made',
      remedies: [
        'fix the cause in the message; the reconciler retries by itself',
        'see what the next reconcile would do: npx capi-serverless plan topology ns/c1',
      ],
    },
    {
      ...{ reason: 'ClusterClassNotReconciled', message: 'not yet' },
      ...{ waitsFor: 'its ClusterClass to be reconciled', remedies: [seeClass] },
    },
    {
      ...{ reason: 'ClusterCreating', message: 'Following hooks are blocking Cluster topology creation: H' },
      ...{ waitsFor: 'a hook to let its objects be made', remedies: [askNow] },
    },
    {
      ...{ reason: 'ClusterUpgrading', message: 'Following hooks are blocking upgrade: H: later' },
      ...{ waitsFor: 'its upgrade', remedies: [askNow] },
    },
    {
      ...{ reason: 'ClusterUpgrading', message: 'Cluster is upgrading to v1.36.0' },
      waitsFor: 'its upgrade',
      remedies: ['nothing to do, the upgrade continues by itself; docs/upgrades.md explains each line'],
    },
    {
      ...{ reason: 'MachinePoolsUpgradeDeferred', message: 'mp1' },
      waitsFor: 'MachinePools whose upgrade is deferred',
      remedies: [
        'remove topology.cluster.x-k8s.io/defer-upgrade or topology.cluster.x-k8s.io/hold-upgrade-sequence from them in spec.topology.workers to continue',
      ],
    },
    { ...{ reason: 'Elsewhere', message: 'x' }, ...{ waitsFor: 'its topology', remedies: [] } },
  ])('gives a remedy for $reason: $message', ({ reason, message, waitsFor, remedies }) => {
    const cluster = waiting('TopologyReconciled', inClass, reason, message);
    expect(explain(snapshot({ cluster }))).toMatchObject({ waitsFor, pointsTo: [], remedies });
  });
});

describe('a Cluster that waits for its infrastructure', () => {
  it('names the condition, the object and the remedy', () => {
    const object = anInfraCluster()
      .annotated({ [`${order}/fail`]: 'dark' })
      .withCondition('Ready', { status: 'False', reason: 'SimulatedFailure', message: 'dark' });
    expect(toSentences('ns/c1', explain(snapshot({ infrastructure: found(object.build()) })))).toEqual([
      'ns/c1 waits for InfrastructureReady.',
      'Condition InfrastructureReady is False (NotReady): as ordered.',
      'This points to SimulatedCluster ns/c1-infra, which is failing: SimulatedFailure: dark.',
      `What to do: remove its annotation: kubectl annotate simulatedcluster -n ns c1-infra ${order}/fail-`,
    ]);
  });

  it.each<{ infrastructure: Referred | undefined; state: string | undefined; remedy: string }>([
    { infrastructure: undefined, state: undefined, remedy: 'set spec.infrastructureRef of the Cluster' },
    {
      infrastructure: { ...reference, state: 'missing' },
      state: 'which does not exist',
      remedy: 'create SimulatedCluster "c1-infra" in the namespace of the Cluster',
    },
    {
      infrastructure: { ...reference, state: 'pending' },
      state: 'which is not reporting',
      remedy: 'run the command again in a moment',
    },
    {
      infrastructure: { ...reference, state: 'notInstalled', crd: 'xs.group' },
      state: 'which cannot exist: CustomResourceDefinition xs.group is not installed',
      remedy: 'install the provider that brings CustomResourceDefinition xs.group',
    },
    {
      infrastructure: { ...reference, state: 'unreadable', error: 'forbidden' },
      state: 'which is failing: forbidden',
      remedy: 'fix the definition of that kind or the permission to read it',
    },
    {
      infrastructure: found(anInfraCluster().annotated({ 'cluster.x-k8s.io/paused': '' }).build()),
      state: 'which is paused: annotation cluster.x-k8s.io/paused',
      remedy: 'end its pause: kubectl annotate simulatedcluster -n ns c1-infra cluster.x-k8s.io/paused-',
    },
    {
      infrastructure: found(anInfraCluster().withStatus({ failureMessage: 'used up' }).build()),
      state: 'which is failing: used up',
      remedy: 'no retry fixes this failure: delete the object and create it again',
    },
    {
      infrastructure: found(anInfraCluster().withFinalizers('f').deleting().build()),
      state: 'which is being deleted',
      remedy: 'finalizers hold it: f; see whether the controller of SimulatedCluster runs',
    },
    {
      infrastructure: found(anInfraCluster().deleting().build()),
      state: 'which is being deleted',
      remedy: 'nothing to do: it is being deleted',
    },
    {
      infrastructure: found(anInfraCluster().build()),
      state: 'which is not reporting',
      remedy: 'it reports nothing: see whether the controller of SimulatedCluster runs',
    },
    {
      infrastructure: found(anInfraCluster().withCondition('Ready', { status: 'False', reason: 'AwsError' }).build()),
      state: 'which is failing: AwsError',
      remedy: 'fix what its provider reports; the provider then retries',
    },
    {
      infrastructure: found(anInfraCluster().withCondition('Ready', { status: 'False', reason: 'Creating' }).build()),
      state: 'which is not ready: Creating',
      remedy: 'nothing to do while its provider works on it; if that does not change, fix what the condition reports',
    },
  ])('has the remedy: $remedy', ({ infrastructure, state, remedy }) => {
    const pointsTo = state === undefined ? [] : [`SimulatedCluster ns/c1-infra, ${state}`];
    expect(explain(snapshot({ infrastructure }))).toMatchObject({ pointsTo, remedies: [remedy] });
  });

  it('has no remedy when its topology will name one', () => {
    const cluster = waiting('InfrastructureReady', aCluster().withTopology({ class: 'quick' }));
    expect(explain(snapshot({ cluster }))).toMatchObject({ pointsTo: [], remedies: [] });
  });
});

describe('a Cluster that waits for something else', () => {
  it('leads to the kubeconfig when the workload cluster does not answer', () => {
    expect(explain(snapshot({ cluster: waiting('RemoteConnectionProbe') }))).toMatchObject({
      pointsTo: ['the API server that Secret ns/c1-kubeconfig leads to'],
      remedies: [expect.stringMatching(/^see whether it answers: kubectl get secret -n ns c1-kubeconfig /)],
    });
  });

  it('names the annotation that makes a simulated control plane unreachable', () => {
    const controlPlane = found(aControlPlane().annotated({ 'simulated.capi-serverless.dev/unreachable': '' }).build());
    expect(explain(snapshot({ cluster: waiting('RemoteConnectionProbe'), controlPlane }))).toMatchObject({
      remedies: [expect.stringContaining('simulated.capi-serverless.dev/unreachable-')],
    });
  });

  it.each(['ControlPlaneInitialized', 'ControlPlaneAvailable'])('reads its control plane for %s', type => {
    const controlPlane = found(
      aControlPlane()
        .annotated({ [`${order}/hang`]: '' })
        .build(),
    );
    expect(explain(snapshot({ cluster: waiting(type), controlPlane }))).toMatchObject({
      pointsTo: ['SimulatedControlPlane ns/c1-control-plane, which is not reporting'],
      remedies: [`remove its annotation: kubectl annotate simulatedcontrolplane -n ns c1-control-plane ${order}/hang-`],
    });
  });

  it('reads the MachineDeployments that are not available', () => {
    const fine = aMachineDeployment().named('fine').withCondition('Available', { status: 'True' }).build();
    const poor = aMachineDeployment()
      .named('poor')
      .withCondition('Available', { status: 'False', reason: 'TooFew' })
      .build();
    expect(explain(snapshot({ cluster: waiting('WorkersAvailable'), machineDeployments: [fine, poor] }))).toMatchObject(
      {
        pointsTo: ['MachineDeployment ns/poor, which is not ready: 0/1 ready  TooFew'],
        remedies: [
          'nothing to do while its provider works on it; if that does not change, fix what the condition reports',
        ],
      },
    );
  });

  it('names the Machines of these MachineDeployments that are not ready', () => {
    const poor = aMachineDeployment().named('poor').withCondition('Available', { status: 'False', reason: 'TooFew' });
    const machine = (name: string, deployment = 'poor') =>
      aMachine()
        .named(name)
        .labelled({ 'cluster.x-k8s.io/deployment-name': deployment })
        .withCondition('Available', { status: 'False', reason: 'NotReady' });
    const machines = [
      machine('ready').withCondition('Available'),
      machine('elsewhere', 'other'),
      aMachine().named('alone'),
      ...['m1', 'm2', 'm3', 'm4'].map(name => machine(name)),
    ].map(each => each.build());
    const given = { cluster: waiting('WorkersAvailable'), machineDeployments: [poor.build()], machines };
    expect(explain(snapshot(given))).toMatchObject({
      pointsTo: [
        'MachineDeployment ns/poor, which is not ready: 0/1 ready  TooFew',
        'Machine ns/m1, which is not ready: NotReady',
        'Machine ns/m2, which is not ready: NotReady',
        'Machine ns/m3, which is not ready: NotReady',
      ],
      remedies: [
        expect.stringContaining('nothing to do while its provider works on it'),
        'see what the Machine waits for: npx capi-serverless why machine ns/m1',
      ],
    });
  });

  it('ends its pause by each of the switches that are on', () => {
    const annotated = { 'cluster.x-k8s.io/paused': '' };
    const remedies = (cluster: ClusterBuilder) => explain(snapshot({ cluster: waiting('Paused', cluster) }))?.remedies;
    const [field, annotation] = [
      `unset spec.paused: kubectl patch cluster -n ns c1 --type=merge -p '{"spec":{"paused":false}}'`,
      'take the annotation away: kubectl annotate cluster -n ns c1 cluster.x-k8s.io/paused-',
    ];
    expect(remedies(aCluster().paused().annotated(annotated))).toEqual([field, annotation]);
    expect(remedies(aCluster().paused())).toEqual([field]);
    expect(remedies(aCluster().annotated(annotated))).toEqual([annotation]);
  });

  it('has no remedy for a readiness gate of a user', () => {
    expect(explain(snapshot({ cluster: waiting('Available') }))).toMatchObject({
      waitsFor: 'Available',
      pointsTo: [],
      remedies: [],
    });
  });
});

describe('a Cluster that is being deleted', () => {
  const deleting = (reason: string): Unstructured =>
    waiting('Deleting', aCluster().withFinalizers('other').deleting(), reason);

  it('names its workers, and gives a remedy for those that no owner deletes', () => {
    const parts = {
      cluster: deleting('WaitingForWorkersDeletion'),
      machineDeployments: [aMachineDeployment().build()],
      machines: [aMachine().withFinalizers('f').deleting().build()],
    };
    const explanation = explain(snapshot(parts));
    expect(explanation?.pointsTo).toEqual([
      'MachineDeployment ns/md1, which is not deleted yet',
      'Machine ns/m1, which is being deleted',
    ]);
    expect(explanation?.remedies).toEqual([
      'the Cluster deletes what it owns; delete the rest: kubectl delete machinedeployments,machinesets,machinepools,machines -n ns -l cluster.x-k8s.io/cluster-name=c1',
    ]);
    expect(explain(snapshot({ ...parts, machineDeployments: [] }))?.remedies).toEqual([
      'finalizers hold it: f; see whether the controller of Machine runs',
    ]);
  });

  it('names the stage of a Machine that is being deleted', () => {
    const message = 'Drain not completed yet:\n* Pod app/p: waiting for completion';
    const machine = aMachine()
      .withFinalizers('f')
      .deleting()
      .withCondition('Deleting', { status: 'True', reason: 'DrainingNode', message });
    const given = { cluster: deleting('WaitingForWorkersDeletion'), machines: [machine.build()] };
    expect(explain(snapshot(given))).toMatchObject({
      pointsTo: [
        'Machine ns/m1, which is being deleted: DrainingNode: Drain not completed yet: Pod app/p: waiting for completion',
      ],
      remedies: [
        'see what the Machine waits for: npx capi-serverless why machine ns/m1',
        'finalizers hold it: f; see whether the controller of Machine runs',
      ],
    });
  });

  it.each<{ reason: string; remedies: readonly string[] }>([
    {
      reason: 'WaitingForControlPlaneDeletion',
      remedies: [
        `remove its annotation: kubectl annotate simulatedcontrolplane -n ns c1-control-plane ${order}/delete-hang-`,
      ],
    },
    {
      reason: 'WaitingForInfrastructureDeletion',
      remedies: ['nothing to do: it is being deleted'],
    },
    {
      reason: 'WaitingForBeforeDeleteHook',
      remedies: [
        'nothing to do: the topology reconciler asks the extensions next, and allows the deletion if there are none',
        'if this stays, see what the topology reconciler would do: npx capi-serverless plan topology ns/c1',
      ],
    },
    {
      reason: 'DeletionCompleted',
      remedies: ['finalizers hold it: other; see whether the controller of Cluster runs'],
    },
    {
      reason: 'InternalError',
      remedies: ['read the error of this Cluster in the log of function cluster ("Reconciler error")'],
    },
    { reason: 'Deleting', remedies: [] },
  ])('has a remedy for $reason', ({ reason, remedies }) => {
    const controlPlane = found(
      aControlPlane()
        .annotated({ [`${order}/delete-hang`]: '' })
        .deleting()
        .build(),
    );
    const infrastructure = found(anInfraCluster().deleting().build());
    expect(explain(snapshot({ cluster: deleting(reason), controlPlane, infrastructure }))?.remedies).toEqual(remedies);
  });

  it('names the hook that blocks it', () => {
    const cluster = aCluster()
      .withTopology({ class: 'class1', version: 'v1.35.0' })
      .inPhase('Deleting')
      .deleting()
      .withCondition('Deleting', { status: 'True', reason: 'WaitingForBeforeDeleteHook', message: 'Waiting' })
      .withCondition('TopologyReconciled', {
        status: 'False',
        reason: 'Deleting',
        message: 'Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete: backup runs',
      })
      .build();
    expect(explain(snapshot({ cluster }))).toMatchObject({
      pointsTo: [
        'condition TopologyReconciled: Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete: backup runs',
      ],
      remedies: [
        'wait for the blocking extension, which is called again by itself; to call it now: kubectl annotate cluster -n ns c1 capi-serverless.dev/blocking-hooks-',
        'if what they protect, for instance a backup, may be lost, delete in spite of them: kubectl annotate cluster -n ns c1 runtime.cluster.x-k8s.io/ok-to-delete=',
      ],
    });
  });
});
