// The scenarios of ClusterResourceSets: what is applied, and what is recorded.
import { valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  aBinding,
  aFreshSet,
  aSet,
  bindingRef,
  configMap,
  finalizer,
  kubeconfigOf,
  manifest,
  matchingCluster,
  paused,
  secret,
  setRef,
} from './set-objects.ts';
import {
  addNamespace,
  appliedData,
  aWorld,
  bindingText,
  changeData,
  clusterIn,
  ownersOf,
  run,
  runAgain,
  usualObjects,
} from './set-with-workload-clusters.ts';

const clusterRef = (name = 'c1') => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  namespace: 'ns',
  name,
});
const deletingCluster = () => matchingCluster().withFinalizers('cluster.cluster.x-k8s.io').deleting();

const applied = ['r1: ConfigMap cm1 applied, Secret s1 applied'];

describe('a ClusterResourceSet', () => {
  it('gets its finalizer, then its Paused condition', async () => {
    const world = await aWorld(aFreshSet());
    const first = await run(world, 'r1', 1);
    expect([first.set?.metadata.finalizers, first.paused]).toEqual([[finalizer], undefined]);
    const second = await run(world, 'r1', 1);
    expect([second.paused, second.written]).toEqual(['False/NotPaused', ['patch ClusterResourceSet ns/r1']]);
  });

  it('that is paused writes nothing else, in deletion either', async () => {
    const world = await aWorld(
      aSet()
        .annotated({ [paused]: '' })
        .deleting(),
    );
    const pass = await run(world);
    expect(pass.paused).toBe('True/Paused ClusterResourceSet has the cluster.x-k8s.io/paused annotation');
    expect(pass.set?.metadata.finalizers).toEqual([finalizer]);
    expect((await run(world)).written).toEqual([]);
  });

  it('applies the objects, and records them', async () => {
    const world = await aWorld(aSet());
    const pass = await run(world);
    expect(pass.defect).toBeUndefined();
    expect(pass.sent).toEqual(['create ConfigMap w/w1', 'create ConfigMap w/w2']);
    expect(bindingText(world)).toEqual(applied);
    expect(ownersOf(world, 'ConfigMap', 'cm1')).toEqual(['ClusterResourceSet r1']);
    expect(ownersOf(world, 'Secret', 's1')).toEqual(['ClusterResourceSet r1']);
    expect(ownersOf(world, 'ClusterResourceSetBinding', 'c1')).toEqual(['ClusterResourceSet r1']);
    expect([pass.condition, pass.v1beta1, pass.result]).toEqual(['True/Applied', 'True', 'done']);
    expect(pass.set?.status).toMatchObject({ observedGeneration: 1 });
    expect(await appliedData(world, 'w1')).toEqual({ k: 'v' });
  });

  it('that is settled writes nothing, and asks no workload cluster', async () => {
    const world = await aWorld(aSet());
    await run(world);
    const before = clusterIn(world).sent;
    const pass = await run(world);
    expect([pass.written, pass.sent, pass.result]).toEqual([[], [], 'done']);
    expect(clusterIn(world).sent).toBe(before);
  });
});

describe('the Clusters of a ClusterResourceSet', () => {
  it('keep what was applied if they no longer match', async () => {
    const world = await aWorld(aSet());
    await run(world);
    await world.api.others.mergePatch(clusterRef(), { metadata: { labels: { app: null } } });
    const pass = await run(world);
    expect([pass.written, pass.sent, pass.condition]).toEqual([[], [], 'True/Applied']);
    expect(bindingText(world)).toEqual(applied);
  });

  it('get a binding each', async () => {
    const world = await aWorld(aSet());
    await run(world);
    world.api.given(matchingCluster('c2'), kubeconfigOf('c2'));
    await addNamespace(world, 'w', 'c2');
    const pass = await run(world);
    expect(pass.written).toEqual(['create ClusterResourceSetBinding ns/c2', 'patch ClusterResourceSetBinding ns/c2']);
    expect(bindingText(world, 'c2')).toEqual(applied);
    expect(await appliedData(world, 'w2', 'c2')).toEqual({ k: 'v' });
  });

  it('are not visited in deletion', async () => {
    const world = await aWorld(aSet(), [configMap({ a: manifest('w1') }), deletingCluster(), kubeconfigOf()]);
    const pass = await run(world);
    expect([pass.result, pass.sent, pass.condition]).toEqual(['done', [], undefined]);
    expect(bindingText(world)).toBeUndefined();
  });

  it('are visited while they are paused', async () => {
    const world = await aWorld(aSet(), usualObjects(matchingCluster().withSpec({ paused: true })));
    expect((await run(world)).condition).toBe('True/Applied');
  });

  it('are none for an empty selector', async () => {
    const world = await aWorld(aSet().withSpec({ clusterSelector: {} }));
    const pass = await run(world);
    expect([pass.result, pass.condition, pass.sent]).toEqual(['done', undefined, []]);
    expect(pass.set?.status).toMatchObject({ observedGeneration: 1 });
  });

  it('cannot be found with an invalid selector', async () => {
    const matchExpressions = [{ key: 'app', operator: 'Foo' }];
    const world = await aWorld(aSet().withSpec({ clusterSelector: { matchExpressions } }));
    const pass = await run(world);
    const problem = 'unable to convert selector: "Foo" is not a valid label selector operator';
    expect(pass.result).toBe(problem);
    expect(pass.condition).toBe('False/InternalError Please check controller logs for errors');
    expect(pass.v1beta1).toBe(`False/Warning/ClusterMatchFailed ${problem}`);
    expect(pass.set?.status).not.toHaveProperty('observedGeneration');
  });

  it('cannot be found if their list fails', async () => {
    const world = await aWorld(aSet());
    world.api.calls.fail({ at: ({ verb, kind }) => verb === 'list' && kind === 'Cluster', failure: boom });
    const pass = await runAgain(world);
    expect([pass.result, pass.v1beta1]).toEqual([
      'failed to list clusters: boom',
      'False/Warning/ClusterMatchFailed failed to list clusters: boom',
    ]);
  });

  it.each([
    { count: 1, verbs: ['get'] },
    { count: 10, verbs: ['get'] },
    { count: 11, verbs: ['list'] },
  ])(
    'are blocked if the bindings of $count Clusters cannot be read, and the condition is kept',
    async ({ count, verbs }) => {
      const others = Array.from({ length: count - 1 }, (_, index) => matchingCluster(`d${index}`));
      const world = await aWorld(aSet(), [...usualObjects(), ...others]);
      world.api.calls.fail({ at: ({ kind }) => kind.endsWith('Binding'), failure: boom });
      const pass = await runAgain(world);
      expect([pass.result, pass.condition, pass.written]).toEqual(['boom', undefined, []]);
      const asked = world.api.calls.all.filter(({ kind }) => kind.endsWith('Binding'));
      expect(new Set(asked.map(({ verb }) => verb))).toEqual(new Set(verbs));
    },
  );
});

describe('a resource', () => {
  it('that is missing is reported, and the others are applied', async () => {
    const world = await aWorld(aSet(), [secret({ b: manifest('w2') }), matchingCluster(), kubeconfigOf()]);
    const pass = await run(world);
    expect(pass.sent).toEqual(['create ConfigMap w/w2']);
    expect([pass.result, pass.condition, pass.v1beta1]).toEqual([
      'done',
      'False/InternalError Please check controller logs for errors',
      'False/Warning/RetrievingResourceFailed configmaps "cm1" not found',
    ]);
    expect(bindingText(world)).toEqual(['r1: Secret s1 applied']);
    expect((await run(world)).written).toEqual([]);
    world.api.given(configMap({ a: manifest('w1') }));
    const next = await run(world);
    expect([next.sent, next.condition]).toEqual([['create ConfigMap w/w1'], 'True/Applied']);
    expect(ownersOf(world, 'ConfigMap', 'cm1')).toEqual(['ClusterResourceSet r1']);
  });

  it('that is a missing Secret is read again: after 15 s, then after half of the time for which it is missing', async () => {
    const world = await aWorld(aSet(), [configMap({ a: manifest('w1') }), matchingCluster(), kubeconfigOf()]);
    expect((await run(world)).result).toBe('requeueAfter 15000');
    await world.api.clock.advance(100_000);
    expect((await run(world)).result).toBe('requeueAfter 50000');
    await world.api.clock.advance(10_000_000);
    expect((await run(world)).result).toBe('requeueAfter 600000');
  });

  it('that is a Secret of another type ends the work', async () => {
    const objects = [configMap({ a: manifest('w1') }), secret({ b: manifest('w2') }, 'Opaque')];
    const world = await aWorld(aSet(), [...objects, matchingCluster(), kubeconfigOf()]);
    const pass = await run(world);
    expect([pass.result, pass.retryAfterMs, pass.condition, pass.v1beta1]).toEqual([
      'unsupported secret type',
      15_000,
      'False/WrongSecretType Secret type of resource s1 is not supported',
      'False/Warning/WrongSecretType unsupported secret type',
    ]);
    expect(ownersOf(world, 'ConfigMap', 'cm1')).toEqual(['ClusterResourceSet r1']);
    expect([pass.sent, bindingText(world)]).toEqual([[], undefined]);
    await world.api.clock.advance(100_000);
    expect((await run(world)).retryAfterMs).toBe(50_000);
  });

  it('that cannot be read ends the work', async () => {
    const world = await aWorld(aSet());
    const failure = { reason: 'Forbidden', message: 'no access' } as const;
    world.api.calls.fail({ at: ({ verb, kind }) => verb === 'get' && kind === 'ConfigMap', failure });
    const pass = await runAgain(world);
    expect([pass.result, pass.retryAfterMs, pass.condition, pass.sent]).toEqual([
      'no access',
      undefined,
      'False/InternalError Please check controller logs for errors',
      [],
    ]);
    expect(bindingText(world)).toBeUndefined();
  });

  it('without owner reference is not applied', async () => {
    const world = await aWorld(aSet());
    world.api.calls.fail({ at: ({ verb, kind }) => verb === 'patch' && kind === 'ConfigMap', failure: boom });
    const pass = await runAgain(world);
    expect([pass.result, pass.condition, pass.sent]).toEqual(['boom', undefined, []]);
    expect(bindingText(world)).toBeUndefined();
  });

  it('gets its owner reference although another writer changes it at the same time', async () => {
    const world = await aWorld(aSet());
    world.api.calls.before(
      ({ verb, kind }) => verb === 'patch' && kind === 'ConfigMap',
      () => changeData(world, { a: manifest('w1', { k: 'changed' }) }),
    );
    const pass = await runAgain(world);
    expect([pass.result, ownersOf(world, 'ConfigMap', 'cm1')]).toEqual(['done', ['ClusterResourceSet r1']]);
  });
});

describe('a workload cluster that does not answer', () => {
  const down = 'error getting client: connection to the workload cluster is down';

  it('gets a binding without resources', async () => {
    const world = await aWorld(aSet());
    clusterIn(world).fault = 'down';
    const pass = await run(world);
    expect([pass.result, pass.condition, pass.v1beta1]).toEqual([
      down,
      'False/InternalError Please check controller logs for errors',
      `False/Error/RemoteClusterClientFailed ${down}`,
    ]);
    expect(bindingText(world)).toEqual(['r1: ']);
    expect(ownersOf(world, 'ConfigMap', 'cm1')).toEqual(['ClusterResourceSet r1']);
    expect((await run(world)).written).toEqual([]);
  });

  it('is no error until the Cluster reconciler has reached it, whose condition enqueues the set', async () => {
    const world = await aWorld(aSet(), usualObjects(matchingCluster('c1', { isProbed: false })));
    clusterIn(world).fault = 'down';
    const pass = await run(world);
    expect([pass.result, pass.condition, pass.v1beta1]).toEqual([
      'done',
      'False/InternalError Please check controller logs for errors',
      `False/Error/RemoteClusterClientFailed ${down}`,
    ]);
    expect(valueAt(world.api.find(setRef())?.status, 'observedGeneration')).toBeUndefined();
  });

  it('does not matter if everything is applied there', async () => {
    const world = await aWorld(aSet());
    await run(world);
    clusterIn(world).fault = 'down';
    const pass = await run(world);
    expect([pass.result, pass.condition]).toEqual(['done', 'True/Applied']);
  });

  it('is reported although a later Cluster succeeds', async () => {
    const world = await aWorld(aSet(), [...usualObjects(), matchingCluster('c2'), kubeconfigOf('c2')]);
    await addNamespace(world, 'w', 'c2');
    clusterIn(world).fault = 'unauthorized';
    const pass = await run(world);
    expect([pass.result, pass.condition]).toEqual([
      down,
      'False/InternalError Please check controller logs for errors',
    ]);
    expect(bindingText(world, 'c2')).toEqual(applied);
  });
});

describe('two ClusterResourceSets', () => {
  it('that write one binding at the same time are both recorded', async () => {
    const world = await aWorld(aSet());
    world.api.given(aSet('r2'));
    await run(world, 'r2');
    let isOpen = true;
    world.api.calls.before(
      ({ verb, kind }) => isOpen && verb === 'patch' && kind === 'ClusterResourceSetBinding',
      async () => {
        isOpen = false;
        await world.api.others.mergePatch(bindingRef(), { metadata: { labels: { other: 'writer' } } });
      },
    );
    const pass = await runAgain(world);
    expect([pass.result, pass.condition]).toEqual(['done', 'True/Applied']);
    expect(bindingText(world)).toEqual(['r2: ConfigMap cm1 applied, Secret s1 applied', ...applied]);
    expect(ownersOf(world, 'ClusterResourceSetBinding', 'c1')).toEqual([
      'ClusterResourceSet r2',
      'ClusterResourceSet r1',
    ]);
  });

  it('that create one binding at the same time are both recorded', async () => {
    const world = await aWorld(aSet());
    world.api.calls.before(
      ({ verb, kind }) => verb === 'create' && kind === 'ClusterResourceSetBinding',
      () => world.api.given(aBinding('c1', 'r2')),
    );
    const pass = await runAgain(world);
    expect([pass.result, pass.condition]).toEqual(['done', 'True/Applied']);
    expect(bindingText(world)).toEqual(['r2: ', ...applied]);
  });

  it('keep the records of each other', async () => {
    const world = await aWorld(aSet());
    world.api.given(aSet('r2'));
    await run(world);
    await run(world, 'r2');
    await changeData(world, { a: '[' });
    await run(world, 'r2');
    expect(bindingText(world)).toEqual([...applied, 'r2: ConfigMap cm1 not applied (no hash), Secret s1 applied']);
  });
});

describe('a write that fails', () => {
  it.each([
    {
      verb: 'create',
      problem: 'failed to create clusterResourceSetBinding for cluster: ns/c1: boom',
      sent: 0,
      reason: 'the binding does not exist',
    },
    {
      verb: 'patch',
      problem: 'failed to patch ClusterResourceSetBinding ns/c1: boom',
      sent: 2,
      reason: 'nothing is recorded',
    },
  ])('of a binding is an error, and keeps the condition ($verb: $reason)', async ({ verb, problem, sent }) => {
    const world = await aWorld(aSet());
    world.api.calls.fail({
      at: call => call.verb === verb && call.kind === 'ClusterResourceSetBinding',
      failure: boom,
    });
    const pass = await runAgain(world);
    expect([pass.result, pass.condition]).toEqual([problem, undefined]);
    expect(pass.sent).toHaveLength(sent);
  });

  it.each([
    { set: aFreshSet(), reason: 'to add the finalizer' },
    { set: aSet().deleting(), reason: 'to remove the finalizer' },
  ])('of the ClusterResourceSet is an error ($reason)', async ({ set }) => {
    const world = await aWorld(set);
    world.api.calls.fail({
      at: ({ verb, kind, subresource }) =>
        verb === 'patch' && kind === 'ClusterResourceSet' && subresource === undefined,
      failure: boom,
    });
    const pass = await runAgain(world);
    expect(pass.result).toBe('failed to patch ClusterResourceSet ns/r1: boom');
  });
});

const boom = { reason: 'InternalError', message: 'boom' } as const;
