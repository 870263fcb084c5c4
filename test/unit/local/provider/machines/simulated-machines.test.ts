// Clusters with simulated infrastructure from creation to deletion, with all their reconcilers.

import { toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { textAt } from '../../../../../local/provider/machines/read.ts';
import { aHealthCheck, aWholeCluster, type Parts } from '../../../../support/machine-objects.ts';
import { createMachineWorld, type MachineWorld } from '../../../../support/machines-in-memory.ts';
import type { Built } from '../../../../support/object-builder.ts';
import { conditionIn, conditionText } from '../../../../support/result-text.ts';

const next = 'v1.36.0';

function versionsOf(machines: readonly Unstructured[]): readonly string[] {
  return machines.map(machine => textAt(machine, 'spec.version')).toSorted();
}

const controlPlane = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedControlPlane',
  namespace: 'ns',
  name: 'c1-control-plane',
};
const deployment = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', namespace: 'ns', name: 'md1' };
const pool = { ...deployment, kind: 'MachinePool', name: 'mp1' };
const cluster = { ...deployment, kind: 'Cluster', name: 'c1' };

async function grown(parts: Parts, ...others: readonly Built[]): Promise<MachineWorld> {
  const world = createMachineWorld();
  world.api.given(...aWholeCluster(parts), ...others);
  await world.run(10);
  return world;
}

const statusOf = (
  world: MachineWorld,
  ref: { readonly apiVersion: string; readonly kind: string; readonly name: string },
) => world.find(ref.kind, ref.name, ref.apiVersion)?.status;

describe('a Cluster with Machines', () => {
  it('is created: control plane, MachineDeployment and MachinePool', async () => {
    const world = await grown({ controlPlanes: 3, deployments: { md1: 2 }, pools: { mp1: 2 } });
    expect(world.failures()).toEqual([]);
    expect(world.list('Machine')).toHaveLength(5);
    expect(statusOf(world, controlPlane)).toMatchObject({
      initialization: { controlPlaneInitialized: true },
      version: 'v1.35.0',
      versions: [{ version: 'v1.35.0', replicas: 3 }],
      readyReplicas: 3,
      upToDateReplicas: 3,
    });
    expect(statusOf(world, deployment)).toMatchObject({
      phase: 'Running',
      replicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 2,
      versions: [{ version: 'v1.35.0', replicas: 2 }],
    });
    expect(statusOf(world, pool)).toMatchObject({
      phase: 'Running',
      availableReplicas: 2,
      nodeRefs: [{ kind: 'Node' }, { kind: 'Node' }],
    });
    for (const type of [
      'ControlPlaneAvailable',
      'WorkersAvailable',
      'WorkerMachinesReady',
      'WorkerMachinesUpToDate',
      'ControlPlaneMachinesReady',
    ]) {
      expect([type, world.condition('Cluster', 'c1', type)?.split('/')[0]]).toEqual([type, 'True']);
    }
    expect(await world.writesOfOneRound()).toEqual([]);
  });

  it('has Machines that reference separate objects', async () => {
    const world = await grown({ deployments: { md1: 1 } });
    for (const machine of world.list('Machine')) {
      const { name } = machine.metadata;
      expect(world.find('SimulatedMachine', name, 'infrastructure.cluster.x-k8s.io/v1beta2')).toBeDefined();
      expect(world.find('SimulatedBootstrapConfig', name, 'bootstrap.cluster.x-k8s.io/v1beta2')).toBeDefined();
      expect(machine.status).toMatchObject({
        phase: 'Running',
        nodeRef: { name },
        nodeInfo: { kubeletVersion: 'v1.35.0' },
      });
      expect(textAt(machine, 'spec.providerID')).toBe(`simulated://ns/${name}`);
    }
  });

  it('starts no worker before the control plane is initialized', async () => {
    const world = createMachineWorld();
    world.api.given(...aWholeCluster({ deployments: { md1: 1 } }));
    await world.until(() => world.list('Machine').some(machine => textAt(machine, 'status.phase') === 'Provisioning'));
    const workers = world.list('Machine').filter(({ metadata }) => metadata.name.startsWith('md1'));
    expect(workers.map(worker => textAt(worker, 'status.phase'))).toEqual(workers.map(() => 'Pending'));
  });

  it('is deleted, workers first, with all its objects', async () => {
    const world = await grown(
      { controlPlanes: 3, deployments: { md1: 2 }, pools: { mp1: 1 } },
      aHealthCheck('md1', {}),
    );
    await world.api.others.delete(cluster);
    await world.until(() => world.find('Cluster', 'c1') === undefined);
    await world.run(1);
    expect(world.failures()).toEqual([]);
    for (const kind of ['Machine', 'MachineSet', 'MachineDeployment', 'MachinePool', 'MachineHealthCheck']) {
      expect([kind, world.names(kind)]).toEqual([kind, []]);
    }
    expect(world.list('SimulatedMachine', 'infrastructure.cluster.x-k8s.io/v1beta2')).toEqual([]);
    expect(world.list('SimulatedBootstrapConfig', 'bootstrap.cluster.x-k8s.io/v1beta2')).toEqual([]);
  });

  it('writes nothing while it is paused', async () => {
    const world = await grown({ deployments: { md1: 1 } });
    await world.api.others.mergePatch(cluster, { spec: { paused: true } });
    await world.run(1);
    await world.api.others.mergePatch(deployment, { spec: { replicas: 3 } });
    await world.run(3);
    expect(world.list('Machine')).toHaveLength(2);
    expect(world.condition('MachineDeployment', 'md1', 'Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true',
    );
    await world.api.others.mergePatch(cluster, { spec: { paused: null } });
    await world.run(5);
    expect(world.list('Machine')).toHaveLength(4);
  });
});

describe('an upgrade', () => {
  it('of the control plane replaces its Machines, and its version changes after the last one', async () => {
    const world = await grown({ controlPlanes: 3 });
    const before = world.names('Machine');
    await world.api.others.mergePatch(controlPlane, { spec: { version: next } });
    const seen = new Set<string>();
    await world.until(() => {
      const status = statusOf(world, controlPlane);
      seen.add(textAt(status, 'version'));
      return textAt(status, 'version') === next && world.list('Machine').length === 3;
    });
    expect([...seen]).toEqual(['v1.35.0', next]);
    expect(versionsOf(world.list('Machine'))).toEqual([next, next, next]);
    expect(world.names('Machine').filter(name => before.includes(name))).toEqual([]);
    expect(statusOf(world, controlPlane)).toMatchObject({
      versions: [{ version: next, replicas: 3 }],
      upToDateReplicas: 3,
    });
    expect(world.failures()).toEqual([]);
  });

  it('of a MachineDeployment never has fewer Machines than wanted, and at most one more', async () => {
    const world = await grown({ deployments: { md1: 3 } });
    // Preflight checks: workers are not newer than the control plane.
    await world.api.others.mergePatch(controlPlane, { spec: { version: next } });
    await world.until(() => textAt(statusOf(world, controlPlane), 'version') === next);
    const template = { spec: { version: next } };
    await world.api.others.mergePatch(deployment, { spec: { template } });
    const counts = new Set<number>();
    await world.until(() => {
      const workers = world
        .list('Machine')
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined && metadata.name.startsWith('md1'));
      counts.add(workers.length);
      return (
        workers.length === 3 &&
        versionsOf(workers).every(version => version === next) &&
        world.list('MachineSet').length === 1
      );
    });
    expect([...counts].every(count => count >= 3 && count <= 4)).toBe(true);
    expect(statusOf(world, deployment)).toMatchObject({ versions: [{ version: next, replicas: 3 }], phase: 'Running' });
  });

  it('of a MachinePool changes one instance after the other', async () => {
    const world = await grown({ pools: { mp1: 3 } });
    await world.api.others.mergePatch(pool, { spec: { template: { spec: { version: next } } } });
    const seen: string[] = [];
    await world.until(() => {
      seen.push(JSON.stringify((statusOf(world, pool) as { readonly versions: unknown }).versions));
      return seen.at(-1) === JSON.stringify([{ version: next, replicas: 3 }]);
    });
    expect(new Set(seen).size).toBe(4);
  });

  it('alternating changes end in the last desired state', async () => {
    const world = await grown({ deployments: { md1: 2 } });
    for (const version of [next, 'v1.35.0', next, 'v1.35.0']) {
      await world.api.others.mergePatch(deployment, { spec: { template: { spec: { version } } } });
      await world.run(1);
    }
    await world.run(15);
    expect(world.list('MachineSet')).toHaveLength(1);
    expect(versionsOf(world.list('Machine'))).toEqual(['v1.35.0', 'v1.35.0', 'v1.35.0']);
  });
});

describe('scaling', () => {
  it.each([
    { ref: deployment, from: 1, to: 3, reason: 'a MachineDeployment grows' },
    { ref: deployment, from: 3, to: 0, reason: 'a MachineDeployment shrinks to nothing' },
    { ref: pool, from: 1, to: 3, reason: 'a MachinePool grows' },
    { ref: pool, from: 3, to: 1, reason: 'a MachinePool shrinks' },
    { ref: controlPlane, from: 1, to: 3, reason: 'a control plane grows' },
    { ref: controlPlane, from: 3, to: 1, reason: 'a control plane shrinks' },
  ])('$reason', async ({ ref, from, to }) => {
    const world = await grown({
      controlPlanes: ref === controlPlane ? from : 1,
      deployments: ref === deployment ? { md1: from } : {},
      pools: ref === pool ? { mp1: from } : {},
    });
    expect(statusOf(world, ref)).toMatchObject({ replicas: from });
    await world.api.others.mergePatch(ref, { spec: { replicas: to } });
    await world.until(
      () =>
        JSON.stringify(statusOf(world, ref)).includes(`"availableReplicas":${to}`) &&
        JSON.stringify(statusOf(world, ref)).includes(`"replicas":${to}`),
    );
    await world.run(3);
    expect(statusOf(world, ref)).toMatchObject({ replicas: to, availableReplicas: to, upToDateReplicas: to });
  });
});

describe('a SimulatedMachinePool', () => {
  const infrastructure = {
    ...pool,
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'SimulatedMachinePool',
  };
  const order = (name: string, value: string | null) => ({
    metadata: { annotations: { [`simulated.capi-serverless.dev/${name}`]: value } },
  });
  const readyOf = (world: MachineWorld): string | undefined =>
    conditionText(conditionIn(toRecord(statusOf(world, infrastructure))['conditions'], 'Ready'));

  it('reports an instance after its Node exists', async () => {
    const world = await grown({ pools: { mp1: 1 } });
    const idsOf = (): unknown => world.find(infrastructure.kind, 'mp1', infrastructure.apiVersion)?.spec;
    const [cluster] = world.list('Cluster');
    const { core } = world.workload.cluster(cluster?.metadata.uid ?? '');
    const nodes = core
      .list(core.registry.endpointOfKind('v1', 'Node'), {})
      .items.filter(({ metadata }) => metadata.name.startsWith('mp1'));
    expect(nodes).toMatchObject([
      { metadata: { annotations: { 'cluster.x-k8s.io/owner-name': 'mp1' } }, spec: { providerID: expect.any(String) } },
    ]);
    expect(idsOf()).toMatchObject({ providerIDList: nodes.map(({ spec }) => toRecord(spec)['providerID']) });
    expect(statusOf(world, pool)).toMatchObject({
      nodeRefs: [{ name: nodes[0]?.metadata.name, uid: nodes[0]?.metadata.uid }],
    });
    expect(statusOf(world, infrastructure)).toMatchObject({ versions: [{ version: 'v1.35.0', replicas: 1 }] });
  });

  it('starts nothing while it hangs, and reports a failure', async () => {
    const world = await grown({ pools: { mp1: 1 } });
    await world.api.others.mergePatch(infrastructure, order('hang', ''));
    await world.api.others.mergePatch(pool, { spec: { replicas: 2 } });
    await world.run(5);
    expect(statusOf(world, infrastructure)).toMatchObject({ replicas: 1 });
    expect(statusOf(world, pool)).toMatchObject({ phase: 'ScalingUp', replicas: 1 });
    await world.api.others.mergePatch(infrastructure, order('fail', 'no capacity'));
    await world.run(1);
    expect(readyOf(world)).toBe('False/SimulatedFailure no capacity');
    await world.api.others.mergePatch(infrastructure, order('fail', null));
    await world.api.others.mergePatch(infrastructure, order('hang', null));
    await world.run(5);
    expect(statusOf(world, pool)).toMatchObject({ phase: 'Running', replicas: 2 });
  });

  it('has Nodes that fail on request', async () => {
    const world = await grown({ pools: { mp1: 1 } });
    await world.api.others.mergePatch(infrastructure, order('fail-node', 'disk is full'));
    await world.api.others.mergePatch(pool, { spec: { replicas: 2 } });
    await world.run(5);
    expect(statusOf(world, pool)).toMatchObject({
      phase: 'ScalingUp',
      deprecated: { v1beta1: { unavailableReplicas: 2 } },
    });
  });

  it('keeps its MachinePool until its own deletion ends', async () => {
    const world = await grown({ pools: { mp1: 1 } });
    await world.api.others.mergePatch(infrastructure, order('delete-hang', ''));
    await world.api.others.delete(pool);
    await world.run(5);
    expect(world.names('MachinePool')).toEqual(['mp1']);
    expect(readyOf(world)).toBe('False/Deleting Stopping the instances');
    await world.api.others.mergePatch(infrastructure, order('delete-hang', null));
    await world.run(2);
    expect(world.names('MachinePool')).toEqual([]);
  });
});

describe('a requested rollout', () => {
  it.each([
    { ref: controlPlane, reason: 'of a control plane' },
    { ref: deployment, reason: 'of a MachineDeployment' },
  ])('replaces older Machines: $reason', async ({ ref }) => {
    const world = await grown({ deployments: { md1: 1 } });
    const before = world.names('Machine').filter(name => name.startsWith('md1') === (ref === deployment));
    const after = new Date(world.api.clock.now() + 2000).toISOString().replace(/\.\d+/, '');
    await world.api.others.mergePatch(ref, { spec: { rollout: { after } } });
    await world.run(1);
    expect(world.names('Machine')).toEqual(expect.arrayContaining(before));
    expect(world.nextLookMs(ref)).toBeLessThanOrEqual(1000);
    await world.until(() => before.every(name => !world.names('Machine').includes(name)));
    await world.run(3);
    expect(world.list('Machine')).toHaveLength(2);
    expect(await world.writesOfOneRound()).toEqual([]);
  });
});
