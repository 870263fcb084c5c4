import { describe, expect, it } from 'vitest';
import { explain, toSentences } from '../../../../../infra/local/view/explain.ts';
import type { ClusterSnapshot, Referred } from '../../../../../infra/local/view/snapshot.ts';
import type { Unstructured } from '../../../../../shared/api/object.ts';
import {
  aCluster,
  aControlPlane,
  aMachine,
  aMachineDeployment,
  anInfraCluster,
  type ClusterBuilder,
} from '../../../../support/builders.ts';

const order = 'simulated.capi-serverless.dev';
const reference = { kind: 'SimulatedCluster', name: 'c1-infra' } as const;

function found(object: Unstructured): Referred {
  return { state: 'found', kind: object.kind, name: object.metadata.name, object };
}

function waiting(
  type: string,
  cluster: ClusterBuilder = aCluster(),
  reason = 'NotReady',
  message = 'as told',
): Unstructured {
  const status = ['Paused', 'Deleting'].includes(type) ? 'True' : 'False';
  return cluster.inPhase('Provisioning').withCondition(type, { status, reason, message }).build();
}

function snapshot(parts: Partial<ClusterSnapshot>): ClusterSnapshot {
  const nothing = {
    infrastructure: undefined,
    controlPlane: undefined,
    machineDeployments: [],
    machines: [],
    machinePools: [],
    machineHealthChecks: [],
  };
  return { cluster: waiting('InfrastructureReady'), ...nothing, ...parts };
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
  const seeClass = 'see what its class waits for: npm run why -- clusterclass ns/class1';
  const askNow =
    'wait for who holds it up, who is asked again by itself; to ask now: kubectl annotate cluster -n ns c1 capi-serverless.dev/blocking-hooks-';

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
        'mend what the message names; it is tried again by itself',
        'see what the next reconcile would do: npm run plan -- topology ns/c1',
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
      remedies: ['nothing to do, one step follows the other; docs/upgrades.md says what each line means'],
    },
    {
      ...{ reason: 'MachinePoolsUpgradeDeferred', message: 'mp1' },
      waitsFor: 'MachinePools whose upgrade is deferred',
      remedies: [
        'take topology.cluster.x-k8s.io/defer-upgrade or topology.cluster.x-k8s.io/hold-upgrade-sequence away from them in spec.topology.workers when they shall go on',
      ],
    },
    { ...{ reason: 'Elsewhere', message: 'x' }, ...{ waitsFor: 'its topology', remedies: [] } },
  ])('says what to do about $reason: $message', ({ reason, message, waitsFor, remedies }) => {
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
      'Condition InfrastructureReady is False (NotReady): as told.',
      'This points to SimulatedCluster ns/c1-infra, which is failing: SimulatedFailure: dark.',
      `What to do: take its annotation away: kubectl annotate simulatedcluster -n ns c1-infra ${order}/fail-`,
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
      remedy: 'look again in a moment',
    },
    {
      infrastructure: { ...reference, state: 'notInstalled', crd: 'xs.group' },
      state: 'which cannot exist: CustomResourceDefinition xs.group is not installed',
      remedy: 'install the provider that brings CustomResourceDefinition xs.group',
    },
    {
      infrastructure: { ...reference, state: 'unreadable', error: 'forbidden' },
      state: 'which is failing: forbidden',
      remedy: 'mend the definition of that kind or the rights to read it',
    },
    {
      infrastructure: found(anInfraCluster().annotated({ 'cluster.x-k8s.io/paused': '' }).build()),
      state: 'which is paused: annotation cluster.x-k8s.io/paused',
      remedy: 'end its pause: kubectl annotate simulatedcluster -n ns c1-infra cluster.x-k8s.io/paused-',
    },
    {
      infrastructure: found(anInfraCluster().withStatus({ failureMessage: 'used up' }).build()),
      state: 'which is failing: used up',
      remedy: 'no retry mends this failure: delete the object and create it again',
    },
    {
      infrastructure: found(anInfraCluster().withFinalizers('f').deleting().build()),
      state: 'which is being deleted',
      remedy: 'finalizers hold it: f; see whether the controller of SimulatedCluster runs',
    },
    {
      infrastructure: found(anInfraCluster().deleting().build()),
      state: 'which is being deleted',
      remedy: 'nothing to do, it is about to go',
    },
    {
      infrastructure: found(anInfraCluster().build()),
      state: 'which is not reporting',
      remedy: 'it reports nothing: see whether the controller of SimulatedCluster runs',
    },
    {
      infrastructure: found(anInfraCluster().withCondition('Ready', { status: 'False', reason: 'AwsError' }).build()),
      state: 'which is failing: AwsError',
      remedy: 'mend what its provider names; the provider tries again by itself',
    },
    {
      infrastructure: found(anInfraCluster().withCondition('Ready', { status: 'False', reason: 'Creating' }).build()),
      state: 'which is not ready: Creating',
      remedy: 'nothing to do while its provider is at work; if that does not change, mend what the condition names',
    },
  ])('is told: $remedy', ({ infrastructure, state, remedy }) => {
    const pointsTo = state === undefined ? [] : [`SimulatedCluster ns/c1-infra, ${state}`];
    expect(explain(snapshot({ infrastructure }))).toMatchObject({ pointsTo, remedies: [remedy] });
  });

  it('is not told to refer to one when its topology will name it', () => {
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

  it.each(['ControlPlaneInitialized', 'ControlPlaneAvailable'])('looks at its control plane for %s', type => {
    const controlPlane = found(
      aControlPlane()
        .annotated({ [`${order}/hang`]: '' })
        .build(),
    );
    expect(explain(snapshot({ cluster: waiting(type), controlPlane }))).toMatchObject({
      pointsTo: ['SimulatedControlPlane ns/c1-control-plane, which is not reporting'],
      remedies: [
        `take its annotation away: kubectl annotate simulatedcontrolplane -n ns c1-control-plane ${order}/hang-`,
      ],
    });
  });

  it('looks at the MachineDeployments that are not available', () => {
    const fine = aMachineDeployment().named('fine').withCondition('Available', { status: 'True' }).build();
    const poor = aMachineDeployment()
      .named('poor')
      .withCondition('Available', { status: 'False', reason: 'TooFew' })
      .build();
    expect(explain(snapshot({ cluster: waiting('WorkersAvailable'), machineDeployments: [fine, poor] }))).toMatchObject(
      {
        pointsTo: ['MachineDeployment ns/poor, which is not ready: 0/1 ready  TooFew'],
        remedies: [
          'nothing to do while its provider is at work; if that does not change, mend what the condition names',
        ],
      },
    );
  });

  it('ends its pause by each of the switches that are on', () => {
    const cluster = waiting('Paused', aCluster().paused().annotated({ 'cluster.x-k8s.io/paused': '' }));
    expect(explain(snapshot({ cluster }))?.remedies).toEqual([
      `unset spec.paused: kubectl patch cluster -n ns c1 --type=merge -p '{"spec":{"paused":false}}'`,
      'take the annotation away: kubectl annotate cluster -n ns c1 cluster.x-k8s.io/paused-',
    ]);
  });

  it('knows no remedy for a gate of its author', () => {
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

  it('names its workers, and says how to delete those that nobody deletes', () => {
    const parts = {
      cluster: deleting('WaitingForWorkersDeletion'),
      machineDeployments: [aMachineDeployment().build()],
      machines: [aMachine().withFinalizers('f').deleting().build()],
    };
    const explanation = explain(snapshot(parts));
    expect(explanation?.pointsTo).toEqual([
      'MachineDeployment ns/md1, which nobody has deleted yet',
      'Machine ns/m1, which is being deleted',
    ]);
    expect(explanation?.remedies).toEqual([
      'the Cluster deletes what it owns; delete the rest: kubectl delete machinedeployments,machinesets,machinepools,machines -n ns -l cluster.x-k8s.io/cluster-name=c1',
    ]);
    expect(explain(snapshot({ ...parts, machineDeployments: [] }))?.remedies).toEqual([
      'finalizers hold it: f; see whether the controller of Machine runs',
    ]);
  });

  it.each<{ reason: string; remedies: readonly string[] }>([
    {
      reason: 'WaitingForControlPlaneDeletion',
      remedies: [
        `take its annotation away: kubectl annotate simulatedcontrolplane -n ns c1-control-plane ${order}/delete-hang-`,
      ],
    },
    {
      reason: 'WaitingForInfrastructureDeletion',
      remedies: ['nothing to do, it is about to go'],
    },
    {
      reason: 'WaitingForBeforeDeleteHook',
      remedies: ['allow it: kubectl annotate cluster -n ns c1 runtime.cluster.x-k8s.io/ok-to-delete='],
    },
    {
      reason: 'DeletionCompleted',
      remedies: ['finalizers hold it: other; see whether the controller of Cluster runs'],
    },
    { reason: 'InternalError', remedies: [] },
  ])('is told what to do about $reason', ({ reason, remedies }) => {
    const controlPlane = found(
      aControlPlane()
        .annotated({ [`${order}/delete-hang`]: '' })
        .deleting()
        .build(),
    );
    const infrastructure = found(anInfraCluster().deleting().build());
    expect(explain(snapshot({ cluster: deleting(reason), controlPlane, infrastructure }))?.remedies).toEqual(remedies);
  });

  it('is told which hook holds it', () => {
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
        'what TopologyReconciled says: Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete: backup runs',
      ],
      remedies: [
        'wait for who holds it up, who is asked again by itself; to ask now: kubectl annotate cluster -n ns c1 capi-serverless.dev/blocking-hooks-',
        'or let it go against their word: kubectl annotate cluster -n ns c1 runtime.cluster.x-k8s.io/ok-to-delete=',
      ],
    });
  });
});
