// The scenarios of MachineDeployments: what one reconcile does to the MachineSets.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  aCluster,
  aConfigTemplate,
  aDeployment,
  aNewDeployment,
  aSet,
  aWorld,
  type DeploymentTestObject,
  deploymentSpec,
  finalizer,
  hashLabel,
  machineSpec,
  rolling,
  type SetParts,
  selectorLabels,
} from './deployment-with-sets.ts';

const revision = 'machinedeployment.clusters.x-k8s.io/revision';
const desired = 'machinedeployment.clusters.x-k8s.io/desired-replicas';
const most = 'machinedeployment.clusters.x-k8s.io/max-replicas';
const disabled = 'cluster.x-k8s.io/disable-machine-create';

const at = (object: Unstructured, path: string) => valueAt(object as Readonly<Record<string, unknown>>, path);
const upToDate = (number: number, spec: number, more: Partial<SetParts> = {}) => aSet(number, { spec, ...more });
const stale = (number: number, spec: number, more: Partial<SetParts> = {}) =>
  aSet(number, { spec, isStale: true, ...more });

describe('a MachineDeployment before its first MachineSet', () => {
  it('gets its finalizer, then its condition, and then one MachineSet', async () => {
    const world = await aWorld({ deployment: aNewDeployment() });
    expect(await world.reconcile()).toBe('done');
    const set = world.created();
    const hash = set.metadata.labels?.[hashLabel] ?? '';
    expect(world.deployment().metadata.finalizers).toEqual([finalizer]);
    expect(hash).toMatch(/^\d+-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(set.metadata.name).toBe(`md1-${hash.split('-')[1]}`);
    expect(at(set, 'spec.selector.matchLabels')).toEqual({ ...selectorLabels, [hashLabel]: hash });
    expect(at(set, 'spec.replicas')).toBe(3);
    expect(set.metadata.annotations).toEqual({
      [desired]: '3',
      [most]: '4',
      [revision]: '1',
      [disabled]: 'false',
    });
    expect(set.metadata.ownerReferences).toMatchObject([{ kind: 'MachineDeployment', name: 'md1', controller: true }]);
    expect(world.events()).toEqual(['Normal SuccessfulCreate Created MachineSet ns/md1-xxxxx with 3 replicas']);
    expect(world.deployment().metadata.annotations).toMatchObject({ [revision]: '1' });
    expect(world.condition('Available')).toBe(
      'Unknown/WaitingForAvailableReplicasSet Waiting for status.availableReplicas set',
    );
    expect(world.condition('ScalingUp')).toBe('True/ScalingUp Scaling up from 0 to 3 replicas');
    expect(at(world.deployment(), 'status.phase')).toBe('ScalingUp');
    expect(at(world.deployment(), 'status.observedGeneration')).toBe(1);
  });

  it('is not created a second time, and a settled one is not written', async () => {
    const world = await aWorld();
    await world.reconcile();
    await world.reconcile();
    world.takeWrites();
    expect(await world.reconcile()).toBe('done');
    expect(world.takeWrites()).toEqual([]);
    expect(world.sets()).toEqual({ 'md1-xxxxx': 3 });
  });

  it('that another invocation has created and scaled since it was listed is not written', async () => {
    const world = await aWorld({ sets: [stale(1, 3)] });
    let others = 0;
    world.api.calls.before(
      ({ verb, kind }) => verb === 'apply' && kind === 'MachineSet',
      async () => {
        others += 1;
        if (others === 1) {
          await world.reconcile();
          const { apiVersion, kind, metadata } = world.created();
          const ref = { apiVersion, kind, namespace: 'ns', name: metadata.name };
          await world.api.others.mergePatch(ref, { spec: { replicas: 2 } });
        }
      },
    );
    expect(await world.reconcile()).toBe('done');
    expect(world.sets()).toEqual({ ms1: 3, 'md1-xxxxx': 2 });
    expect(world.events()).toEqual(['Normal SuccessfulCreate Created MachineSet ns/md1-xxxxx with 1 replicas']);
  });

  it.each([{ reason: 'the Cluster is missing', cluster: null, error: 'failed to get Cluster ns/c1: ' }])(
    'writes nothing while $reason',
    async ({ cluster, error }) => {
      const world = await aWorld({ cluster });
      expect(await world.reconcile()).toContain(error);
      expect(world.takeWrites()).toEqual([]);
    },
  );

  it('is not created without its template', async () => {
    const world = await aWorld({ templates: [aConfigTemplate], sets: [stale(1, 3)] });
    expect(await world.reconcile()).toBe('cannot create a MachineSet when templates do not exist');
    expect(world.sets()).toEqual({ ms1: 3 });
    expect(world.condition('ScalingUp')).toBe(
      'False/NotScalingUp Scaling up would be blocked because FooMachineTemplate does not exist',
    );
  });

  it('reads no object that is no template, and owns its templates', async () => {
    const kind = { ...machineSpec.infrastructureRef, kind: 'FooMachine' };
    const spec = { template: { ...deploymentSpec.template, spec: { ...machineSpec, infrastructureRef: kind } } };
    const world = await aWorld({ deployment: aDeployment(spec), templates: [aConfigTemplate.owners()] });
    expect(await world.reconcile()).toBe('done');
    expect(world.sets()).toEqual({ 'md1-xxxxx': 3 });
    const config = world.api.read({
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'FooConfigTemplate',
      namespace: 'ns',
      name: 'bt1',
    });
    expect(config.metadata.ownerReferences).toMatchObject([{ kind: 'Cluster', name: 'c1' }]);
  });
});

describe('a pause of a MachineDeployment', () => {
  it('by its Cluster and by its annotation is reported, and ends the pass', async () => {
    const world = await aWorld({
      cluster: aCluster.withSpec({ paused: true }),
      deployment: aDeployment({ replicas: 5 }).annotated({ 'cluster.x-k8s.io/paused': '' }),
      sets: [upToDate(1, 3)],
    });
    await world.reconcile();
    expect(world.condition('Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true, MachineDeployment has the cluster.x-k8s.io/paused annotation',
    );
    expect(world.sets()).toEqual({ ms1: 3 });
  });

  it('is not the annotation of the Cluster', async () => {
    const world = await aWorld({ cluster: aCluster.annotated({ 'cluster.x-k8s.io/paused': '' }) });
    await world.reconcile();
    expect(world.condition('Paused')).toBe('False/NotPaused');
    expect(world.sets()).toEqual({ 'md1-xxxxx': 3 });
  });
});

interface Case {
  readonly reason: string;
  readonly spec?: object;
  readonly sets: readonly (readonly DeploymentTestObject[])[];
  readonly after: Readonly<Record<string, number>>;
  readonly events?: readonly string[];
  readonly result?: string;
}

const onDelete = { rollout: { strategy: { type: 'OnDelete' } } };
const scaled = (text: string) => `Normal SuccessfulScale ${text}`;

describe('the replicas of MachineSets after one reconcile', () => {
  it.each<Case>([
    {
      reason: 'more replicas',
      spec: { replicas: 5 },
      sets: [upToDate(1, 3)],
      after: { ms1: 5 },
      events: [scaled('Scaled up MachineSet ms1: 3 -> 5')],
    },
    {
      reason: 'fewer replicas',
      spec: { replicas: 1 },
      sets: [upToDate(1, 3)],
      after: { ms1: 1 },
      events: [scaled('Scaled down MachineSet ms1: 3 -> 1')],
    },
    { reason: 'no replicas', spec: { replicas: 0 }, sets: [upToDate(1, 3)], after: { ms1: 0 } },
    {
      reason: 'a new template',
      sets: [stale(1, 3)],
      after: { ms1: 3, 'md1-xxxxx': 1 },
      events: ['Normal SuccessfulCreate Created MachineSet ns/md1-xxxxx with 1 replicas'],
    },
    {
      reason: 'a new Machine is available',
      sets: [stale(1, 3), upToDate(2, 1)],
      after: { ms1: 2, ms2: 1 },
      events: [scaled('Scaled down MachineSet ms1: 3 -> 2')],
    },
    {
      reason: 'a new Machine is not available',
      sets: [stale(1, 3), upToDate(2, 1, { available: 0 })],
      after: { ms1: 3, ms2: 1 },
    },
    {
      reason: 'the way back to an earlier template',
      sets: [upToDate(1, 0), stale(2, 3)],
      after: { ms1: 1, ms2: 3 },
    },
    {
      reason: 'two MachineSets with the template',
      sets: [upToDate(1, 1), upToDate(2, 2)],
      after: { ms1: 1, ms2: 3 },
    },
    {
      reason: 'percentages',
      spec: { replicas: 10, ...rolling('39%', '39%') },
      sets: [stale(1, 10)],
      after: { ms1: 7, 'md1-xxxxx': 4 },
    },
    {
      reason: 'a surge that is no number',
      spec: rolling('5', 0),
      sets: [upToDate(1, 2)],
      after: { ms1: 2 },
      result: 'invalid value for IntOrString: invalid type: string is not a percentage',
    },
    {
      reason: 'a surge that is not needed',
      spec: rolling('5', 0),
      sets: [upToDate(1, 3)],
      after: { ms1: 3 },
    },
    {
      reason: 'OnDelete with a new template',
      spec: onDelete,
      sets: [stale(1, 3)],
      after: { ms1: 3, 'md1-xxxxx': 0 },
      events: ['Normal SuccessfulCreate Created MachineSet ns/md1-xxxxx with 0 replicas'],
    },
    {
      reason: 'OnDelete with a surplus',
      spec: { ...onDelete, replicas: 2 },
      sets: [stale(1, 2), upToDate(2, 1)],
      after: { ms1: 1, ms2: 1 },
    },
    {
      reason: 'a stuck rollout',
      spec: { replicas: 10, ...rolling(0, 1) },
      sets: [stale(1, 5, { available: 3 }), upToDate(2, 5)],
      after: { ms1: 4, ms2: 5 },
    },
    {
      reason: 'a paused rollout',
      spec: { paused: true, replicas: 5 },
      sets: [stale(1, 3)],
      after: { ms1: 5 },
      events: [scaled('Scaled MachineSet ns/ms1: 3 -> 5')],
    },
    { reason: 'a paused rollout without MachineSet', spec: { paused: true }, sets: [], after: {} },
    {
      reason: 'two MachineSets of a paused rollout',
      spec: { paused: true, replicas: 4 },
      sets: [stale(1, 2), upToDate(2, 2)],
      after: { ms1: 2, ms2: 3 },
    },
    {
      reason: 'a paused rollout whose new Machines suffice',
      spec: { paused: true },
      sets: [stale(1, 2), upToDate(2, 3)],
      after: { ms1: 0, ms2: 3 },
    },
    {
      reason: 'a paused rollout without replicas',
      spec: { paused: true, replicas: 0 },
      sets: [stale(1, 2), upToDate(2, 3)],
      after: { ms1: 0, ms2: 0 },
    },
    {
      reason: 'a paused OnDelete',
      spec: { paused: true, ...onDelete, replicas: 6 },
      sets: [stale(1, 2), upToDate(2, 2)],
      after: { ms1: 2, ms2: 2 },
    },
  ])('$reason', async ({ spec = {}, sets, after, events, result = 'done' }) => {
    const world = await aWorld({ deployment: aDeployment({ ...spec }), sets });
    expect(await world.reconcile()).toBe(result);
    expect(world.sets()).toEqual(after);
    if (events !== undefined) {
      expect(world.events()).toEqual(events);
    }
  });

  it('follow what users delete', async () => {
    const world = await aWorld({
      deployment: aDeployment(onDelete),
      sets: [stale(1, 3, { status: 2 }), upToDate(2, 0)],
    });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 2, ms2: 0 });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 2, ms2: 1 });
    expect(world.set('ms1').metadata.annotations).toMatchObject({ [disabled]: 'true', [most]: '3' });
  });
});

describe('a MachineSet of a MachineDeployment', () => {
  it('gets the fields that are changed in place', async () => {
    const change = { minReadySeconds: 5, deletion: { nodeDrainTimeoutSeconds: 7 } };
    const spec = { template: { ...deploymentSpec.template, spec: { ...machineSpec, ...change } } };
    const world = await aWorld({ deployment: aDeployment(spec), sets: [upToDate(1, 3)] });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 3 });
    expect(at(world.set('ms1'), 'spec.template.spec')).toMatchObject({ ...change, version: 'v1.31.0' });
  });

  it('gets annotations, and loses them again', async () => {
    const deployment = aDeployment()
      .annotated({ foo: 'bar', 'kubectl.kubernetes.io/last-applied-configuration': '{}' })
      .labelled({ x: 'y' });
    const world = await aWorld({ deployment, sets: [upToDate(1, 3)] });
    await world.reconcile();
    expect(world.set('ms1').metadata.annotations).toMatchObject({ foo: 'bar', [desired]: '3' });
    expect(Object.keys(world.set('ms1').metadata.annotations ?? {})).not.toContain(
      'kubectl.kubernetes.io/last-applied-configuration',
    );
    expect(Object.keys(world.set('ms1').metadata.labels ?? {})).not.toContain('x');
    await world.api.others.mergePatch(world.ref, { metadata: { annotations: { foo: null } } });
    await world.reconcile();
    expect(Object.keys(world.set('ms1').metadata.annotations ?? {})).not.toContain('foo');
  });

  it('becomes current with a higher revision', async () => {
    const world = await aWorld({ sets: [upToDate(1, 0), stale(2, 3)] });
    await world.reconcile();
    expect(world.set('ms1').metadata.annotations).toMatchObject({
      [revision]: '3',
      'machinedeployment.clusters.x-k8s.io/revision-history': '1',
    });
    expect(world.deployment().metadata.annotations).toMatchObject({ [revision]: '3' });
  });

  it.each([
    {
      reason: 'without label of its template',
      set: aSet(1, { spec: 3, hash: '' }, set => set.onlyLabelled(selectorLabels)),
      error:
        'failed to compute desired MachineSet: failed to get unique identifier from "machine-template-hash" annotation',
    },
    {
      reason: 'with a revision that is no number',
      set: upToDate(1, 3, { revision: 'x' }),
      error: 'failed to parse current revision on MachineSet ns/ms1: strconv.ParseInt: parsing "x": invalid syntax',
    },
  ])('$reason ends the pass', async ({ set, error }) => {
    const world = await aWorld({ sets: [set] });
    expect(await world.reconcile()).toBe(error);
    expect(world.sets()).toEqual({ ms1: 3 });
  });

  it('is adopted by its labels', async () => {
    const world = await aWorld({ sets: [aSet(1, { name: 'x', spec: 3 }, set => set.owners())] });
    await world.reconcile();
    expect(world.sets()).toEqual({ x: 3 });
    expect(world.set('x').metadata.ownerReferences).toMatchObject([{ name: 'md1', controller: true }]);
    expect(world.events()).toEqual(['Normal SuccessfulAdopt Adopted MachineSet "x"']);
  });

  it('that cannot be adopted is left out', async () => {
    const world = await aWorld({ sets: [aSet(1, { name: 'x', spec: 3 }, set => set.owners())] });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('done');
    expect(world.sets()).toEqual({ x: 3, 'md1-xxxxx': 3 });
    expect(world.events()).toContain('Warning FailedAdopt Failed to adopt MachineSet "x": boom');
  });

  it('of another controller is ignored', async () => {
    const other = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', name: 'o', uid: 'u-o' };
    const world = await aWorld({ sets: [aSet(1, { spec: 3 }, set => set.owners({ ...other, controller: true }))] });
    await world.reconcile();
    expect(world.sets()).toEqual({ ms1: 3, 'md1-xxxxx': 3 });
  });

  it('whose labels were changed by hand is still ours, and repaired', async () => {
    const world = await aWorld({ sets: [aSet(1, { spec: 3 }, set => set.onlyLabelled({ [hashLabel]: '1-ms1' }))] });
    await world.reconcile();
    expect(world.set('ms1').metadata.labels).toEqual({ ...selectorLabels, [hashLabel]: '1-ms1' });
    expect(world.sets()).toEqual({ ms1: 3 });
  });

  it('whose label cannot be repaired ends the pass', async () => {
    const world = await aWorld({ sets: [aSet(1, { spec: 3 }, set => set.onlyLabelled({ [hashLabel]: '1-ms1' }))] });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe(
      'failed to apply cluster.x-k8s.io/deployment-name label to MachineSet "ms1": boom',
    );
  });

  it('whose managed fields were lost is repaired, and then scaled', async () => {
    const world = await aWorld({ deployment: aDeployment({ replicas: 5 }), sets: [upToDate(1, 3)] });
    const { apiVersion, kind, metadata } = world.set('ms1');
    const ref = { apiVersion, kind, namespace: 'ns', name: metadata.name };
    await world.api.others.mergePatch(ref, { metadata: { managedFields: [{}] } });
    await world.reconcile();
    const writes = world.takeWrites().filter(line => line.includes('MachineSet'));
    expect(writes).toEqual(['patch MachineSet ns/ms1', 'apply MachineSet ns/ms1']);
    expect(world.sets()).toEqual({ ms1: 5 });
  });
});
