// The requests of a settled ClusterResourceSet and of its binding.
import { describe, expect, it } from 'vitest';
import { createBindingReconciler } from '../../../../functions/clusterresourcesetbinding/reconciler.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import {
  aSet,
  bindingRef,
  configMap,
  kubeconfigOf,
  manifest,
  matchingCluster,
  reconcilingSet,
  secret,
} from './set-objects.ts';
import { addNamespace, aWorld, clusterIn, run } from './set-with-workload-clusters.ts';

async function settle(set: ReturnType<typeof aSet>, clusters: number) {
  const names = Array.from({ length: clusters }, (_, index) => `c${index + 1}`);
  const resources = [configMap({ a: manifest('w1') }), secret({ b: manifest('w2') })];
  const world = await aWorld(set, [
    ...resources,
    ...names.flatMap(name => [matchingCluster(name), kubeconfigOf(name)]),
  ]);
  for (const name of names) {
    await addNamespace(world, 'w', name);
  }
  expect((await run(world)).condition).toBe('True/Applied');
  return { world, sent: () => names.reduce((sum, name) => sum + clusterIn(world, name).sent, 0) };
}

describe('the requests of a settled ClusterResourceSet with two resources', () => {
  it.each([
    { clusters: 1, requests: 5, reason: 'the binding of each Cluster is read' },
    { clusters: 10, requests: 14, reason: 'the binding of each Cluster is read' },
    { clusters: 11, requests: 5, reason: 'all bindings are listed' },
    { clusters: 200, requests: 5, reason: 'all bindings are listed' },
  ])('are $requests with $clusters Clusters, and none to them: $reason', async ({ clusters, requests }) => {
    const { world, sent } = await settle(aSet(), clusters);
    const before = sent();
    const pass = await run(world);
    expect([pass.written, pass.result]).toEqual([[], 'done']);
    expect(world.api.calls.all).toHaveLength(requests);
    expect(world.api.calls.all.map(({ verb, kind }) => `${verb} ${kind}`)).toContain('metadata Secret');
    expect(sent()).toBe(before);
  });

  it('are as many with the strategy Reconcile, which reads the content of Secrets', async () => {
    const { world, sent } = await settle(reconcilingSet(), 3);
    const before = sent();
    const pass = await run(world);
    expect([pass.written, pass.result]).toEqual([[], 'requeueAfter 600000']);
    expect(world.api.calls.all).toHaveLength(7);
    expect(world.api.calls.all.map(({ verb, kind }) => `${verb} ${kind}`)).toContain('get Secret');
    expect(sent()).toBe(before);
  });
});

it('a settled binding is read with its Cluster', async () => {
  const { world } = await settle(aSet(), 1);
  const { api } = world;
  const requests = async () => {
    api.calls.reset();
    await reconcile(
      {
        reconciler: createBindingReconciler(false),
        kubernetes: api.kubernetes,
        ports: {},
        clock: api.clock,
        signal: new AbortController().signal,
        log: aRecordingLog(),
        watchFilter: '',
      },
      bindingRef(),
    );
    return api.calls.all.map(({ verb, kind }) => `${verb} ${kind}`);
  };
  await requests();
  expect(await requests()).toEqual(['get ClusterResourceSetBinding', 'get Cluster']);
});
