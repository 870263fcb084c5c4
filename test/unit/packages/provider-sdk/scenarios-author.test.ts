// The values that the author of a provider returns, records and throws, and writes that are refused.
import { describe, expect, it } from 'vitest';
import { RequeueAfter, Terminal } from '../../../../packages/provider-sdk/errors.ts';
import { createProviderWorld, notPaused } from '../../../support/scripted-provider.ts';
import { domains, endpoint, meta, ready } from './scenario-objects.ts';

describe('The author of a provider', () => {
  it('requests a later call without a failure, and keeps the recorded status', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async context => {
      context.record({ status: { network: 'net-1' } });
      context.record({ conditions: [{ type: 'NetworkReady', status: 'False', reason: 'Creating' }] });
      context.record({ conditions: [{ type: 'NetworkReady', status: 'True', reason: 'Created' }] });
      throw new Error('the SDK of the cloud', { cause: new RequeueAfter(7) });
    };

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 7_000 } });
    expect(world.object().status).toMatchObject({ network: 'net-1' });
    expect(world.condition('NetworkReady')).toMatchObject({ status: 'True', reason: 'Created' });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'NotReady' });
  });

  it.each([
    { status: { network: undefined }, stored: undefined, reason: 'removes a field that is undefined' },
    { status: {}, stored: 'net-1', reason: 'keeps an omitted field' },
  ])('$reason', async ({ status, stored }) => {
    const world = createProviderWorld();
    world.given({ object: { status: { network: 'net-1' } } });
    world.author.reconcileNormal = async () => ({ ready: false, status });

    await world.pass();
    await world.pass();

    expect(Object(world.object().status).network).toBe(stored);
  });

  it('keeps its earlier Ready when it only requests a later call', async () => {
    const world = createProviderWorld();
    world.given({ object: { status: { conditions: [ready, { ...notPaused, observedGeneration: 1 }] } } });
    world.author.reconcileNormal = () => Promise.reject(new RequeueAfter(0));

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 1_000 }, writes: 0 });
  });

  it('fails with back-off when it throws, and keeps the recorded status', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async context => {
      context.record({ status: { network: 'net-1' } });
      throw new Error('the cloud said no');
    };

    const end = await world.pass();

    expect(end).toMatchObject({ result: { kind: 'failed', terminal: false, error: { message: 'the cloud said no' } } });
    expect(world.object().status).toMatchObject({ network: 'net-1' });
    expect(world.condition('Ready')).toMatchObject({ reason: 'ReconcileError', message: 'the cloud said no' });
  });

  it('gets no failure fields for a terminal failure under contract v1beta2, and a reason that fits', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = () => Promise.reject(new Terminal('no quota!', 'none left'));

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: true } });
    expect(world.object().status).not.toHaveProperty('failureReason');
    expect(world.condition('Ready')).toMatchObject({ reason: 'TerminalFailure', message: 'none left' });
  });

  it('writes nothing from an invalid result', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => ({
      ready: true,
      endpoint: { host: 'h', port: 70_000 },
      failureDomains: domains,
    });

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false } });
    expect(world.object().spec).toEqual({});
    expect(world.object().status).not.toHaveProperty('failureDomains');
    expect(world.condition('Ready')).toMatchObject({
      reason: 'ReconcileError',
      message:
        'reconcileNormal of ExampleCluster default/example returned a wrong result: endpoint.port: must be 1 to 65535',
    });
  });

  it('works on a copy of the Cluster, with the log and the time of the pass', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async ({ cluster }) => {
      Object.assign(cluster.metadata, { name: 'other' });
      return { ready: false };
    };
    const seen = await world.reconciler.observe(world.object(), world.api.kubernetes, aPass());
    const [call] = 'stop' in seen ? [] : world.reconciler.decide(seen, 7);

    const called = call?.do === 'run' ? await call.run(new AbortController().signal) : undefined;

    expect(called).toMatchObject({ end: { kind: 'returned' } });
    expect(seen).toMatchObject({ observation: { cluster: { metadata: { name: 'workload' } } } });
    expect(world.author.normal).toMatchObject([{ now: 7 }]);
    await world.pass();
    expect(world.author.normal[1]?.log).toBe(world.log);
  });

  it('can read, but not write', async () => {
    const world = createProviderWorld();
    world.given();

    await world.pass();
    const client = world.author.normal[0]?.client;

    expect(Object.keys(client ?? {}).sort()).toEqual(['get', 'list', 'metadata']);
    expect(await client?.get({ ...world.ref })).toMatchObject({ ok: true });
  });

  it('has a log even without a listener', async () => {
    const world = createProviderWorld();
    world.given();
    const seen = await world.reconciler.observe(world.object(), world.api.kubernetes, aPass());
    const log = 'log' in seen ? seen.log.with({ a: 1 }) : undefined;

    expect(() => [log?.debug('x'), log?.info('x'), log?.error('x', new Error('y'))]).not.toThrow();
    expect(log).toBeDefined();
  });

  it('makes no write when nothing changed', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => ({ ready: true, endpoint, failureDomains: domains });
    await world.pass();
    world.api.calls.reset();
    await world.pass(); // the endpoint increased the generation
    world.api.calls.reset();

    await world.pass();

    expect(world.author.normal).toHaveLength(3);
    expect(world.api.calls.writes).toEqual([]);
  });

  it('is called again when another writer changed the object while it ran', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => {
      await world.api.others.mergePatch(world.ref, { metadata: { labels: { by: 'user' } } });
      return { ready: true, endpoint };
    };

    expect(await world.pass()).toMatchObject({ kind: 'stale' });
    expect(world.object().status).not.toHaveProperty('initialization');
  });
});

describe('A write that the API server refuses', () => {
  const refusal = { reason: 'Forbidden', message: 'no' } as const;

  it('keeps the object unprovisioned when it was the endpoint', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => ({ ready: true, endpoint });
    world.api.calls.fail({ at: call => call.verb === 'patch', times: 1, failure: refusal });

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false } });
    expect(world.object().status).not.toHaveProperty('initialization');
    expect(world.condition('Ready')).toMatchObject({
      reason: 'ReconcileError',
      message: 'Writing spec.controlPlaneEndpoint of ExampleCluster default/example failed: no',
    });
  });

  it('ends the pass when it was the finalizer', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ finalizers: [] }) } });
    world.api.calls.fail({ at: call => call.verb === 'patch', failure: refusal });

    expect(await world.pass()).toMatchObject({
      result: {
        kind: 'failed',
        error: { message: 'Adding the finalizer of ExampleCluster default/example failed: no' },
      },
    });
  });
});

function aPass() {
  return { number: 1, now: 0, signal: new AbortController().signal };
}
