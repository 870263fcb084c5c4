// Scenarios of remediations by owners: when they begin, and what they leave alone.
import { describe, expect, it } from 'vitest';
import { reconcileOnce, threeNodes } from './health-check-pass.ts';
import { aCapiCluster, aCheck, lost, machine, node, now, young } from './scenario-objects.ts';

const hcs = 'HealthCheckSucceeded';
const owned = 'OwnerRemediated';
const withNode3 = (third: ReturnType<typeof node>) => ({ nodes: [node(1), node(2), third] });

describe('a Cluster that starts', () => {
  it('has healthy Machines before its infrastructure is ready', async () => {
    const cluster = aCapiCluster().withCondition('InfrastructureReady', { status: 'False' });
    const pass = await reconcileOnce(aCheck(), { cluster, ...withNode3(lost(3, 400)) });
    expect(['m1', 'm2', 'm3'].map(name => pass.of(name, hcs))).toEqual(Array(3).fill(`True/${hcs}`));
    expect(pass.status).toMatchObject({ currentHealthy: 3 });
  });

  it('is only checked for control plane Machines before it is initialized', async () => {
    const cluster = aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' });
    const m1 = young(1, 1200).labelled({ 'cluster.x-k8s.io/control-plane': '' });
    const pass = await reconcileOnce(aCheck(), { cluster, machines: [m1, young(2, 1200), machine(3)] });
    expect(pass.nodesAsked).toEqual([]);
    expect(pass.asked).not.toContain('get Secret ns/c1-kubeconfig');
    expect(pass.of('m1', hcs)).toContain('False/NodeStartupTimeout');
    expect(pass.written).toEqual(['patch Machine ns/m1']);
    expect(pass.status).toMatchObject({ currentHealthy: 0, expectedMachines: 3 });
    expect(pass.result).toBe('done');
  });
});

describe('a Machine in deletion', () => {
  it('is not remediated by its owner', async () => {
    const pass = await reconcileOnce(aCheck(), {
      machines: [machine(1), machine(2), machine(3).deleting(now)],
      ...withNode3(lost(3, 400)),
    });
    expect(pass.of('m3', hcs)).toContain('False/UnhealthyNode');
    expect([pass.of('m3', owned), pass.v1beta1Of('m3', owned)]).toEqual([undefined, undefined]);
    expect(pass.events).toHaveLength(1);
    expect(pass.status).toMatchObject({ currentHealthy: 2 });
  });

  it('is never healthy', async () => {
    const pass = await reconcileOnce(aCheck(), { machines: [machine(3).deleting(now)] });
    expect([pass.writes, pass.status?.['currentHealthy']]).toEqual([[], 0]);
  });
});

describe('a remediation that has begun', () => {
  it('belongs to the owner, separately in both families', async () => {
    const m3 = machine(3)
      .withCondition(owned, { status: 'False', reason: 'MachineDeleting', message: 'x' })
      .withV1Beta1Condition(owned);
    const pass = await reconcileOnce(aCheck(), { machines: [m3], nodes: [lost(3, 400)] });
    expect(pass.of('m3', owned)).toBe('False/MachineDeleting x');
    expect(pass.v1beta1Of('m3', owned)).toBe('False/Warning/WaitingForRemediation');
  });

  it('is announced again after an earlier one has ended', async () => {
    const m3 = machine(3).withCondition(owned).withV1Beta1Condition(owned, { status: 'False', reason: 'Mine' });
    const pass = await reconcileOnce(aCheck(), { machines: [m3], nodes: [lost(3, 400)] });
    expect(pass.of('m3', owned)).toBe('False/WaitingForRemediation Waiting for remediation');
    expect(pass.v1beta1Of('m3', owned)).toBe('False/Mine');
  });

  it('does not end for one Machine because of another', async () => {
    const pass = await reconcileOnce(aCheck(), {
      nodes: [node(1), lost(2, 400), lost(3, 400)],
      failures: { 'machine:m2': { message: 'no', reason: 'Invalid' }, 'machine:m1': { message: 'nor' } },
    });
    expect(pass.of('m3', hcs)).toContain('False/UnhealthyNode');
    expect(pass.result).toBe(
      '[failed to patch unhealthy machine status for machine: ns/m2: failed to patch Machine ns/m2: no, ' +
        'failed to patch healthy machine status for machine: ns/m1: failed to patch Machine ns/m1: nor]',
    );
    expect(pass.status?.['observedGeneration']).toBeUndefined();
    expect(pass.events).toHaveLength(1);
  });
});

describe('the interval without a watch of Nodes', () => {
  it.each([
    { timeouts: [5, 0], result: 'requeueAfter 60000', reason: 'at least a minute' },
    { timeouts: [120, 3600], result: 'requeueAfter 120000', reason: 'the shortest timeout' },
    { timeouts: [3600], result: 'requeueAfter 600000', reason: 'at most ten minutes' },
    { timeouts: [0], result: 'requeueAfter 600000', reason: 'ten minutes without a timeout' },
  ])('is $reason', async ({ timeouts, result }) => {
    const unhealthyNodeConditions = timeouts.map(timeoutSeconds => ({ type: 'X', status: 'True', timeoutSeconds }));
    expect((await reconcileOnce(aCheck({ unhealthyNodeConditions }), { nodes: threeNodes })).result).toBe(result);
  });
});
