// The deletion of a provider object.
import { describe, expect, it } from 'vitest';
import { RequeueAfter, Terminal } from '../../../../packages/provider-sdk/errors.ts';
import { createProviderWorld, exampleFinalizer, notPaused } from '../../../support/scripted-provider.ts';
import { deletionTimestamp, meta, pausedAnnotation, ready } from './scenario-objects.ts';

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

  it('calls the author without a Cluster when it is deleted and something may have been created', async () => {
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

  it('does not call the author when the Cluster is deleted before anything was created', async () => {
    const world = createProviderWorld();
    world.givenObject({ metadata: meta({ deletionTimestamp }) });

    await world.pass();

    expect(world.author.deletions).toEqual([]);
    expect(world.find()).toBeUndefined();
  });

  it('is done for the provider once its finalizer is removed', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp, finalizers: ['other.example.com/hold'] }) } });

    expect(await world.pass()).toMatchObject({ kind: 'stopped' });
  });

  it('is reported on an object with a finalizer of another controller', async () => {
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
      reason: 'a deletion has no terminal failure',
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
    { answer: { gone: true }, reason: 'it does not report whether it is done' },
    { answer: { done: true, status: { phase: 'gone' } }, reason: 'it holds a field that is not declared' },
  ])('fails on a result that is not valid: $reason', async ({ answer }) => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.author.reconcileDelete = async () => answer;

    expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false } });
    expect(world.object().metadata.finalizers).toEqual([exampleFinalizer]);
  });

  it('is retried when the finalizer cannot be removed', async () => {
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
