// What ends up in the Cluster's status and result, field by field, and what is carried along.
import { describe, expect, it } from 'vitest';
import { clusterDeclaration } from '../../../../functions/cluster/reconciler.ts';
import { aMachine, aMachineDeployment } from '../../../support/builders.ts';
import {
  aClusterClass,
  aSettledCluster,
  controlPlaneOk,
  infraOk,
  infraRef,
  logs,
  now,
  reconcileOnce,
  withBothRefs,
} from './world.ts';

const both = () => withBothRefs(aSettledCluster());
const standAlone = () => aSettledCluster().withInfrastructureRef(infraRef);
const providers = [infraOk(), controlPlaneOk()];
const m1 = () => aMachine().named('m1').controlPlane();

describe('control plane Machines', () => {
  it('initialize nothing while none of them has a Node', async () => {
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), m1()] });
    expect(told.condition('ControlPlaneInitialized')).toBe(
      'False/NotInitialized Waiting for the first control plane machine to have status.nodeRef set',
    );
    expect(told.v1beta1('ControlPlaneInitialized')).toBe(
      'False/Info/MissingNodeRef Waiting for the first control plane machine to have its status.nodeRef set',
    );
  });

  it('are judged up to date or not once they are old enough to have told', async () => {
    const told = await reconcileOnce(both(), { objects: [...providers, m1().createdAt(now)] });
    expect(told.condition('ControlPlaneMachinesUpToDate')).toBe('True/NoReplicas');
  });

  it('are counted by what they tell of themselves', async () => {
    const up = m1().withNode('n1').withCondition('Ready').withCondition('Available').withCondition('UpToDate');
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), up, m1().named('m2')] });
    expect(told.status['controlPlane']).toEqual({
      desiredReplicas: 2,
      replicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      upToDateReplicas: 1,
    });
    expect(told.condition('ControlPlaneMachinesReady')).toBe(
      'Unknown/ReadyUnknown * Machine m2: Condition Ready not yet reported',
    );
  });

  it('are up to date when all say so', async () => {
    const told = await reconcileOnce(both(), { objects: [...providers, m1().withCondition('UpToDate')] });
    expect(told.condition('ControlPlaneMachinesUpToDate')).toBe('True/UpToDate');
  });

  it('without a version count for none', async () => {
    const told = await reconcileOnce(standAlone(), { objects: [infraOk(), m1().withVersion('')] });
    expect(told.status['controlPlane']).not.toHaveProperty('versions');
  });
});

it('workers are not available while a MachineDeployment is not', async () => {
  const down = aMachineDeployment()
    .named('md1')
    .withCondition('Available', { status: 'False', reason: 'Down', message: 'no replicas' });
  const told = await reconcileOnce(both(), { objects: [...providers, down] });
  expect(told.condition('WorkersAvailable')).toBe('False/NotAvailable * MachineDeployment md1: no replicas');
});

it.each(['RollingOut', 'ScalingUp', 'ScalingDown', 'ControlPlaneInitialized'])(
  '%s is not known while the control plane object cannot be read',
  async type => {
    const told = await reconcileOnce(both(), {
      objects: providers,
      readFaults: [{ at: 'get FooControlPlane ns/cp1', message: 'boom' }],
    });
    expect(told.condition(type)).toBe(`Unknown/InternalError ${logs}`);
  },
);

describe('the reason of a control plane', () => {
  it.each([
    { status: 'True', given: '', condition: 'True/Available', reason: 'the usual one stands in for none' },
    { status: 'False', given: '', condition: 'False/NoReasonReported', reason: 'none can be guessed' },
    { status: 'True', given: 'AllUp', condition: 'True/AllUp', reason: 'its own' },
  ] as const)('for $status, "$given" is told as $condition: $reason', async ({ status, given, condition }) => {
    const controlPlane = controlPlaneOk().withCondition('Available', { status, reason: given });
    const told = await reconcileOnce(both(), { objects: [infraOk(), controlPlane] });
    expect(told.condition('ControlPlaneAvailable')).toBe(condition);
  });
});

describe('the phase', () => {
  it.each([
    { phase: 'Provisioning', cluster: both().inPhase('Odd'), objects: [] },
    { phase: 'Provisioned', cluster: both().inPhase('Odd'), objects: providers },
    { phase: 'Deleting', cluster: both().inPhase('Odd').deleting(), objects: providers },
  ])('of a Cluster is told as $phase where an unknown one was stored', async ({ phase, cluster, objects }) => {
    const told = await reconcileOnce(cluster, { objects });
    expect(told.status['phase']).toBe(phase);
    expect(told.events).toContain(`Normal ${phase} Cluster c1 is ${phase}`);
  });
});

describe('fields and conditions of others', () => {
  it('stay beside ours', async () => {
    const cluster = both().withStatus({
      initialization: { theirs: 1 },
      deprecated: { theirs: 2, v1beta1: { theirs: 3 } },
    });
    const told = await reconcileOnce(cluster, { objects: providers });
    expect(told.status).toMatchObject({
      initialization: { theirs: 1, infrastructureProvisioned: true },
      deprecated: { theirs: 2, v1beta1: { theirs: 3, conditions: expect.any(Array) } },
    });
  });

  it('stay where the probe is off and its condition goes', async () => {
    const told = await reconcileOnce(both().withCondition('Theirs', { reason: 'Fine' }), {
      objects: providers,
      settings: { probesRemote: false },
    });
    expect(told.condition('Theirs')).toBe('True/Fine');
    expect(told.condition('RemoteConnectionProbe')).toBeUndefined();
  });

  it('are not among those that are ours whatever somebody else wrote', () => {
    expect(clusterDeclaration.owns.conditions.toSorted()).toEqual([
      'Available',
      'ControlPlaneAvailable',
      'ControlPlaneInitialized',
      'ControlPlaneMachinesReady',
      'ControlPlaneMachinesUpToDate',
      'Deleting',
      'InfrastructureReady',
      'Paused',
      'Remediating',
      'RemoteConnectionProbe',
      'RollingOut',
      'ScalingDown',
      'ScalingUp',
      'WorkerMachinesReady',
      'WorkerMachinesUpToDate',
      'WorkersAvailable',
    ]);
  });
});

describe('Available of a Cluster with a topology', () => {
  it.each([
    { reason: 'MachineDeploymentsUpgradePending', available: 'True/Available * TopologyReconciled: why' },
    { reason: 'ReconcileFailed', available: 'False/NotAvailable * TopologyReconciled: why' },
    { reason: 'ClusterClassNotReconciled', available: 'False/NotAvailable * TopologyReconciled: why' },
  ])('counts what stands between it and its topology: $reason', async ({ reason, available }) => {
    const cluster = both()
      .withTopology({ class: 'cls' })
      .withCondition('TopologyReconciled', { status: 'False', reason, message: 'why' });
    const told = await reconcileOnce(cluster, { objects: [...providers, aClusterClass()] });
    expect([told.result, told.condition('Available')]).toEqual(['done', available]);
  });

  it('is not known before the topology was looked at', async () => {
    const told = await reconcileOnce(both().withTopology({ class: 'cls' }), {
      objects: [...providers, aClusterClass()],
    });
    expect(told.condition('Available')).toBe(
      'Unknown/AvailableUnknown * TopologyReconciled: Condition not yet reported',
    );
  });
});

describe('the result', () => {
  it('of a failure is tried again', async () => {
    const { report } = await reconcileOnce(both(), {
      objects: providers,
      readFaults: [{ at: 'list Machine ns', message: 'boom' }],
    });
    expect(report.result).toMatchObject({ kind: 'failed', terminal: false });
  });
});

it('a Cluster that goes and had no objects of providers tells of none', async () => {
  const told = await reconcileOnce(aSettledCluster().deleting());
  expect([told.v1beta1('InfrastructureReady'), told.v1beta1('ControlPlaneReady')]).toEqual([undefined, undefined]);
});
