// The scenarios of the objects that are written to workload clusters: strategies, order, and errors.
import { describe, expect, it } from 'vitest';
import { aSet, configMap, kubeconfigOf, manifest, matchingCluster, reconcilingSet, secret } from './set-objects.ts';
import {
  addNamespace,
  appliedData,
  aWorld,
  bindingText,
  changeData,
  clusterIn,
  objectsWith,
  run,
  type SetWorld,
  usualObjects,
} from './set-with-workload-clusters.ts';

const notApplied = 'False/NotApplied Failed to apply ClusterResourceSet resources to Cluster';
const bothApplied = ['r1: ConfigMap cm1 applied, Secret s1 applied'];

function give(world: SetWorld, object: object) {
  return clusterIn(world).kubernetes.create(object as Parameters<SetWorld['api']['others']['create']>[0]); // true: the tests give whole objects
}

const existing = (data: object, labels: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'w1', namespace: 'w', labels },
  data,
});

const w1Ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'w', name: 'w1' };

describe('with ApplyOnce, an object', () => {
  it('is not written again after a change of its manifest', async () => {
    const world = await aWorld(aSet());
    await run(world);
    await changeData(world, { a: manifest('w1', { k: 'changed' }) });
    const pass = await run(world);
    expect([pass.written, pass.sent, await appliedData(world, 'w1')]).toEqual([[], [], { k: 'v' }]);
  });

  it('that exists is kept, and counts as applied', async () => {
    const world = await aWorld(aSet());
    await give(world, existing({ other: 'data' }));
    await run(world);
    expect(await appliedData(world, 'w1')).toEqual({ other: 'data' });
    expect(bindingText(world)).toEqual(bothApplied);
  });

  it('is applied again after its data could not be read for a while', async () => {
    const world = await aWorld(aSet());
    await run(world);
    await changeData(world, { a: '{' });
    await run(world);
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied (no hash), Secret s1 applied']);
    await changeData(world, { a: manifest('w1', { k: 'changed' }) });
    const pass = await run(world);
    expect([pass.sent, pass.condition]).toEqual([['create ConfigMap w/w1'], 'True/Applied']);
    expect([bindingText(world), await appliedData(world, 'w1')]).toEqual([bothApplied, { k: 'v' }]);
  });
});

describe('with Reconcile, an object', () => {
  it('is patched after a change of its manifest, and no other one', async () => {
    const world = await aWorld(reconcilingSet());
    expect((await run(world)).result).toBe('requeueAfter 600000');
    await changeData(world, { a: manifest('w1', { k: 'changed' }) });
    const pass = await run(world);
    expect(pass.sent.map(line => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'get ConfigMap w/w1',
      'patch ConfigMap w/w1',
    ]);
    expect(await appliedData(world, 'w1')).toEqual({ k: 'changed' });
    expect(bindingText(world)).toEqual(bothApplied);
    expect((await run(world)).sent).toEqual([]);
  });

  it('loses every field that the manifest lacks', async () => {
    const world = await aWorld(reconcilingSet(), objectsWith({ a: manifest('w1', { j: '1' }) }));
    await give(world, existing({ k: 'v' }, { foo: '1' }));
    const pass = await run(world);
    const patch = pass.sent.find(line => line.startsWith('patch')) ?? '';
    expect(JSON.parse(patch.replace('patch ConfigMap w/w1 ', ''))).toMatchObject({
      data: { j: '1', k: null },
      metadata: { labels: null },
    });
    expect(await appliedData(world, 'w1')).toEqual({ j: '1' });
    const after = await clusterIn(world).kubernetes.get(w1Ref);
    expect(after.ok && after.value.metadata.labels).toBeUndefined();
  });

  it('that a user of the workload cluster deletes or changes stays so', async () => {
    const world = await aWorld(reconcilingSet());
    await run(world);
    await clusterIn(world).kubernetes.delete(w1Ref);
    const pass = await run(world);
    expect([pass.sent, await appliedData(world, 'w1')]).toEqual([[], undefined]);
  });

  it('that is missing is created', async () => {
    const world = await aWorld(reconcilingSet());
    const pass = await run(world);
    expect(pass.sent).toEqual([
      'get ConfigMap w/w1',
      'get ConfigMap w/w2',
      'create ConfigMap w/w1',
      'create ConfigMap w/w2',
    ]);
  });

  it('that equals its manifest in every field is not written', async () => {
    const world = await aWorld(reconcilingSet());
    await give(world, existing({ k: 'v' }));
    const live = await clusterIn(world).kubernetes.get(w1Ref);
    await changeData(world, { a: JSON.stringify(live.ok && live.value) });
    const pass = await run(world);
    expect(pass.sent.filter(line => line.includes('w1'))).toEqual(['get ConfigMap w/w1']);
    expect(bindingText(world)).toEqual(bothApplied);
  });

  it('that cannot be read is an error', async () => {
    const world = await aWorld(reconcilingSet(), objectsWith({ a: manifest('w1', {}, 'no/namespace') }));
    const pass = await run(world);
    expect(pass.result).toContain('reading object /v1, Kind=ConfigMap no/namespace/w1: ');
    expect(pass.condition).toBe(notApplied);
  });
});

describe('an object that the workload cluster refuses', () => {
  const failure = { reason: 'Forbidden', message: 'no access' } as const;

  it('to patch is an error', async () => {
    const world = await aWorld(reconcilingSet());
    await give(world, existing({ other: 'data' }));
    world.refuse.set('patch ConfigMap', { reason: 'Conflict', message: 'changed' });
    const pass = await run(world);
    expect(pass.result).toBe('patching object /v1, Kind=ConfigMap w/w1: changed');
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied, Secret s1 applied']);
    world.refuse.clear();
    expect((await run(world)).condition).toBe('True/Applied');
    expect(bindingText(world)).toEqual(bothApplied);
  });

  it('because it does not tell its kinds is an error', async () => {
    const world = await aWorld(aSet(), [configMap({ a: manifest('w1') }), matchingCluster(), kubeconfigOf()]);
    world.refuse.set('resources v1', failure);
    const pass = await run(world);
    expect(pass.result).toBe('creating object /v1, Kind=ConfigMap w/w1: no access');
    expect(pass.condition).toContain('False/InternalError');
  });
});

describe('objects', () => {
  it('whose namespace is missing are reported, and applied when it exists', async () => {
    const objects = [
      configMap({ a: manifest('w1', {}, 'q') }),
      secret({ b: manifest('w2', {}, 'q') }),
      matchingCluster(),
      kubeconfigOf(),
    ];
    const world = await aWorld(aSet(), objects);
    const pass = await run(world);
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied, Secret s1 not applied']);
    const first = 'creating object /v1, Kind=ConfigMap q/w1: namespaces "q" not found';
    expect([pass.condition, pass.v1beta1, pass.result]).toEqual([
      notApplied,
      `False/Warning/ApplyFailed ${first}`,
      `[${first}, creating object /v1, Kind=ConfigMap q/w2: NotFound]`,
    ]);
    await addNamespace(world, 'q');
    expect((await run(world)).condition).toBe('True/Applied');
    expect(bindingText(world)).toEqual(bothApplied);
  });

  it('are applied although others fail', async () => {
    const world = await aWorld(aSet(), objectsWith({ a: manifest('w1'), p: manifest('w3', {}, 'z') }));
    const pass = await run(world);
    expect(await appliedData(world, 'w1')).toEqual({ k: 'v' });
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied, Secret s1 applied']);
    expect(pass.condition).toBe(notApplied);
  });

  it('without namespace are an error', async () => {
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w1' } });
    const created = await run(await aWorld(aSet(), objectsWith({ a: text })));
    expect(created.result).toBe(
      'creating object /v1, Kind=ConfigMap w1: an empty namespace may not be set during creation',
    );
    const read = await run(await aWorld(reconcilingSet(), objectsWith({ a: text })));
    expect(read.result).toBe(
      'reading object /v1, Kind=ConfigMap w1: an empty namespace may not be set when a resource name is provided',
    );
  });

  it('of a definition in the same data are created in the next try', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.x.io' },
      spec: {
        group: 'x.io',
        scope: 'Namespaced',
        names: { kind: 'Foo', plural: 'foos' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    const foo = { apiVersion: 'x.io/v1', kind: 'Foo', metadata: { name: 'f', namespace: 'w' } };
    const world = await aWorld(
      aSet(),
      objectsWith({ a: `${JSON.stringify(foo)}\n---\n${JSON.stringify(definition)}` }),
    );
    const first = await run(world);
    expect(first.result).toBe('creating object x.io/v1, Kind=Foo w/f: no matches for kind "Foo" in version "x.io/v1"');
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied, Secret s1 applied']);
    const retry = await run(world);
    expect(retry.sent).toEqual(['create CustomResourceDefinition foos.x.io', 'create Foo w/f']);
    expect([retry.condition, bindingText(world)]).toEqual(['True/Applied', bothApplied]);
  });

  it.each([
    {
      object: { kind: 'Namespace' },
      name: '/, Kind=Namespace ',
      error: 'no matches for kind "Namespace" in version ""',
    },
    {
      object: { apiVersion: 'a/b/c', kind: 'Foo' },
      name: 'a/b/c, Kind=Foo ',
      error: 'no matches for kind "Foo" in version "a/b/c"',
    },
    {
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'w' } },
      name: '/v1, Kind=ConfigMap w/',
      error: 'resource name may not be empty',
    },
    {
      object: { apiVersion: 'v1', kind: 'List', items: [] },
      name: '/v1, Kind=List ',
      error: 'no matches for kind "List" in version "v1"',
    },
  ])('that are incomplete are refused: $error', async ({ object, name, error }) => {
    const pass = await run(await aWorld(aSet(), objectsWith({ a: JSON.stringify(object) })));
    expect(pass.result).toBe(`creating object ${name}: ${error}`);
    expect(pass.condition).toBe(notApplied);
  });

  it('that the server names are created, and never read', async () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'g-', namespace: 'w' },
    });
    const once = await aWorld(aSet(), objectsWith({ a: text }));
    expect((await run(once)).sent).toEqual(['create ConfigMap w/', 'create ConfigMap w/w2']);
    const pass = await run(await aWorld(reconcilingSet(), objectsWith({ a: text })));
    expect(pass.result).toBe('reading object /v1, Kind=ConfigMap w/: resource name may not be empty');
  });

  it('without namespace of their kind lose the one of their manifest', async () => {
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'q', namespace: 'w' } });
    const world = await aWorld(aSet(), objectsWith({ a: text }));
    const pass = await run(world);
    expect([pass.sent[0], pass.condition]).toEqual(['create Namespace q', 'True/Applied']);
  });

  it('are not read as a reference to an earlier action', async () => {
    const world = await aWorld(aSet(), objectsWith({ a: manifest('w1', { uidOf: 'binding:create:c1' }) }));
    await run(world);
    expect(await appliedData(world, 'w1')).toEqual({ uidOf: 'binding:create:c1' });
  });
});

describe('data', () => {
  it('without values are an error', async () => {
    const world = await aWorld(aSet(), objectsWith(undefined));
    const pass = await run(world);
    expect([pass.result, pass.retryAfterMs]).toEqual(['failed to get data field from resource ns/cm1', 600_000]);
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied (no hash), Secret s1 applied']);
    expect([pass.condition, pass.v1beta1]).toEqual([
      notApplied,
      'False/Warning/ApplyFailed failed to get data field from resource ns/cm1',
    ]);
    expect((await run(world)).written).toEqual([]);
  });

  it('of a Secret are in no message', async () => {
    const objects = [
      configMap({ a: manifest('w1') }),
      secret({ b: 'a: b\n--- CANARY\nc: d', c: 'CANARY: [CANARY' }),
      matchingCluster(),
      kubeconfigOf(),
    ];
    const world = await aWorld(aSet(), objects);
    const pass = await run(world);
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 applied, Secret s1 not applied (no hash)']);
    expect(pass.result).toContain('failed converting data to unstructured objects');
    expect(`${pass.result} ${pass.logged} ${JSON.stringify(pass.set)}`).not.toContain('CANARY');
  });

  it('of a Secret are not quoted by the server of the workload cluster', async () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'w2', namespace: 'w', labels: { l: 'CANARY CANARY' } },
    });
    const objects = [configMap({ a: manifest('w1') }), secret({ b: text }), matchingCluster(), kubeconfigOf()];
    const pass = await run(await aWorld(aSet(), objects));
    expect(pass.result).toBe('creating object /v1, Kind=ConfigMap w/w2: Invalid');
    expect(`${pass.logged} ${JSON.stringify(pass.set)}`).not.toContain('CANARY');
  });

  it('of a Secret that is applied once are not read again', async () => {
    const world = await aWorld(aSet());
    await run(world);
    await run(world);
    const reads = world.api.calls.all.filter(({ kind }) => kind === 'Secret').map(({ verb }) => verb);
    expect(reads).toEqual(['metadata']);
    await world.api.others.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's1' });
    const pass = await run(world);
    expect([pass.result, pass.v1beta1]).toEqual([
      'requeueAfter 15000',
      'False/Warning/RetrievingResourceFailed secrets "s1" not found',
    ]);
  });

  it('with an unknown strategy are not applied', async () => {
    const { spec, ...others } = aSet().build();
    const { strategy: _, ...kept } = spec as Record<string, unknown>; // true: the builder has set it
    const pass = await run(await aWorld({ ...others, spec: kept }));
    expect([pass.result, pass.sent]).toEqual(['unsupported or empty resource strategy: ""', []]);
  });
});

describe('many objects', () => {
  const list = (from: number, count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => JSON.parse(manifest(`m${from + index}`))));

  it('are applied in several passes', async () => {
    const world = await aWorld(aSet(), [
      configMap({ a: list(0, 900) }),
      secret({ b: list(900, 200) }),
      matchingCluster(),
      kubeconfigOf(),
    ]);
    const first = await run(world, 'r1', 1);
    expect([first.result, first.sent.length, first.condition]).toEqual(['again', 900, undefined]);
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 applied']);
    const second = await run(world, 'r1', 1);
    expect([second.result, second.sent.length, second.condition]).toEqual(['done', 200, 'True/Applied']);
  });

  it('of a Cluster that fails leave a place for those of another one', async () => {
    const world = await aWorld(aSet(), [
      configMap({ a: list(0, 900) }),
      ...usualObjects().slice(1),
      matchingCluster('c2'),
      kubeconfigOf('c2'),
    ]);
    await addNamespace(world, 'w', 'c2');
    await clusterIn(world).kubernetes.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'w' });
    await run(world, 'r1', 1);
    await world.api.clock.advance(1_000);
    await run(world, 'r1', 1);
    expect(bindingText(world, 'c2')?.[0]).toContain('ConfigMap cm1 applied');
  });

  it('end with an error if no time is left and nothing was applied', async () => {
    const world = await aWorld(aSet());
    const pass = await run(world, 'r1', 1, { remainingMs: 9_000 });
    expect([pass.result, pass.sent, pass.condition]).toEqual([
      'the objects could not be applied in the time of one pass',
      [],
      undefined,
    ]);
    expect(bindingText(world)).toEqual(['r1: ConfigMap cm1 not applied, Secret s1 not applied']);
    expect((await run(world)).condition).toBe('True/Applied');
  });
});
