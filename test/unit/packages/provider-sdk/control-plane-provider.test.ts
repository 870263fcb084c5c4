import { describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../packages/apimachinery/object.ts';
import { createProviderWorld } from '../../../support/scripted-provider.ts';

const endpoint = { host: 'api.example.com', port: 6443 };
const provisioned: Partial<Unstructured> = {
  spec: { controlPlaneEndpoint: endpoint },
  status: { initialization: { infrastructureProvisioned: true } },
};
const running = {
  initialized: true,
  available: true,
  version: 'v1.35.0',
  versions: [{ version: 'v1.35.0', replicas: 3 }],
  counts: { replicas: 3, ready: 3, available: 2, upToDate: 1 },
};

describe('A control plane provider of the SDK', () => {
  it.each([
    { cluster: { spec: { controlPlaneEndpoint: endpoint } }, waitsFor: 'WaitingForInfrastructure' },
    { cluster: { spec: { paused: false }, status: provisioned['status'] }, waitsFor: 'WaitingForControlPlaneEndpoint' },
  ])('is not called before its Cluster is far enough: $waitsFor', async ({ cluster, waitsFor }) => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'fromCluster' });
    world.given({ cluster });

    expect(await world.pass()).toMatchObject({ result: { kind: 'done' } });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: waitsFor });
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: waitsFor });
    expect(world.author.normal).toEqual([]);
  });

  it('publishes flag, versions and counters under contract v1beta2', async () => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'fromCluster' });
    world.given({ cluster: provisioned });
    world.author.reconcileNormal = async () => running;

    await world.pass();

    expect(world.object().status).toMatchObject({
      initialization: { controlPlaneInitialized: true },
      version: 'v1.35.0',
      versions: [{ version: 'v1.35.0', replicas: 3 }],
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 2,
      upToDateReplicas: 1,
    });
    expect(world.condition('Available')).toMatchObject({ status: 'True', reason: 'Available' });
    expect(world.condition('Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
  });

  it.each([
    { spec: { replicas: 5 }, unavailable: 3, reason: 'desired minus available' },
    { spec: { replicas: 1 }, unavailable: 0, reason: 'never below 0' },
    { spec: {}, unavailable: 1, reason: 'the running replicas are the default of the desired ones' },
  ])('counts missing replicas in contract v1beta1: $reason', async ({ spec, unavailable }) => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'provided', contract: 'v1beta1' });
    world.given({ cluster: provisioned, object: { spec: { controlPlaneEndpoint: endpoint, ...spec } } });
    world.author.reconcileNormal = async () => running;

    await world.pass();

    expect(world.object().status).toMatchObject({
      initialized: true,
      ready: true,
      replicas: 3,
      readyReplicas: 3,
      unavailableReplicas: unavailable,
      updatedReplicas: 1,
    });
  });

  it('stays initialized while it is not available', async () => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'fromCluster' });
    world.given({ cluster: provisioned });
    world.author.reconcileNormal = async () => running;
    await world.pass();
    world.author.reconcileNormal = async () => ({
      initialized: false,
      available: false,
      conditions: [{ type: 'Available', status: 'False', reason: 'EtcdDown', message: 'no quorum' }],
    });

    await world.pass();

    expect(world.object().status).toMatchObject({
      initialization: { controlPlaneInitialized: true },
      version: 'v1.35.0',
    });
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: 'EtcdDown' });
    expect(world.condition('Ready')).toMatchObject({ status: 'False', reason: 'NotReady' });
  });

  it('lists no versions when nothing runs', async () => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'fromCluster' });
    world.given({ cluster: provisioned });
    world.author.reconcileNormal = async () => running;
    await world.pass();
    world.author.reconcileNormal = async () => ({ ...running, available: false, versions: [] });

    await world.pass();

    expect(world.object().status).not.toHaveProperty('versions');
  });

  it('is not initialized without an endpoint that it must supply', async () => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'provided' });
    world.given({ cluster: provisioned });
    world.author.reconcileNormal = async () => ({ initialized: true, available: false });

    await world.pass();

    expect(world.object().status).not.toHaveProperty('initialization');
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: 'WaitingForControlPlaneEndpoint' });
  });

  it('supplies the endpoint if it must', async () => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'provided' });
    world.given({ cluster: provisioned });
    world.author.reconcileNormal = async () => ({ ...running, endpoint });

    await world.pass();

    expect(world.object().spec).toEqual({ controlPlaneEndpoint: endpoint });
    expect(world.object().status).toMatchObject({ initialization: { controlPlaneInitialized: true } });
  });

  it.each([
    {
      result: { ...running, endpoint },
      problem: /endpoint: the Cluster supplies it/,
      reason: 'a field of another role',
    },
    { result: { ...running, counts: { ...running.counts, ready: -1 } }, problem: /counts\.ready/, reason: 'no count' },
    { result: { available: true }, problem: /initialized/, reason: 'incomplete' },
    {
      result: { ...running, conditions: [{ type: 'Available', status: 'False', reason: 'No' }] },
      problem: /Available is False, which contradicts the result/,
      reason: 'contradicts itself',
    },
  ])('fails on a result that is $reason', async ({ result, problem }) => {
    const world = createProviderWorld({ role: 'controlPlane', endpoint: 'fromCluster' });
    world.given({ cluster: provisioned });
    world.author.reconcileNormal = async () => result;

    await world.pass();

    expect(world.condition('Ready')).toMatchObject({
      reason: 'ReconcileError',
      message: expect.stringMatching(problem),
    });
    expect(world.object().status).not.toHaveProperty('initialization');
  });
});
