import { describe, expect, it } from 'vitest';
import { RequeueAfter, Terminal } from '../../../../shared/actuator/errors.ts';
import {
  aCluster,
  clusterOwner,
  createProviderWorld,
  exampleFinalizer,
  notPaused,
} from '../../../support/provider-world.ts';

const endpoint = { host: 'api.example.com', port: 6443 };
const domains = [
  { name: 'b', controlPlane: true },
  { name: 'a', attributes: { rack: '7' } },
];
const deletionTimestamp = '2026-01-01T00:00:00Z';
const managed = { 'cluster.x-k8s.io/managed-by': 'terraform' };
const pausedAnnotation = { 'cluster.x-k8s.io/paused': '' };
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2025-12-31T00:00:00Z',
};

describe('An infrastructure provider of the SDK', () => {
  it('B1: leaves an object without an owner alone', async () => {
    const world = createProviderWorld();
    world.givenObject({ metadata: meta({ ownerReferences: [], finalizers: [] }) });

    expect(await world.pass()).toEqual({
      kind: 'stopped',
      reason: 'Waiting for Cluster Controller to set OwnerRef on ExampleCluster',
    });
    expect(world.api.calls.writes).toEqual([]);
    expect(world.author.normal).toEqual([]);
  });

  it('B2: stores its finalizer, and nothing else, before it does anything for an owned object', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ finalizers: ['other.example.com/hold'] }), status: {} } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'again' }, writes: 1 });
    expect(world.object().metadata.finalizers).toEqual(['other.example.com/hold', exampleFinalizer]);
    expect(world.object().status ?? {}).toEqual({});
    expect(world.author.normal).toEqual([]);
  });

  it('B3: stores that it is not paused, and nothing else, in the pass after the finalizer', async () => {
    const world = createProviderWorld();
    world.given({ object: { status: {} } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'again' }, writes: 1 });
    expect(world.object().status).toEqual({
      conditions: [{ ...notPaused, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    expect(world.author.normal).toEqual([]);
  });

  it('B4: waits for the endpoint of the Cluster where the provider does not supply one', async () => {
    const world = createProviderWorld({ endpoint: 'fromCluster' });
    world.given();

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'WaitingForControlPlaneEndpoint' });
    expect(world.author.normal).toEqual([]);
  });

  it('B5: calls the author once the Cluster has an endpoint', async () => {
    const world = createProviderWorld({ endpoint: 'fromCluster' });
    world.given({ cluster: { spec: { controlPlaneEndpoint: endpoint } } });

    await world.pass();

    expect(world.author.normal).toHaveLength(1);
    expect(world.author.normal[0]?.cluster.spec).toEqual({ controlPlaneEndpoint: endpoint });
  });

  it('B6: publishes endpoint, list of failure domains and the provisioned flag, the flag last', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => ({ ready: true, endpoint, failureDomains: domains });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.object().spec).toEqual({ controlPlaneEndpoint: endpoint });
    expect(world.object().status).toMatchObject({
      initialization: { provisioned: true },
      failureDomains: [
        { name: 'a', controlPlane: false, attributes: { rack: '7' } },
        { name: 'b', controlPlane: true },
      ],
    });
    expect(world.condition('Ready')).toMatchObject({ status: 'True', reason: 'Ready', observedGeneration: 1 });
    expect(world.api.calls.writes.map(write => /controlPlaneEndpoint|provisioned/.exec(write)?.[0])).toEqual([
      'controlPlaneEndpoint',
      'provisioned',
    ]);
  });

  it('B7: publishes a map of failure domains and status.ready under contract v1alpha3', async () => {
    const world = createProviderWorld({ contract: 'v1alpha3' });
    world.given();
    world.author.reconcileNormal = async () => ({ ready: true, endpoint, failureDomains: domains });

    await world.pass();

    expect(world.object().status).toMatchObject({
      ready: true,
      failureDomains: { a: { controlPlane: false, attributes: { rack: '7' } }, b: { controlPlane: true } },
    });
    expect(world.condition('Ready')).not.toHaveProperty('observedGeneration');
  });

  it('B8: does not count as provisioned without an endpoint that it has to supply', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => ({ ready: true, requeueAfter: 20 });

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 20_000 } });
    expect(world.object().status).not.toHaveProperty('initialization');
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'WaitingForControlPlaneEndpoint' });
  });

  it('B9: records a terminal failure in the failure fields and in Ready, and asks for no retry', async () => {
    const world = createProviderWorld({ contract: 'v1beta1' });
    world.given();
    world.author.reconcileNormal = () => Promise.reject(new Terminal('BadQuota', 'no quota'));

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: true } });
    expect(world.object().status).toMatchObject({ failureReason: 'BadQuota', failureMessage: 'no quota' });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'BadQuota', message: 'no quota' });
  });

  it.each([
    { field: 'failureReason', reason: 'the reason alone is enough' },
    { field: 'failureMessage', reason: 'so is the message' },
  ])('B10: does not call the author again after a terminal failure: $reason', async ({ field }) => {
    const world = createProviderWorld({ contract: 'v1beta1' });
    world.given({ object: { status: { conditions: [notPaused], [field]: 'BadQuota' } } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' }, writes: 0 });
    expect(world.author.normal).toEqual([]);
  });

  it('B11: cleans up after a terminal failure when the object is deleted', async () => {
    const world = createProviderWorld({ contract: 'v1beta1' });
    const status = { conditions: [notPaused], failureReason: 'BadQuota', failureMessage: 'no quota' };
    world.given({ object: { metadata: meta({ deletionTimestamp }), status } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.author.deletions).toHaveLength(1);
    expect(world.find()).toBeUndefined();
  });

  it('B12: writes nothing, not even a finalizer, to an object that somebody else manages', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ annotations: managed, finalizers: [] }) } });

    expect(await world.pass()).toMatchObject({ kind: 'stopped' });
    expect(world.api.calls.writes).toEqual([]);
  });

  it('B13: says by what it is paused, and calls nothing', async () => {
    const world = createProviderWorld();
    world.given({
      cluster: { spec: { paused: true, infrastructureRef: { apiGroup: 'a.example.com', kind: 'A', name: 'a' } } },
      object: { metadata: meta({ annotations: pausedAnnotation }) },
    });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.condition('Paused')).toMatchObject({
      status: 'True',
      reason: 'Paused',
      message: 'Cluster spec.paused is set to true, ExampleCluster has the cluster.x-k8s.io/paused annotation',
    });
    expect(world.author.normal).toEqual([]);
  });

  it('B14: lets an object go that never had an owner', async () => {
    const world = createProviderWorld();
    world.givenObject({ metadata: meta({ ownerReferences: [], deletionTimestamp }) });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.find()).toBeUndefined();
    expect(world.author.deletions).toEqual([]);
  });

  it('B15: comes back when the author says while the deletion is not done', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.author.reconcileDelete = async () => ({ done: false, requeueAfter: 30, message: '2 networks left' });

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 30_000 } });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'Deleting', message: '2 networks left' });
    expect(world.object().metadata.finalizers).toEqual([exampleFinalizer]);
  });

  it('B16: stays provisioned while Ready tells that the cloud broke', async () => {
    const world = createProviderWorld();
    const status = {
      conditions: [ready, { ...notPaused, observedGeneration: 1 }],
      initialization: { provisioned: true },
    };
    world.given({ object: { spec: { controlPlaneEndpoint: endpoint }, status } });
    world.author.reconcileNormal = async () => ({
      ready: false,
      conditions: [{ type: 'Ready', status: 'False', reason: 'RegionDown', message: 'eu-north-9 is dark' }],
    });

    await world.pass();

    expect(world.object().status).toMatchObject({ initialization: { provisioned: true } });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'RegionDown' });
  });
});

describe('The author of a provider', () => {
  it('asks for a later call without its being a failure, and keeps what was recorded', async () => {
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
    { status: { network: undefined }, stored: undefined, reason: 'takes away what it says is undefined' },
    { status: {}, stored: 'net-1', reason: 'keeps what it leaves out' },
  ])('$reason', async ({ status, stored }) => {
    const world = createProviderWorld();
    world.given({ object: { status: { network: 'net-1' } } });
    world.author.reconcileNormal = async () => ({ ready: false, status });

    await world.pass();
    await world.pass();

    expect(Object(world.object().status).network).toBe(stored);
  });

  it('keeps its earlier Ready when it only asks for a later call', async () => {
    const world = createProviderWorld();
    world.given({ object: { status: { conditions: [ready, { ...notPaused, observedGeneration: 1 }] } } });
    world.author.reconcileNormal = () => Promise.reject(new RequeueAfter(0));

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 1_000 }, writes: 0 });
  });

  it('fails with back-off when it throws, and keeps what was recorded', async () => {
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

  it('has nothing written of a result that is not valid', async () => {
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
    expect(seen).toMatchObject({ situation: { cluster: { metadata: { name: 'workload' } } } });
    expect(world.author.normal).toMatchObject([{ now: 7 }]);
    await world.pass();
    expect(world.author.normal[1]?.log).toBe(world.log);
  });

  it('can read, and has no verb that writes', async () => {
    const world = createProviderWorld();
    world.given();

    await world.pass();
    const client = world.author.normal[0]?.client;

    expect(Object.keys(client ?? {}).sort()).toEqual(['get', 'list', 'metadata']);
    expect(await client?.get({ ...world.ref })).toMatchObject({ ok: true });
  });

  it('has a log even where nobody listens', async () => {
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
    await world.pass(); // the endpoint moved the generation
    world.api.calls.reset();

    await world.pass();

    expect(world.author.normal).toHaveLength(3);
    expect(world.api.calls.writes).toEqual([]);
  });

  it('is asked again when somebody else wrote the object while it ran', async () => {
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

describe('The deletion of a provider object', () => {
  it('is a failure when the owner cannot be read', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.api.calls.fail({ at: 1, failure: { reason: 'Unavailable', message: 'down', retryAfterMs: 3_000 } });

    expect(await world.pass()).toMatchObject({
      result: {
        kind: 'failed',
        error: {
          message: 'Reading the Cluster that owns ExampleCluster default/example failed: down',
          retryAfterMs: 3_000,
        },
      },
    });
    expect(world.author.deletions).toEqual([]);
  });

  it('calls the author without a Cluster when that is gone and something may have been made', async () => {
    const world = createProviderWorld();
    world.givenObject({
      metadata: meta({ deletionTimestamp }),
      status: {
        conditions: [
          { ...ready, status: 'False', reason: 'Creating' },
          { ...notPaused, observedGeneration: 1 },
        ],
      },
    });

    await world.pass();

    expect(world.author.deletions).toMatchObject([{ cluster: undefined }]);
    expect(world.find()).toBeUndefined();
  });

  it('needs no author when the Cluster is gone before anything was made', async () => {
    const world = createProviderWorld();
    world.givenObject({ metadata: meta({ deletionTimestamp }) });

    await world.pass();

    expect(world.author.deletions).toEqual([]);
    expect(world.find()).toBeUndefined();
  });

  it('is over for us once our finalizer is gone', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp, finalizers: ['other.example.com/hold'] }) } });

    expect(await world.pass()).toMatchObject({ kind: 'stopped' });
  });

  it('shows on an object that somebody else still holds', async () => {
    const world = createProviderWorld();
    const finalizers = ['other.example.com/hold', exampleFinalizer];
    world.given({ object: { metadata: meta({ deletionTimestamp, finalizers }) } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.object().metadata.finalizers).toEqual(['other.example.com/hold']);
    expect(world.condition('Ready')).toMatchObject({ reason: 'Deleting' });
  });

  it('waits while paused', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp, annotations: pausedAnnotation }) } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.author.deletions).toEqual([]);
  });

  it.each([
    { answer: async () => ({ done: false }), result: { kind: 'requeueAfter', ms: 5_000 }, reason: '5 s by default' },
    {
      answer: () => Promise.reject(new RequeueAfter(9)),
      result: { kind: 'requeueAfter', ms: 9_000 },
      reason: 'the author throws the delay',
    },
    {
      answer: () => Promise.reject(new Error('boom')),
      result: { kind: 'failed', terminal: false, error: { message: 'boom' } },
      reason: 'a failure backs off',
    },
    {
      answer: () => Promise.reject(new Terminal('Stuck', 'stuck')),
      result: { kind: 'failed', terminal: false, error: { message: 'stuck' } },
      reason: 'nothing is terminal about a deletion',
    },
  ])('keeps the finalizer until it is done: $reason', async ({ answer, result }) => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.author.reconcileDelete = answer;

    expect(await world.pass()).toMatchObject({ result });
    expect(world.object().metadata.finalizers).toEqual([exampleFinalizer]);
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'Deleting' });
  });

  it.each([
    { answer: { gone: true }, reason: 'it does not say whether it is done' },
    { answer: { done: true, status: { phase: 'gone' } }, reason: 'it holds a field that is not declared' },
  ])('fails on a result that is not valid: $reason', async ({ answer }) => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.author.reconcileDelete = async () => answer;

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false } });
    expect(world.object().metadata.finalizers).toEqual([exampleFinalizer]);
  });

  it('is tried again when the finalizer cannot be removed', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.api.calls.fail({
      at: call => call.verb === 'patch' && call.subresource === undefined,
      failure: { reason: 'Forbidden', message: 'no' },
    });

    expect(await world.pass()).toMatchObject({
      result: {
        kind: 'failed',
        error: { message: 'Removing the finalizer of ExampleCluster default/example failed: no' },
      },
    });
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

it('fails, and calls nothing, while the owning Cluster is missing', async () => {
  const world = createProviderWorld();
  world.givenObject({});

  expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false }, writes: 0 });
  expect(world.author.normal).toEqual([]);
});

it('takes the owner of the Cluster kind, in any version, among other owners', async () => {
  const world = createProviderWorld();
  const foreign = { ...clusterOwner, apiVersion: 'other.example.com/v1', name: 'other' };
  const old = { ...clusterOwner, apiVersion: 'cluster.x-k8s.io/v1alpha3' };
  world.api.given(aCluster());
  world.givenObject({
    metadata: meta({ ownerReferences: [foreign, { ...old, kind: 'Machine', name: 'other' }, old] }),
  });

  await world.pass();

  expect(world.author.normal).toHaveLength(1);
});

function aPass() {
  return { number: 1, now: 0, signal: new AbortController().signal };
}

function meta(change: object) {
  return { name: 'example', uid: '', resourceVersion: '', ...change };
}
