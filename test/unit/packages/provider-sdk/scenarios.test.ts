import { describe, expect, it } from 'vitest';
import { Terminal } from '../../../../packages/provider-sdk/errors.ts';
import {
  aCluster,
  clusterOwner,
  createProviderWorld,
  exampleFinalizer,
  notPaused,
} from '../../../support/scripted-provider.ts';
import { deletionTimestamp, domains, endpoint, meta, pausedAnnotation, ready } from './scenario-objects.ts';

const managed = { 'cluster.x-k8s.io/managed-by': 'terraform' };

describe('An infrastructure provider of the SDK', () => {
  it('ignores an object without an owner', async () => {
    const world = createProviderWorld();
    world.givenObject({ metadata: meta({ ownerReferences: [], finalizers: [] }) });

    expect(await world.pass()).toEqual({
      kind: 'stopped',
      reason: 'Waiting for Cluster Controller to set OwnerRef on ExampleCluster',
    });
    expect(world.api.calls.writes).toEqual([]);
    expect(world.author.normal).toEqual([]);
  });

  it('stores its finalizer, and nothing else, before it does anything for an owned object', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ finalizers: ['other.example.com/hold'] }), status: {} } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'again' }, writes: 1 });
    expect(world.object().metadata.finalizers).toEqual(['other.example.com/hold', exampleFinalizer]);
    expect(world.object().status ?? {}).toEqual({});
    expect(world.author.normal).toEqual([]);
  });

  it('stores that it is not paused, and nothing else, in the pass after the finalizer', async () => {
    const world = createProviderWorld();
    world.given({ object: { status: {} } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'again' }, writes: 1 });
    expect(world.object().status).toEqual({
      conditions: [{ ...notPaused, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
    expect(world.author.normal).toEqual([]);
  });

  it('waits for the endpoint of the Cluster where the provider does not supply one', async () => {
    const world = createProviderWorld({ endpoint: 'fromCluster' });
    world.given();

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'WaitingForControlPlaneEndpoint' });
    expect(world.author.normal).toEqual([]);
  });

  it('calls the author once the Cluster has an endpoint', async () => {
    const world = createProviderWorld({ endpoint: 'fromCluster' });
    world.given({ cluster: { spec: { controlPlaneEndpoint: endpoint } } });

    await world.pass();

    expect(world.author.normal).toHaveLength(1);
    expect(world.author.normal[0]?.cluster.spec).toEqual({ controlPlaneEndpoint: endpoint });
  });

  it('publishes endpoint, list of failure domains and the provisioned flag, the flag last', async () => {
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

  it('publishes a map of failure domains and status.ready under contract v1alpha3', async () => {
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

  it('does not count as provisioned without an endpoint that it has to supply', async () => {
    const world = createProviderWorld();
    world.given();
    world.author.reconcileNormal = async () => ({ ready: true, requeueAfter: 20 });

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 20_000 } });
    expect(world.object().status).not.toHaveProperty('initialization');
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'WaitingForControlPlaneEndpoint' });
  });

  it('records a terminal failure in the failure fields and in Ready, and requests no retry', async () => {
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
  ])('does not call the author again after a terminal failure: $reason', async ({ field }) => {
    const world = createProviderWorld({ contract: 'v1beta1' });
    world.given({ object: { status: { conditions: [notPaused], [field]: 'BadQuota' } } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' }, writes: 0 });
    expect(world.author.normal).toEqual([]);
  });

  it('cleans up after a terminal failure when the object is deleted', async () => {
    const world = createProviderWorld({ contract: 'v1beta1' });
    const status = { conditions: [notPaused], failureReason: 'BadQuota', failureMessage: 'no quota' };
    world.given({ object: { metadata: meta({ deletionTimestamp }), status } });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.author.deletions).toHaveLength(1);
    expect(world.find()).toBeUndefined();
  });

  it('writes nothing, not even a finalizer, to an object that another controller manages', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ annotations: managed, finalizers: [] }) } });

    expect(await world.pass()).toMatchObject({ kind: 'stopped' });
    expect(world.api.calls.writes).toEqual([]);
  });

  it('reports the cause of the pause, and calls nothing', async () => {
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

  it('removes the finalizer of an object that never had an owner', async () => {
    const world = createProviderWorld();
    world.givenObject({ metadata: meta({ ownerReferences: [], deletionTimestamp }) });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.find()).toBeUndefined();
    expect(world.author.deletions).toEqual([]);
  });

  it('requeues after the requested delay while the deletion is not done', async () => {
    const world = createProviderWorld();
    world.given({ object: { metadata: meta({ deletionTimestamp }) } });
    world.author.reconcileDelete = async () => ({ done: false, requeueAfter: 30, message: '2 networks left' });

    expect(await world.pass()).toMatchObject({ result: { kind: 'requeueAfter', ms: 30_000 } });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'Deleting', message: '2 networks left' });
    expect(world.object().metadata.finalizers).toEqual([exampleFinalizer]);
  });

  it('stays provisioned while Ready reports a failure of the cloud', async () => {
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

it('fails, and calls nothing, while the owning Cluster is missing', async () => {
  const world = createProviderWorld();
  world.givenObject({});

  expect(await world.pass()).toMatchObject({ result: { kind: 'failed', terminal: false }, writes: 0 });
  expect(world.author.normal).toEqual([]);
});

it('selects the owner of kind Cluster, in any version, among other owners', async () => {
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
