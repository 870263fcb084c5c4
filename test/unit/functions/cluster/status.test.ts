// The status and result of a Cluster, field by field, and the fields of other writers.
import { describe, expect, it } from 'vitest';
import { clusterDeclaration } from '../../../../functions/cluster/declaration.ts';
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
} from './cluster-pass.ts';

const both = () => withBothRefs(aSettledCluster());
const standAlone = () => aSettledCluster().withInfrastructureRef(infraRef);
const providers = [infraOk(), controlPlaneOk()];
const m1 = () => aMachine().named('m1').controlPlane();

describe('control plane Machines', () => {
  it('initialize nothing while none of them has a Node', async () => {
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), m1()] });
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(
      'False/NotInitialized Waiting for the first control plane machine to have status.nodeRef set',
    );
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBe(
      'False/Info/MissingNodeRef Waiting for the first control plane machine to have its status.nodeRef set',
    );
  });

  it('count for UpToDate once they are old enough to report it', async () => {
    const reconciled = await reconcileOnce(both(), { objects: [...providers, m1().createdAt(now)] });
    expect(reconciled.condition('ControlPlaneMachinesUpToDate')).toBe('True/NoReplicas');
  });

  it('are counted by their conditions', async () => {
    const up = m1().withNode('n1').withCondition('Ready').withCondition('Available').withCondition('UpToDate');
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), up, m1().named('m2')] });
    expect(reconciled.status['controlPlane']).toEqual({
      desiredReplicas: 2,
      replicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      upToDateReplicas: 1,
    });
    expect(reconciled.condition('ControlPlaneMachinesReady')).toBe(
      'Unknown/ReadyUnknown * Machine m2: Condition Ready not yet reported',
    );
  });

  it('are up to date when all report it', async () => {
    const reconciled = await reconcileOnce(both(), { objects: [...providers, m1().withCondition('UpToDate')] });
    expect(reconciled.condition('ControlPlaneMachinesUpToDate')).toBe('True/UpToDate');
  });

  it('without a version do not count in versions', async () => {
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), m1().withVersion('')] });
    expect(reconciled.status['controlPlane']).not.toHaveProperty('versions');
  });
});

it('workers are not available while a MachineDeployment is not', async () => {
  const down = aMachineDeployment()
    .named('md1')
    .withCondition('Available', { status: 'False', reason: 'Down', message: 'no replicas' });
  const reconciled = await reconcileOnce(both(), { objects: [...providers, down] });
  expect(reconciled.condition('WorkersAvailable')).toBe('False/NotAvailable * MachineDeployment md1: no replicas');
});

it.each(['RollingOut', 'ScalingUp', 'ScalingDown', 'ControlPlaneInitialized'])(
  '%s is not known while the control plane object cannot be read',
  async type => {
    const reconciled = await reconcileOnce(both(), {
      objects: providers,
      readFaults: [{ at: 'get FooControlPlane ns/cp1', message: 'boom' }],
    });
    expect(reconciled.condition(type)).toBe(`Unknown/InternalError ${logs}`);
  },
);

describe('the reason of a control plane', () => {
  it.each([
    { status: 'True', given: '', condition: 'True/Available', reason: 'True without reason gets the usual one' },
    {
      status: 'False',
      given: '',
      condition: 'False/NoReasonReported',
      reason: 'False without reason gets NoReasonReported',
    },
    { status: 'True', given: 'AllUp', condition: 'True/AllUp', reason: 'its own is kept' },
  ] as const)('for $status, "$given" is reported as $condition: $reason', async ({ status, given, condition }) => {
    const controlPlane = controlPlaneOk().withCondition('Available', { status, reason: given });
    const reconciled = await reconcileOnce(both(), { objects: [infraOk(), controlPlane] });
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(condition);
  });
});

describe('the phase', () => {
  it.each([
    { phase: 'Provisioning', cluster: both().inPhase('Odd'), objects: [] },
    { phase: 'Provisioned', cluster: both().inPhase('Odd'), objects: providers },
    { phase: 'Deleting', cluster: both().inPhase('Odd').deleting(), objects: providers },
  ])('of a Cluster changes to $phase where an unknown one was stored', async ({ phase, cluster, objects }) => {
    const reconciled = await reconcileOnce(cluster, { objects });
    expect(reconciled.status['phase']).toBe(phase);
    expect(reconciled.events).toContain(`Normal ${phase} Cluster c1 is ${phase}`);
  });
});

describe('fields and conditions of others', () => {
  it('stay in addition to ours', async () => {
    const cluster = both().withStatus({
      initialization: { theirs: 1 },
      deprecated: { theirs: 2, v1beta1: { theirs: 3 } },
    });
    const reconciled = await reconcileOnce(cluster, { objects: providers });
    expect(reconciled.status).toMatchObject({
      initialization: { theirs: 1, infrastructureProvisioned: true },
      deprecated: { theirs: 2, v1beta1: { theirs: 3, conditions: expect.any(Array) } },
    });
  });

  it('stay where the probe is off and its condition is removed', async () => {
    const reconciled = await reconcileOnce(both().withCondition('Theirs', { reason: 'Fine' }), {
      objects: providers,
      settings: { probesRemote: false },
    });
    expect(reconciled.condition('Theirs')).toBe('True/Fine');
    expect(reconciled.condition('RemoteConnectionProbe')).toBeUndefined();
  });

  it('are not among the owned ones', () => {
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
  ])('counts TopologyReconciled by its reason: $reason', async ({ reason, available }) => {
    const cluster = both()
      .withTopology({ class: 'cls' })
      .withCondition('TopologyReconciled', { status: 'False', reason, message: 'why' });
    const reconciled = await reconcileOnce(cluster, { objects: [...providers, aClusterClass()] });
    expect([reconciled.result, reconciled.condition('Available')]).toEqual(['done', available]);
  });

  it('is unknown before the topology was reconciled', async () => {
    const reconciled = await reconcileOnce(both().withTopology({ class: 'cls' }), {
      objects: [...providers, aClusterClass()],
    });
    expect(reconciled.condition('Available')).toBe(
      'Unknown/AvailableUnknown * TopologyReconciled: Condition not yet reported',
    );
  });
});

describe('the result', () => {
  it('of a failure is retried', async () => {
    const { report } = await reconcileOnce(both(), {
      objects: providers,
      readFaults: [{ at: 'list Machine ns', message: 'boom' }],
    });
    expect(report.result).toMatchObject({ kind: 'failed', terminal: false });
  });
});

it('a deleted Cluster without objects of providers has no deprecated conditions about them', async () => {
  const reconciled = await reconcileOnce(aSettledCluster().deleting());
  expect([reconciled.v1beta1('InfrastructureReady'), reconciled.v1beta1('ControlPlaneReady')]).toEqual([
    undefined,
    undefined,
  ]);
});
