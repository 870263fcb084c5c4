import { describe, expect, it } from 'vitest';
import { simulatedControlPlane } from '../../../../local/provider/simulated-control-plane.ts';
import { aCluster, aControlPlane } from '../../../support/builders.ts';
import { createSimulatedWorld } from '../../../support/simulated-object.ts';

const order = (name: string, value: string | null = '') => ({ [`simulated.capi-serverless.dev/${name}`]: value });

function aWorld(spec: Readonly<Record<string, unknown>> = {}) {
  return createSimulatedWorld({
    reconciler: simulatedControlPlane,
    object: aControlPlane().withSpec({ replicas: 3, ...spec }),
    cluster: aCluster().withEndpoint('api.example.com').infrastructureProvisioned(),
  });
}

async function aRunningWorld(spec: Readonly<Record<string, unknown>> = {}) {
  const world = aWorld({ provisionSeconds: 0, ...spec });
  await world.reconcile();
  await world.change({ provisionSeconds: 6 });
  await world.reconcile();
  return world;
}

const three = { replicas: 3, readyReplicas: 3, availableReplicas: 3, upToDateReplicas: 3 };

describe('A SimulatedControlPlane', () => {
  it('waits for the infrastructure of its Cluster', async () => {
    const world = createSimulatedWorld({ reconciler: simulatedControlPlane, object: aControlPlane() });

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: 'WaitingForInfrastructure' });
  });

  it('starts its first machine, then the others', async () => {
    const world = aWorld({ provisionSeconds: 6 });

    expect(await world.reconcile()).toEqual({ kind: 'requeueAfter', ms: 2_000 });
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: 'GeneratingCertificates' });
    expect(world.status()).toMatchObject({ replicas: 0, readyReplicas: 0 });
    await world.after(2_000);
    expect(world.status()).toMatchObject({ replicas: 1, readyReplicas: 0 });
    await world.after(2_000);
    expect(world.status()).toMatchObject({ replicas: 3, readyReplicas: 0 });
    expect(world.status()).not.toHaveProperty('initialization');
    expect(await world.after(2_000)).toEqual({ kind: 'done' });
    expect(world.status()).toMatchObject({
      initialization: { controlPlaneInitialized: true },
      version: 'v1.35.0',
      versions: [{ version: 'v1.35.0', replicas: 3 }],
      ...three,
    });
    expect(world.condition('Available')).toMatchObject({ status: 'True', reason: 'Available' });
    expect(world.condition('RollingOut')).toMatchObject({ status: 'False', reason: 'NotRollingOut' });
  });

  it('is available in the first reconcile when starting takes no time', async () => {
    const world = aWorld({ provisionSeconds: 0 });

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.status()).toMatchObject(three);
    world.api.calls.reset();
    expect(await world.after(60_000)).toEqual({ kind: 'done' });
    expect(world.api.calls.writes).toEqual([]);
  });

  it('replaces one machine after the other in an upgrade', async () => {
    const world = await aRunningWorld();
    await world.change({ version: 'v1.36.0' });

    expect(await world.reconcile()).toEqual({ kind: 'requeueAfter', ms: 2_000 });
    expect(world.condition('RollingOut')).toMatchObject({ status: 'True', reason: 'RollingOut' });
    expect(world.status()).toMatchObject({ version: 'v1.35.0', ...three, upToDateReplicas: 0 });
    await world.after(4_000);
    expect(world.status()).toMatchObject({
      version: 'v1.35.0',
      upToDateReplicas: 2,
      versions: [
        { version: 'v1.35.0', replicas: 1 },
        { version: 'v1.36.0', replicas: 2 },
      ],
    });
    expect(await world.after(2_000)).toEqual({ kind: 'done' });
    expect(world.status()).toMatchObject({
      version: 'v1.36.0',
      versions: [{ version: 'v1.36.0', replicas: 3 }],
      ...three,
    });
    expect(world.condition('RollingOut')).toMatchObject({ status: 'False' });
    expect(world.condition('Available')).toMatchObject({ status: 'True' });
  });

  it('lists the lower version first in a downgrade too', async () => {
    const world = await aRunningWorld();
    await world.change({ version: 'v1.9.0' });
    await world.reconcile();

    await world.after(2_000);

    expect(world.status()['versions']).toEqual([
      { version: 'v1.9.0', replicas: 1 },
      { version: 'v1.35.0', replicas: 2 },
    ]);
  });

  it.each([
    { replicas: 5, condition: 'ScalingUp', other: 'ScalingDown' },
    { replicas: 1, condition: 'ScalingDown', other: 'ScalingUp' },
  ])('scales to $replicas', async ({ replicas, condition, other }) => {
    const world = await aRunningWorld();
    await world.change({ replicas });

    await world.reconcile();
    expect(world.condition(condition)).toMatchObject({ status: 'True' });
    expect(world.condition(other)).toMatchObject({ status: 'False' });
    expect(world.status()).toMatchObject(three);
    await world.after(6_000);
    expect(world.condition(condition)).toMatchObject({ status: 'False' });
    expect(world.status()).toMatchObject({ replicas, availableReplicas: replicas });
  });

  it('is not available without machines, and recovers', async () => {
    const world = await aRunningWorld();
    await world.change({ replicas: 0 });
    await world.reconcile();
    await world.after(6_000);

    expect(world.condition('Available')).toMatchObject({ status: 'False' });
    expect(world.status()).toMatchObject({ replicas: 0, initialization: { controlPlaneInitialized: true } });
    expect(world.status()).not.toHaveProperty('versions');

    await world.change({ replicas: 1 });
    expect(await world.reconcile()).toEqual({ kind: 'requeueAfter', ms: 6_000 });
    await world.after(6_000);
    expect(world.condition('Available')).toMatchObject({ status: 'True' });
  });

  it('begins a new change when the target moves while one is under way', async () => {
    const world = await aRunningWorld();
    await world.change({ version: 'v1.36.0' });
    await world.reconcile();
    await world.api.clock.advance(5_000);
    await world.change({ version: 'v1.36.1' });

    await world.reconcile();
    expect(world.status()).toMatchObject({ upToDateReplicas: 0, rollout: { version: 'v1.36.1' } });
    await world.after(6_000);
    expect(world.status()).toMatchObject({ version: 'v1.36.1' });
  });

  it('makes no progress while its annotation blocks it', async () => {
    const starting = aWorld();
    await starting.annotate(order('hang'));
    await starting.reconcile();
    expect(await starting.after(3_600_000)).toEqual({ kind: 'done' });
    expect(starting.condition('Available')).toMatchObject({ reason: 'JoiningMachines' });

    const upgrading = await aRunningWorld();
    await upgrading.annotate(order('hang'));
    await upgrading.change({ version: 'v1.36.0' });
    await upgrading.reconcile();
    expect(await upgrading.after(3_600_000)).toEqual({ kind: 'done' });
    expect(upgrading.status()).toMatchObject({ version: 'v1.35.0', upToDateReplicas: 2 });
  });

  it('fails while its annotation is set, stays initialized, and recovers', async () => {
    const world = await aRunningWorld();
    await world.annotate(order('fail', 'etcd has no quorum'));

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.condition('Available')).toMatchObject({ status: 'False', message: 'etcd has no quorum' });
    expect(world.status()).toMatchObject({ initialization: { controlPlaneInitialized: true }, ...three });

    await world.annotate(order('fail', null));
    await world.reconcile();
    expect(world.condition('Available')).toMatchObject({ status: 'True' });
  });

  it('fails without retry if its annotation is set', async () => {
    const world = aWorld();
    await world.annotate(order('terminal', 'no quota'));

    expect(await world.reconcile()).toMatchObject({ kind: 'failed', terminal: true });
    expect(world.condition('Ready')).toMatchObject({ reason: 'SimulatedTerminalFailure' });
  });

  it('is deleted', async () => {
    const world = await aRunningWorld({ deletionSeconds: 2 });
    await world.remove();

    await world.reconcile();
    expect(world.condition('Ready')).toMatchObject({ reason: 'Deleting', message: 'Stopping the machines' });
    await world.after(2_000);
    expect(world.isGone()).toBe(true);
  });

  it('is removed if its annotation is set', async () => {
    const world = await aRunningWorld();
    await world.annotate(order('lose'));

    await world.reconcile();

    expect(world.isGone()).toBe(true);
  });
});
