// A pass that read the MachineDeployment before a change, and its MachineSets after another pass acted on the change.
import { describe, expect, it } from 'vitest';
import { aDeployment, aSet, aWorld, type World } from './deployment-with-sets.ts';

const revision = 'machinedeployment.clusters.x-k8s.io/revision';
const revisionsOf = (world: World, ...names: readonly string[]) =>
  names.map(name => world.set(name).metadata.annotations?.[revision]);

/** The user starts a rollout, and another invocation acts on it, before the first list of MachineSets. */
function whileItReads(world: World, version: string): void {
  let isChanged = false;
  world.api.calls.before(
    ({ verb, kind }) => verb === 'list' && kind === 'MachineSet' && !isChanged,
    async () => {
      isChanged = true;
      await world.api.others.mergePatch(world.ref, { spec: { template: { spec: { version } } } });
      expect(await world.reconcile(world.api.others)).toBe('done');
    },
  );
}

describe('a pass that read an older template', () => {
  it('does not make the old MachineSet current again', async () => {
    const world = await aWorld({
      deployment: aDeployment().annotated({ [revision]: '1' }),
      sets: [aSet(1, { spec: 3 })],
    });
    whileItReads(world, 'v1.32.0');
    expect(await world.reconcile()).toBe('done');
    const { name } = world.created().metadata;
    expect(world.sets()).toEqual({ ms1: 3, 'md1-xxxxx': 1 });
    expect(revisionsOf(world, 'ms1', name)).toEqual(['1', '2']);
    expect(world.deployment().metadata.annotations?.[revision]).toBe('2');
  });

  it('does not create a MachineSet of the old template', async () => {
    const deployment = aDeployment().annotated({ [revision]: '1' });
    // The template of the deployment is v1.31.0, and no MachineSet has it.
    const world = await aWorld({ deployment, sets: [aSet(1, { spec: 3, isStale: true })] });
    whileItReads(world, 'v1.32.0');
    expect(await world.reconcile()).toBe('done');
    expect(Object.keys(world.sets())).toEqual(['md1-xxxxx', 'ms1']);
    expect(world.created().spec).toMatchObject({ template: { spec: { version: 'v1.32.0' } } });
  });

  it('does not make it current if the deployment already has its revision', async () => {
    const deployment = aDeployment().annotated({ [revision]: '3' });
    const world = await aWorld({
      deployment,
      sets: [aSet(1, { spec: 3, revision: '1' }), aSet(2, { spec: 0, isStale: true })],
    });
    whileItReads(world, 'v1.30.0');
    expect(await world.reconcile()).toBe('done');
    expect(revisionsOf(world, 'ms1', 'ms2')).toEqual(['1', '2']);
  });
});

describe('the revision of the deployment', () => {
  it('comes first if an earlier MachineSet becomes current, and its error ends the pass', async () => {
    const world = await aWorld({ sets: [aSet(1, { spec: 1 }), aSet(2, { spec: 3, isStale: true })] });
    world.failing({ verb: 'patch', kind: 'MachineDeployment' });
    expect(await world.reconcile()).toContain('boom');
    expect(world.sets()).toEqual({ ms1: 1, ms2: 3 });
    expect(revisionsOf(world, 'ms1', 'ms2')).toEqual(['1', '2']);
  });
});
