import { describe, expect, it } from 'vitest';
import { simulatedCluster } from '../../../../local/provider/simulated-cluster.ts';
import { simulatedLegacyCluster } from '../../../../local/provider/simulated-legacy-cluster.ts';
import { aLegacyInfraCluster, anInfraCluster } from '../../../support/builders.ts';
import { createSimulatedWorld } from '../../../support/simulated-object.ts';

const order = (name: string, value: string | null = '') => ({ [`simulated.capi-serverless.dev/${name}`]: value });

function aWorld(spec: Readonly<Record<string, unknown>> = {}) {
  return createSimulatedWorld({ reconciler: simulatedCluster, object: anInfraCluster().withSpec(spec) });
}

describe('A SimulatedCluster', () => {
  it('shows each step while it is being provisioned, then is ready', async () => {
    const world = aWorld({ provisionSeconds: 6 });

    expect(await world.reconcile()).toEqual({ kind: 'requeueAfter', ms: 2_000 });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'CreatingNetwork' });
    expect(world.status()).toMatchObject({ startedAt: '2026-01-01T00:00:00.000Z' });
    expect(await world.after(2_000)).toEqual({ kind: 'requeueAfter', ms: 2_000 });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'CreatingSubnets' });
    expect(await world.after(2_500)).toEqual({ kind: 'requeueAfter', ms: 1_500 });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'CreatingLoadBalancer' });
    expect(world.status()).not.toHaveProperty('initialization');
    expect(await world.after(1_500)).toEqual({ kind: 'done' });
    expect(world.condition('Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
    expect(world.status()).toMatchObject({ initialization: { provisioned: true } });
  });

  it('takes one second by default', async () => {
    const world = aWorld();
    expect(await world.reconcile()).toEqual({ kind: 'requeueAfter', ms: 1_000 });
    expect(await world.after(1_000)).toEqual({ kind: 'done' });
  });

  it('is ready in the first reconcile when provisioning takes no time', async () => {
    const world = aWorld({ provisionSeconds: 0 });

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.object().spec).toMatchObject({
      controlPlaneEndpoint: { host: 'c1-infra.simulated.example', port: 6443 },
    });
    expect(world.status()).toMatchObject({
      initialization: { provisioned: true },
      failureDomains: ['zone-a', 'zone-b', 'zone-c'].map(name => ({ name, controlPlane: true })),
    });
  });

  it.each([
    {
      spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 443 } },
      published: { host: 'api.example.com', port: 443 },
    },
    { spec: { controlPlaneEndpoint: { host: 'api.example.com' } }, published: { host: 'api.example.com', port: 6443 } },
  ])('keeps the user’s values: $published', async ({ spec, published }) => {
    const world = aWorld({ provisionSeconds: 0, failureDomains: ['only'], ...spec });

    await world.reconcile();

    expect(world.object().spec).toMatchObject({ controlPlaneEndpoint: published });
    expect(world.status()['failureDomains']).toEqual([{ name: 'only', controlPlane: true }]);
  });

  it('writes nothing once it is settled', async () => {
    const world = aWorld({ provisionSeconds: 0 });
    await world.reconcile();
    await world.reconcile();
    world.api.calls.reset();

    expect(await world.after(60_000)).toEqual({ kind: 'done' });
    expect(world.api.calls.writes).toEqual([]);
  });

  it('stays provisioned if its provisioning time is increased afterwards', async () => {
    const world = aWorld({ provisionSeconds: 0 });
    await world.reconcile();
    await world.change({ provisionSeconds: 3_600 });

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('fails while its annotation is set, stays provisioned, and recovers', async () => {
    const world = aWorld({ provisionSeconds: 0 });
    await world.reconcile();
    await world.annotate(order('fail', 'the region is dark'));

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'SimulatedFailure',
      message: 'the region is dark',
    });
    expect(world.status()).toMatchObject({ initialization: { provisioned: true } });

    await world.annotate(order('fail', null));
    await world.reconcile();
    expect(world.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('makes no progress while its annotation blocks it, and continues afterwards', async () => {
    const world = aWorld();
    await world.annotate(order('hang'));

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(await world.after(3_600_000)).toEqual({ kind: 'done' });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'CreatingLoadBalancer' });

    await world.annotate(order('hang', null));
    await world.reconcile();
    expect(world.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('hangs at its first step when provisioning would take no time', async () => {
    const world = aWorld({ provisionSeconds: 0 });
    await world.annotate(order('hang'));

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'CreatingNetwork' });
  });

  it('fails without retry until the annotation is removed', async () => {
    const world = aWorld({ provisionSeconds: 0 });
    await world.annotate(order('terminal', 'no quota'));

    expect(await world.reconcile()).toMatchObject({ kind: 'failed', terminal: true });
    expect(world.condition('Ready')).toMatchObject({ reason: 'SimulatedTerminalFailure', message: 'no quota' });

    await world.annotate(order('terminal', null));
    await world.reconcile();
    expect(world.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('is deleted step by step', async () => {
    const world = aWorld({ provisionSeconds: 0, deletionSeconds: 4 });
    await world.reconcile();
    await world.remove();

    expect(await world.reconcile()).toEqual({ kind: 'requeueAfter', ms: 2_000 });
    expect(world.condition('Ready')).toMatchObject({ reason: 'Deleting', message: 'Deleting the load balancer' });
    await world.after(2_000);
    expect(world.condition('Ready')).toMatchObject({ reason: 'Deleting', message: 'Deleting the network' });
    expect(await world.after(2_000)).toEqual({ kind: 'done' });
    expect(world.isGone()).toBe(true);
  });

  it('never ends its deletion while its annotation blocks it', async () => {
    const world = aWorld({ provisionSeconds: 0, deletionSeconds: 0 });
    await world.annotate(order('delete-hang'));
    await world.reconcile();
    await world.remove();

    expect(await world.after(3_600_000)).toEqual({ kind: 'requeueAfter', ms: 60_000 });
    await world.annotate(order('delete-hang', null));
    await world.reconcile();
    expect(world.isGone()).toBe(true);
  });

  it('is removed at once with the annotation "lose"', async () => {
    const world = aWorld({ provisionSeconds: 0 });
    await world.reconcile();
    await world.annotate(order('lose'));

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.isGone()).toBe(true);
  });

  it.each([
    { deleting: true, finalized: true, reason: 'while it is being deleted' },
    { deleting: false, finalized: false, reason: 'before anything holds it' },
  ])('gets lost $reason', async ({ deleting, finalized }) => {
    const world = aWorld({ provisionSeconds: 0 });
    await (finalized ? world.reconcile() : undefined);
    await world.annotate({ ...order('lose'), ...order('delete-hang') });
    await (deleting ? world.remove() : undefined);

    await world.reconcile();

    expect(world.isGone()).toBe(true);
  });

  it('reports that it cannot be removed', async () => {
    const world = aWorld();
    await world.annotate(order('lose'));
    world.api.calls.fail({ at: call => call.verb === 'delete', failure: { reason: 'Forbidden', message: 'no' } });

    expect(await world.reconcile()).toMatchObject({
      kind: 'failed',
      error: { message: 'Losing SimulatedCluster ns/c1-infra failed: no' },
    });
  });

  it('starts again when its start time was removed', async () => {
    const world = createSimulatedWorld({
      reconciler: simulatedCluster,
      object: anInfraCluster().withSpec({ provisionSeconds: 2 }),
    });
    await world.reconcile();
    await world.api.others.mergePatch(world.ref, { status: { startedAt: null } }, { subresource: 'status' });

    await world.after(60_000);

    expect(world.condition('Ready')).toMatchObject({ reason: 'CreatingNetwork' });
  });
});

describe('A SimulatedLegacyCluster', () => {
  function aLegacyWorld() {
    return createSimulatedWorld({
      reconciler: simulatedLegacyCluster,
      object: aLegacyInfraCluster().withSpec({ provisionSeconds: 0 }),
    });
  }

  it('publishes in the form of contract v1beta1', async () => {
    const world = aLegacyWorld();

    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.status()).toMatchObject({
      ready: true,
      failureDomains: { 'zone-a': { controlPlane: true }, 'zone-b': {}, 'zone-c': {} },
    });
  });

  it('never recovers from a terminal failure', async () => {
    const world = aLegacyWorld();
    await world.annotate(order('terminal', 'no quota'));

    expect(await world.reconcile()).toMatchObject({ kind: 'failed', terminal: true });
    expect(world.status()).toMatchObject({ failureReason: 'SimulatedTerminalFailure', failureMessage: 'no quota' });

    await world.annotate(order('terminal', null));
    expect(await world.reconcile()).toEqual({ kind: 'done' });
    expect(world.status()).not.toHaveProperty('ready');
  });
});
