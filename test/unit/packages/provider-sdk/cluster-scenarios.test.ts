import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { RequeueAfter, Terminal } from '../../../../packages/provider-sdk/errors.ts';
import { toFollowUpOf } from '../../../support/follow-ups.ts';
import { actuatorFinalizer, createActuatorWorld } from '../../../support/scripted-actuator.ts';
import { aCluster } from '../../../support/scripted-provider.ts';

const deletionTimestamp = '2026-01-01T00:00:00Z';
const held = { finalizers: [actuatorFinalizer] };
const deleting = { ...held, deletionTimestamp };

describe('A cluster actuator', () => {
  it('stores its finalizer before the author is called', async () => {
    const world = createActuatorWorld();
    world.given({ finalizers: ['other.example.com/hold'] });

    expect(await world.pass()).toMatchObject({ result: { kind: 'again' }, writes: 1 });
    expect(world.object().metadata.finalizers).toEqual(['other.example.com/hold', actuatorFinalizer]);
    expect(world.author.reconciled).toEqual([]);
  });

  it('calls the author once and requests no requeue', async () => {
    const world = createActuatorWorld();
    world.given(held);

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' }, writes: 0 });
    expect(world.author.reconciled).toHaveLength(1);
  });

  it.each([
    { thrown: new RequeueAfter(7), reason: 'thrown' },
    {
      thrown: new Error('the cloud', { cause: new RequeueAfter(7) }),
      reason: 'the cause of another error',
    },
    { thrown: new Error('requeue in: 7s'), reason: 'by the text of the first generation' },
    { thrown: new Error('not yet: requeue in: 0h6.5s500ms'), reason: 'by a duration of several parts' },
  ])('requests a call after exactly that time, which is not a failure: $reason', async ({ thrown }) => {
    const world = createActuatorWorld();
    world.given(held);
    world.author.reconcile = () => Promise.reject(thrown);

    const end = await world.pass();

    expect(end).toMatchObject({ result: { kind: 'requeueAfter', ms: 7_000 } });
    expect(toFollowUpOf(end, 3)).toMatchObject({ attempt: 0 });
  });

  it('treats a returned intent as a thrown one', async () => {
    const world = createActuatorWorld();
    world.given(held);
    world.author.reconcile = async () => new RequeueAfter(7);

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 7_000 } });
  });

  it('increases the back-off with each failure, and resets it on success', async () => {
    const world = createActuatorWorld();
    world.given(held);
    const outcomes = [new Error('boom'), new Error('boom'), undefined];
    world.author.reconcile = () => {
      const next = outcomes.shift();
      return next === undefined ? Promise.resolve(undefined) : Promise.reject(next);
    };

    const first = toFollowUpOf(await world.pass(), 0);
    const second = toFollowUpOf(await world.pass(), first?.attempt ?? 0);
    const third = toFollowUpOf(await world.pass(), second?.attempt ?? 0);

    expect([first?.attempt, second?.attempt, third]).toEqual([1, 2, undefined]);
    expect(second?.delayMs).toBeGreaterThan(first?.delayMs ?? Number.POSITIVE_INFINITY);
  });

  it("ignores another actuator's Cluster that is being deleted", async () => {
    const world = createActuatorWorld();
    world.given({ deletionTimestamp, finalizers: ['other.example.com/hold'] });

    expect(await world.pass()).toMatchObject({ kind: 'stopped' });
    expect([...world.author.reconciled, ...world.author.deleted]).toEqual([]);
  });

  it('deletes the children first, each after its dependents', async () => {
    const world = createActuatorWorld();
    world.given(deleting);
    world.givenChild({ finalizers: ['machine.cluster.k8s.io'] });
    world.givenChild({ kind: 'MachineSet', name: 'set', finalizers: ['hold.example.com/a'] });

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 5_000 }, writes: 2 });
    expect(world.child()?.metadata.deletionTimestamp).toBeDefined();
    expect(world.child()?.metadata.finalizers).toContain('foregroundDeletion');
    expect(world.child('MachineSet', 'set')?.metadata.deletionTimestamp).toBeDefined();
    expect(world.author.deleted).toEqual([]);
  });

  it('does not delete a child twice', async () => {
    const world = createActuatorWorld();
    world.given(deleting);
    world.givenChild({ finalizers: ['machine.cluster.k8s.io'], deletionTimestamp });

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 5_000 }, writes: 0 });
    expect(world.author.deleted).toEqual([]);
  });

  it('removes its finalizer once the author is done', async () => {
    const world = createActuatorWorld();
    world.given(deleting);

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.author.deleted).toHaveLength(1);
    expect(world.find()).toBeUndefined();
  });

  it.each([
    { thrown: new Error('boom'), result: { kind: 'failed', terminal: false }, reason: 'a failure' },
    { thrown: new RequeueAfter(9), result: { kind: 'requeueAfter', ms: 9_000 }, reason: 'not done yet' },
    { thrown: new Terminal('Stuck', 'stuck'), result: { kind: 'failed', terminal: false }, reason: 'never terminal' },
  ])('keeps its finalizer until the author is done: $reason', async ({ thrown, result }) => {
    const world = createActuatorWorld();
    world.given(deleting);
    world.author.delete = () => Promise.reject(thrown);

    expect(await world.pass()).toMatchObject({ result });
    expect(world.object().metadata.finalizers).toEqual([actuatorFinalizer]);
    expect(world.object()).not.toHaveProperty('status.errorReason');
  });

  it('reads again when another writer changed the Cluster before the finalizer was removed', async () => {
    const world = createActuatorWorld();
    world.given(deleting);
    world.api.calls.fail({
      at: call => call.verb === 'patch',
      times: 1,
      failure: { reason: 'Conflict', message: 'the object has been modified' },
    });

    expect(await world.reconcile()).toMatchObject({ result: { kind: 'done' } });
    expect(world.find()).toBeUndefined();
  });

  it('ignores objects that only have the label of a child', async () => {
    const world = createActuatorWorld();
    world.given(deleting);
    world.givenChild({ owner: 'another' });

    await world.pass();

    expect(world.author.deleted).toHaveLength(1);
    expect(world.child()?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('Children', () => {
  it('are named when they cannot be deleted', async () => {
    const world = createActuatorWorld();
    world.given(deleting);
    world.givenChild();
    world.api.calls.fail({ at: call => call.verb === 'delete', failure: { reason: 'Forbidden', message: 'no' } });

    expect(await world.pass()).toMatchObject({
      result: {
        kind: 'failed',
        error: {
          message: 'deleting cluster old: failed to delete cluster.k8s.io/v1alpha1, Kind=Machine m1: no',
        },
      },
    });
  });

  it('stop the deletion while they cannot be listed', async () => {
    const world = createActuatorWorld();
    world.given(deleting);
    const failure = { reason: 'Unavailable', message: 'down', retryAfterMs: 3_000 } as const;
    world.api.calls.fail({ at: call => call.verb === 'list' && call.kind === 'Machine', failure });

    expect(await world.pass()).toMatchObject({
      result: {
        kind: 'failed',
        error: { message: 'Listing each Machine of Cluster default/old failed: down', retryAfterMs: 3_000 },
      },
    });
    expect(world.author.deleted).toEqual([]);
  });
});

it('requires that the named kinds of its children are served', async () => {
  const world = createActuatorWorld({ children: ['MachinePool'] });
  world.given(deleting);

  expect(await world.pass()).toMatchObject({
    result: { kind: 'failed', error: { message: expect.stringContaining('; the option children names the kinds') } },
  });
  expect(world.author.deleted).toEqual([]);
});

describe('A terminal failure of an actuator', () => {
  it('is stored, and neither retried nor called again for a later event', async () => {
    const world = createActuatorWorld();
    world.given(held);
    world.author.reconcile = () => Promise.reject(new Terminal('CreateError', 'no quota'));

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: true } });
    expect(world.object().status).toEqual({ errorReason: 'CreateError', errorMessage: 'no quota' });
    expect(await world.pass()).toMatchObject({ result: { kind: 'done' }, writes: 0 });
    expect(world.author.reconciled).toHaveLength(1);
  });

  it('does not block the deletion', async () => {
    const world = createActuatorWorld();
    world.given(deleting, { status: { errorReason: 'CreateError' } });

    await world.pass();

    expect(world.find()).toBeUndefined();
  });
});

describe('The author of an actuator', () => {
  it('has its status stored even when it fails', async () => {
    const world = createActuatorWorld();
    world.given(held);
    world.author.reconcile = async ({ patchStatus }) => {
      patchStatus({ network: 'net-1' });
      throw new Error('boom');
    };

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false } });
    expect(world.object().status).toEqual({ network: 'net-1' });
  });

  it('receives the parsed spec, and is not called with an invalid one', async () => {
    const spec = z.object({ zones: z._default(z.int(), 3) });
    const world = createActuatorWorld({ spec, status: z.object({ network: z.string() }) });
    world.given(held, { spec: {} });

    await world.pass();
    await world.api.others.mergePatch(world.ref, { spec: { zones: 'many' } });

    expect(world.author.reconciled).toMatchObject([{ spec: { zones: 3 }, status: {} }]);
    expect(await world.pass()).toMatchObject({
      result: { kind: 'failed', terminal: true, error: { message: 'spec: zones: expected number' } },
    });
    expect(world.author.reconciled).toHaveLength(1);
  });
});

it.each([
  {
    change: { group: 'cluster.x-k8s.io' },
    problem: /finalizer: cluster\.cluster\.x-k8s\.io is that of Cluster API itself/,
  },
  { change: { status: ['errorReason'] }, problem: /status: errorReason is written by the SDK itself/ },
  { change: { children: ['machines'] }, problem: /children\.0: must be a kind in PascalCase/ },
])('refuses options that cannot work: $problem', ({ change, problem }) => {
  expect(() => createActuatorWorld(change)).toThrow(problem);
});

it('runs from creation to deletion without writes to Clusters of Cluster API', async () => {
  const world = createActuatorWorld();
  const [ours] = world.api.given(
    aCluster({ metadata: { name: 'old', namespace: 'default', uid: 'x', resourceVersion: '' } }),
  );
  const ourRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name: 'old' };
  world.given();
  world.givenChild();

  expect(await world.reconcile()).toMatchObject({ result: { kind: 'done' } });
  await world.api.others.delete(world.ref);
  expect(await world.reconcile()).toMatchObject({ result: { kind: 'requeueAfter', ms: 5_000 } });
  // The garbage collector finds no dependents of the child.
  await world.api.others.mergePatch(world.childRef, { metadata: { finalizers: [] } });
  expect(await world.reconcile()).toMatchObject({ result: { kind: 'done' } });

  expect(world.find()).toBeUndefined();
  expect(world.author.deleted).toHaveLength(1);
  expect(world.api.read(ourRef)).toEqual(ours);
});
