// Scenarios of MachineHealthChecks whose Machines are remediated by their owners.
import { describe, expect, it } from 'vitest';
import { machineHealthCheckReconciler } from '../../../../functions/machinehealthcheck/reconciler.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { reconcileOnce } from './health-check-pass.ts';
import {
  aCapiCluster,
  aCheck,
  aFreshCheck,
  clusterNameLabel,
  clusterOwner,
  lost,
  machine,
  node,
  now,
  paused,
  remediate,
  skip,
  young,
} from './scenario-objects.ts';

const ago = (seconds: number): string => timestamp(now - seconds * 1000);
const hcs = 'HealthCheckSucceeded';
const owned = 'OwnerRemediated';
const lostText = 'Condition Ready on Node is reporting status Unknown with reason NodeStatusUnknown for more than 5m0s';
const withNode3 = (third: ReturnType<typeof node>) => ({ nodes: [node(1), node(2), third] });

describe('a pass that judges no Machine', () => {
  it.each([
    { state: 'has no owner', owners: [] },
    { state: 'is owned by another Cluster', owners: [{ ...clusterOwner, name: 'c2' }] },
    { state: 'is owned by another kind', owners: [{ ...clusterOwner, kind: 'ClusterClass' }] },
    { state: 'is owned by a Cluster of another group', owners: [{ ...clusterOwner, apiVersion: 'other.io/v1' }] },
  ])('fails without its Cluster if the check $state', async ({ owners }) => {
    const pass = await reconcileOnce(aCheck().owners(...owners), { cluster: null });
    expect(pass.result).toBe('failed to get Cluster ns/c1: clusters.cluster.x-k8s.io "c1" not found');
    expect([pass.writes, pass.status]).toEqual([[], undefined]);
  });

  it('ends without an error if the Cluster that owns it is gone', async () => {
    const pass = reconcileOnce(aCheck(), { cluster: null });
    await expect(pass).rejects.toThrow('observe stopped: the Cluster that owns it is gone');
  });

  it('fails if the Cluster that owns it cannot be read', async () => {
    const readFaults = [{ at: 'get Cluster ns/c1', message: 'boom' }];
    const pass = await reconcileOnce(aCheck(), { readFaults });
    expect(pass.result).toBe('failed to get Cluster ns/c1: boom');
  });

  it('writes only the first Paused condition', async () => {
    const pass = await reconcileOnce(aFreshCheck());
    expect(pass.writes).toEqual([]);
    expect(pass.status).toEqual({
      conditions: [
        {
          type: 'Paused',
          status: 'False',
          observedGeneration: 2,
          lastTransitionTime: timestamp(now),
          reason: 'NotPaused',
          message: '',
        },
      ],
    });
    expect(pass.result).toBe('again');
    expect(pass.asked).toEqual(['get Cluster ns/c1']);
  });

  it('reports both reasons of a pause, and stops in the next pass', async () => {
    const cluster = aCapiCluster().withSpec({ paused: true });
    const pass = await reconcileOnce(aCheck().annotated({ [paused]: '' }), { cluster });
    expect(pass.condition('Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true, MachineHealthCheck has the cluster.x-k8s.io/paused annotation',
    );
    expect([pass.writes, pass.result]).toEqual([[], 'done']);
    await expect(reconcileOnce(pass.check, { cluster })).rejects.toThrow('observe stopped: paused');
  });

  it('repairs its label and owner without a connection, and judges nothing', async () => {
    const foo = { apiVersion: 'v1', kind: 'Foo', name: 'f', uid: 'f' };
    const check = aCheck()
      .onlyLabelled({ [clusterNameLabel]: 'wrong', extra: '1' })
      .owners(foo);
    for (const isConnected of [true, false]) {
      const pass = await reconcileOnce(check, { isConnected });
      expect(pass.writes[0]).toBe(
        `patch MachineHealthCheck ns/h1 ${JSON.stringify({
          metadata: { ownerReferences: [foo, clusterOwner], labels: { [clusterNameLabel]: 'c1' } },
        })}`,
      );
      expect(pass.versions.get('healthcheck:patch')).toBe('7');
    }
    const pass = await reconcileOnce(check, { isConnected: false });
    expect(pass.written).toEqual(['patch MachineHealthCheck ns/h1']);
    expect(pass.status).toBeUndefined();
    expect(pass.result).toBe('error getting client: connection to the workload cluster is down');
  });

  it('reports a repair that fails', async () => {
    const failures = { 'healthcheck:patch': { message: 'no' } };
    const check = aCheck().owners();
    const problem = 'failed to patch MachineHealthCheck ns/h1: no';
    expect((await reconcileOnce(check, { failures })).result).toBe(problem);
    expect((await reconcileOnce(check, { failures, isConnected: false })).result).toBe(
      `[error getting client: connection to the workload cluster is down, ${problem}]`,
    );
  });

  it.each([
    {
      reason: 'a selector that is not valid',
      check: aCheck().withSpec({ selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }),
      world: {},
      error: 'failed to build selector: "Is" is not a valid label selector operator',
    },
    {
      reason: 'Machines that cannot be listed',
      check: aCheck(),
      world: { readFaults: [{ at: 'list Machine ns', message: 'boom' }] },
      error: 'failed to list machines: boom',
    },
  ])('fails for $reason', async ({ check, world, error }) => {
    const pass = await reconcileOnce(check, world);
    expect(pass.result).toBe(`failed to fetch targets from MachineHealthCheck: ${error}`);
    expect([pass.writes, pass.status]).toEqual([[], undefined]);
  });
});

describe('healthy Machines', () => {
  it('are reported, and the next pass writes nothing', async () => {
    const pass = await reconcileOnce(aCheck());
    expect(['m1', 'm2', 'm3'].map(name => [pass.of(name, hcs), pass.v1beta1Of(name, hcs)])).toEqual(
      Array(3).fill([`True/${hcs}`, 'True']),
    );
    expect(pass.status).toMatchObject({
      expectedMachines: 3,
      currentHealthy: 3,
      remediationsAllowed: 3,
      targets: ['m1', 'm2', 'm3'],
      observedGeneration: 2,
    });
    expect(pass.condition('RemediationAllowed')).toBe('True/RemediationAllowed');
    expect(pass.v1beta1('RemediationAllowed')).toBe('True');
    expect([pass.events, pass.result]).toEqual([[], 'requeueAfter 300000']);
    const next = await reconcileOnce(pass.check, { machines: ['m1', 'm2', 'm3'].map(name => pass.machine(name)) });
    expect([next.writes, next.check]).toEqual([[], pass.check]);
  });

  it('cost four reads of the management cluster and one per Node', async () => {
    const pass = await reconcileOnce(aCheck());
    expect(pass.asked.toSorted()).toEqual(['get Cluster ns/c1', 'get Secret ns/c1-kubeconfig', 'list Machine ns']);
    expect(pass.nodesAsked).toEqual(['get Node n1', 'get Node n2', 'get Node n3']);
  });

  it('are those that the selector and the Cluster match', async () => {
    const m9 = machine(9).onlyLabelled({ [clusterNameLabel]: 'c1' });
    const m8 = machine(8).labelled({ [clusterNameLabel]: 'c2' });
    const m7 = machine(7).labelled({ tier: 'x' });
    const expression = { key: 'tier', operator: 'DoesNotExist' };
    const check = aCheck().withSpec({ selector: { matchLabels: { pool: 'a' }, matchExpressions: [expression] } });
    const pass = await reconcileOnce(check, { machines: [machine(2), m9, m8, m7, machine(1)] });
    expect(pass.status?.['targets']).toEqual(['m1', 'm2']);
  });

  it('are not those that are paused or skip remediation', async () => {
    const machines = [machine(1), machine(2).annotated({ [paused]: '' }), machine(3).annotated({ [skip]: '' })];
    const pass = await reconcileOnce(aCheck(), { machines });
    expect(pass.status).toMatchObject({ expectedMachines: 1, targets: ['m1'] });
    expect(pass.written).toEqual(['patch Machine ns/m1']);
  });

  it('may be none', async () => {
    const pass = await reconcileOnce(aCheck().withStatus({ targets: ['m1'] }), { machines: [] });
    expect(pass.status).toMatchObject({ expectedMachines: 0, currentHealthy: 0, remediationsAllowed: 0 });
    expect(pass.report.status?.status).toHaveProperty('targets', undefined);
    expect(pass.condition('RemediationAllowed')).toBe('True/RemediationAllowed');
    expect([pass.result, pass.nodesAsked]).toEqual(['done', []]);
  });
});

describe('a Node that does not report', () => {
  it('is unhealthy after the timeout', async () => {
    const pass = await reconcileOnce(aCheck(), withNode3(lost(3, 400)));
    expect(pass.of('m3', hcs)).toBe(`False/UnhealthyNode Health check failed:\n  * ${lostText}`);
    expect(pass.v1beta1Of('m3', hcs)).toBe(`False/Warning/UnhealthyNode ${lostText}`);
    expect(pass.of('m3', owned)).toBe('False/WaitingForRemediation Waiting for remediation');
    expect(pass.v1beta1Of('m3', owned)).toBe('False/Warning/WaitingForRemediation');
    expect(pass.status).toMatchObject({ currentHealthy: 2, remediationsAllowed: 2 });
    expect(pass.events).toEqual([
      'Normal MachineMarkedUnhealthy Machine/m3 Machine ns/m3 has been marked as unhealthy by ns/h1',
    ]);
    expect(pass.versions.get('machine:m3')).toBe('13');
    expect(pass.actions.at(0)).toMatchObject({ id: 'machine:m3', subresource: 'status' });
  });

  it('is reported once', async () => {
    const world = withNode3(lost(3, 400));
    const pass = await reconcileOnce(aCheck(), world);
    const machines = ['m1', 'm2', 'm3'].map(name => pass.machine(name));
    const next = await reconcileOnce(pass.check, { ...world, machines });
    expect([next.writes, next.events]).toEqual([[], []]);
  });

  it.each([
    { seconds: 200, result: 'requeueAfter 67333', reason: 'two thirds of 101 s' },
    { seconds: 300, result: 'requeueAfter 15000', reason: 'not before 15 s' },
    { seconds: 250, result: 'requeueAfter 51000', reason: 'a short time as it is' },
    { seconds: 230, result: 'requeueAfter 60000', reason: 'not earlier than a short time' },
  ])('is reconciled again after $reason', async ({ seconds, result }) => {
    const pass = await reconcileOnce(aCheck(), withNode3(lost(3, seconds)));
    expect(pass.result).toBe(result);
    expect(pass.of('m3', hcs)).toBeUndefined();
    expect(pass.status).toMatchObject({ currentHealthy: 2, remediationsAllowed: 2 });
  });

  it('counts as not healthy before the timeout', async () => {
    const pass = await reconcileOnce(aCheck(), { nodes: [lost(1, 100), lost(2, 200), lost(3, 400)] });
    expect(pass.written).toEqual(['patch Machine ns/m3']);
    expect(pass.status).toMatchObject({ currentHealthy: 0, remediationsAllowed: 0 });
    expect(pass.condition('RemediationAllowed')).toBe('True/RemediationAllowed');
    expect(pass.result).toBe('requeueAfter 67333');
  });

  it('keeps its old condition while it is pending', async () => {
    const old = { status: 'False', reason: 'NodeDeleted', message: 'old', observedGeneration: 1 } as const;
    const machines = [machine(1), machine(2), machine(3).withCondition(hcs, old)];
    const third = node(3, { status: 'False', lastTransitionTime: ago(10) });
    const pass = await reconcileOnce(aCheck(), { machines, ...withNode3(third) });
    expect(pass.of('m3', hcs)).toBe('False/NodeDeleted old');
    expect(pass.result).toBe('requeueAfter 194000');
  });

  it('has lasted for no time if its condition has no time', async () => {
    const third = node(3).withStatus({ conditions: [{ type: 'Ready', status: 'False', reason: 'R' }] });
    const pass = await reconcileOnce(aCheck(), withNode3(third));
    expect([pass.of('m3', hcs), pass.result]).toEqual([undefined, 'requeueAfter 200667']);
  });
});

describe('a Machine without Node', () => {
  it('is unhealthy at once if its Node was deleted', async () => {
    const pass = await reconcileOnce(aCheck(), { nodes: [node(1), node(2)] });
    expect(pass.of('m3', hcs)).toBe('False/NodeDeleted Health check failed:\n  * Node n3 has been deleted');
    expect(pass.v1beta1Of('m3', hcs)).toBe('False/Warning/NodeNotFound');
    expect(pass.of('m3', owned)).toBe('False/WaitingForRemediation Waiting for remediation');
  });

  it.each([
    { third: young(3, 400), result: 'requeueAfter 134000', reason: 'its creation' },
    {
      third: young(3, 400).withCondition('InfrastructureReady', { lastTransitionTime: ago(50) }),
      result: 'requeueAfter 300000',
      reason: 'the end of its provisioning',
    },
    {
      third: young(3, 400).withCondition('InfrastructureReady', { status: 'False', lastTransitionTime: ago(50) }),
      result: 'requeueAfter 134000',
      reason: 'its creation, as it is not provisioned',
    },
  ])('gets the start-up timeout from $reason', async ({ third, result }) => {
    const pass = await reconcileOnce(aCheck(), { machines: [machine(1), machine(2), third] });
    expect([pass.of('m3', hcs), pass.result]).toEqual([undefined, result]);
  });

  it('is unhealthy after the start-up timeout', async () => {
    const machines = [machine(1), machine(2), young(3, 1200)];
    for (const check of [aCheck(), aCheck({ nodeStartupTimeoutSeconds: undefined })]) {
      const pass = await reconcileOnce(check, { machines });
      const text = 'Node failed to report startup in 10m0s';
      expect(pass.of('m3', hcs)).toBe(`False/NodeStartupTimeout Health check failed:\n  * ${text}`);
      expect(pass.v1beta1Of('m3', hcs)).toBe(`False/Warning/NodeStartupTimeout ${text}`);
      expect(pass.of('m3', owned)).toBe('False/WaitingForRemediation Waiting for remediation');
    }
  });

  it('is never unhealthy with the start-up check off', async () => {
    const check = aCheck({ nodeStartupTimeoutSeconds: 0 });
    const pass = await reconcileOnce(check, { machines: [machine(1), machine(2), young(3, 1200)] });
    expect(pass.of('m3', hcs)).toBeUndefined();
    expect(pass.status).toMatchObject({ currentHealthy: 2 });
    const alone = await reconcileOnce(check, { machines: [young(3, 1200)] });
    expect([alone.result, alone.nodesAsked]).toEqual(['done', ['get Namespace default']]);
  });

  it('starts now if the time of its creation cannot be read', async () => {
    const pass = await reconcileOnce(aCheck(), { machines: [young(3, 1200).createdAtText('')] });
    expect([pass.writes, pass.result]).toEqual([[], 'requeueAfter 400667']);
  });

  it('is not judged without a connection', async () => {
    const pass = await reconcileOnce(aCheck(), { machines: [young(3, 1200)], isConnected: false });
    expect(pass.result).toBe('error getting client: connection to the workload cluster is down');
    expect(pass.writes).toEqual([]);
  });

  it('needs no connection while the Cluster is deleted', async () => {
    const cluster = aCapiCluster().deleting();
    const pass = await reconcileOnce(aCheck().owners(), { cluster, isConnected: false });
    expect([pass.written, pass.status]).toEqual([['patch MachineHealthCheck ns/h1'], undefined]);
    expect(pass.result).toBe('requeueAfter 60000');
    const workloadFaults = [{ at: 'get Node n1', message: 'boom' }];
    expect((await reconcileOnce(aCheck(), { cluster, workloadFaults })).result).toContain('error getting node: boom');
  });
});

describe('conditions of Machines', () => {
  const etcd = { unhealthyMachineConditions: [{ type: 'EtcdPodHealthy', status: 'False', timeoutSeconds: 300 }] };
  const failing = (seconds: number) =>
    machine(1).withCondition('EtcdPodHealthy', {
      status: 'False',
      reason: 'Failed',
      lastTransitionTime: ago(seconds),
    });
  const text = 'Condition EtcdPodHealthy on Machine is reporting status False with reason Failed for more than 5m0s';

  it('make a Machine unhealthy', async () => {
    const pass = await reconcileOnce(aCheck(etcd), { machines: [failing(400)] });
    expect(pass.of('m1', hcs)).toBe(`False/UnhealthyMachine Health check failed:\n  * ${text}`);
  });

  it('come before those of the Node', async () => {
    const pass = await reconcileOnce(aCheck(etcd), { machines: [failing(400)], nodes: [] });
    expect(pass.of('m1', hcs)).toBe(
      `False/UnhealthyMachine Health check failed:\n  * ${text}\n  * Node n1 has been deleted`,
    );
    expect(pass.v1beta1Of('m1', hcs)).toBe(`False/Warning/UnhealthyMachine ${text}; Node n1 has been deleted`);
  });

  it('wait for the first of all timeouts', async () => {
    const pass = await reconcileOnce(aCheck(etcd), { machines: [failing(200)], nodes: [lost(1, 250)] });
    expect([pass.written, pass.result]).toEqual([[], 'requeueAfter 51000']);
  });

  it('are ignored after a lost connection, until they are written again', async () => {
    const check = aCheck({
      unhealthyMachineConditions: [{ type: 'NodeReady', status: 'Unknown', timeoutSeconds: 300 }],
    });
    const stale = (number: number) =>
      machine(number).withCondition('NodeReady', {
        status: 'Unknown',
        reason: 'ConnectionDown',
        lastTransitionTime: ago(9000),
      });
    const pass = await reconcileOnce(check, { machines: [stale(1), stale(2), machine(3)] });
    expect(pass.written).toEqual(['patch Machine ns/m3']);
    expect(pass.status).toMatchObject({ currentHealthy: 1 });
    expect(pass.result).toBe('requeueAfter 30000');
  });

  it('are outdone by the annotation', async () => {
    const pass = await reconcileOnce(aCheck(), { machines: [machine(3).annotated({ [remediate]: '' })] });
    expect(pass.of('m3', hcs)).toBe(
      'False/HasRemediateAnnotation Health check failed: marked for remediation via cluster.x-k8s.io/remediate-machine annotation',
    );
    expect(pass.v1beta1Of('m3', hcs)).toBe(
      'False/Warning/HasRemediateMachineAnnotation Marked for remediation via remediate-machine annotation',
    );
    expect(pass.of('m3', owned)).toBe('False/WaitingForRemediation Waiting for remediation');
  });
});

it('has the name of its queue', () => {
  expect(machineHealthCheckReconciler.declaration).toMatchObject({
    name: 'machinehealthcheck',
    ports: ['workloadApi'],
  });
});
