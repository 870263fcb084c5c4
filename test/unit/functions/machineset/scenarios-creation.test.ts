// Scenarios of creation: the first passes of a MachineSet, and its new Machines with their objects.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  aChild,
  aCluster,
  aConfigTemplate,
  aDeployment,
  aMachineTemplate,
  aNewSet,
  aSet,
  aWorld,
  clusterNameLabel,
  clusterOwner,
  deploymentNameLabel,
  infraGroup,
  invoke,
  machineFinalizer,
  machineSpec,
  refs,
  selectorLabels,
  setFinalizer,
} from './set-with-machines.ts';

const fromTemplates = [
  'apply FooConfig ns/ms1-xxxxx',
  'patch FooConfig ns/ms1-xxxxx',
  'apply FooMachine ns/ms1-xxxxx',
  'patch FooMachine ns/ms1-xxxxx',
  'apply Machine ns/ms1-xxxxx',
];

/** The managers of an object and what each owns of its metadata and spec. */
function ownersOf({ metadata }: Unstructured) {
  const entries = valueAt(metadata, 'managedFields') as readonly { manager: string; fieldsV1: object }[]; // true: the API server writes them
  return Object.fromEntries(
    entries.map(({ manager, fieldsV1 }) => [
      manager,
      [...Object.keys((valueAt(fieldsV1, 'f:metadata') ?? {}) as object), ...Object.keys(fieldsV1)].filter(
        field => field !== 'f:metadata',
      ),
    ]),
  );
}

describe('the first passes', () => {
  it('do nothing without MachineSet', async () => {
    const world = await aWorld();
    await world.api.others.delete(refs.set);
    await world.change(refs.set, { metadata: { finalizers: null } });
    world.takeWrites();
    expect(await world.reconcile()).toBe('done');
    expect(world.takeWrites()).toEqual([]);
  });

  it('wait for the Cluster', async () => {
    const world = await aWorld({ cluster: null });
    expect(await world.reconcile()).toBe('failed to get Cluster ns/c1: clusters.cluster.x-k8s.io "c1" not found');
    expect(world.takeWrites()).toEqual([]);
  });

  it('add the finalizer, then the Paused condition, each as the only write', async () => {
    const world = await aWorld({ set: aNewSet() });
    expect(await world.reconcile()).toBe('again');
    expect(world.takeWrites()).toEqual(['patch MachineSet ns/ms1']);
    expect(world.set().metadata.finalizers).toEqual([setFinalizer]);
    expect(await world.reconcile()).toBe('again');
    expect(world.takeWrites()).toEqual(['patch MachineSet ns/ms1 status']);
    expect(world.condition('Paused')).toBe('False/NotPaused');
  });

  it('report a finalizer that cannot be added', async () => {
    const world = await aWorld({ set: aNewSet() });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('failed to patch MachineSet ns/ms1: boom');
  });

  it('stop for a paused MachineSet', async () => {
    const set = aSet().annotated({ 'cluster.x-k8s.io/paused': '' });
    const world = await aWorld({ set, cluster: aCluster.withSpec({ paused: true }) });
    expect(await world.reconcile(5)).toBe('done');
    expect(world.condition('Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true, MachineSet has the cluster.x-k8s.io/paused annotation',
    );
    expect(world.takeWrites()).toEqual(['patch MachineSet ns/ms1 status']);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.takeWrites()).toEqual([]);
    expect(world.names('Machine')).toEqual([]);
  });

  it('go on after a pause', async () => {
    const set = aSet().withCondition('Paused', { reason: 'Paused', message: 'x', observedGeneration: 1 });
    const world = await aWorld({ set });
    expect(await world.reconcile(5)).toBe('done');
    expect(world.condition('Paused')).toBe('False/NotPaused');
    expect(world.names('Machine')).toHaveLength(2);
  });

  it('are not stopped by the paused annotation of the Cluster', async () => {
    const world = await aWorld({ cluster: aCluster.annotated({ 'cluster.x-k8s.io/paused': '' }) });
    expect(await world.reconcile(5)).toBe('done');
    expect(world.condition('Paused')).toBe('False/NotPaused');
  });

  it('write the Cluster into a stand-alone MachineSet', async () => {
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: machineSpec },
    };
    const world = await aWorld({ set: aSet(spec).owners().onlyLabelled({}) });
    expect(await world.reconcile(1)).toBe('again');
    const { metadata, spec: after } = world.set();
    expect(metadata.ownerReferences).toEqual([{ ...clusterOwner, uid: expect.any(String) }]);
    expect(metadata.labels).toEqual({ [clusterNameLabel]: 'c1' });
    expect(valueAt(after, 'selector.matchLabels')).toEqual(selectorLabels);
    expect(valueAt(after, 'template.metadata.labels')).toEqual(selectorLabels);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.names('Machine')).toHaveLength(2);
    expect(world.status('observedGeneration')).toBe(world.set().metadata.generation);
  });

  it('create no Machine if this cannot be written', async () => {
    const world = await aWorld({ set: aSet().owners().onlyLabelled({}) });
    world.failing({ verb: 'patch', kind: 'MachineSet' });
    expect(await world.reconcile()).toBe('failed to patch MachineSet ns/ms1: boom');
    expect(world.names('Machine')).toEqual([]);
  });

  it('keep the owners of a MachineSet of a MachineDeployment', async () => {
    const world = await aWorld({ before: [aDeployment()], set: aChild().owners() });
    expect(await world.reconcile(5)).toBe('done');
    expect(world.set().metadata.ownerReferences).toBeUndefined();
    expect(world.all('Machine')[0]?.metadata.labels).toMatchObject({ [deploymentNameLabel]: 'md1' });
  });

  it('report that nothing is known without the MachineDeployment', async () => {
    const set = aChild().withStatus({ replicas: 7 });
    const world = await aWorld({ set });
    const missing = 'machinedeployments.cluster.x-k8s.io "md1" not found';
    expect(await world.reconcile()).toBe(
      `failed to retrieve owner MachineDeployment for MachineSet ns/ms1: ${missing}`,
    );
    for (const type of ['ScalingUp', 'ScalingDown', 'MachinesReady', 'MachinesUpToDate', 'Remediating', 'Deleting']) {
      expect(world.condition(type)).toBe('Unknown/InternalError Please check controller logs for errors');
    }
    expect(world.status('replicas')).toBe(7);
    expect(world.status('observedGeneration')).toBeUndefined();
  });

  it('refuse an empty name of the MachineDeployment', async () => {
    const world = await aWorld({ set: aSet().labelled({ [deploymentNameLabel]: '' }) });
    expect(await world.reconcile()).toBe('no owner MachineDeployment found for MachineSet ns/ms1');
  });
});

describe('the owner of a MachineSet', () => {
  const other = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'MachineDeployment', name: 'md1', uid: 'u-md' };

  it.each([
    { reason: 'its MachineDeployment', owners: [other], kinds: ['MachineDeployment'] },
    { reason: 'its Cluster in another version', owners: [{ ...other, kind: 'Cluster' }], kinds: ['Cluster'] },
    { reason: 'another object', owners: [{ ...other, kind: 'Other' }], kinds: ['Other', 'Cluster'] },
    {
      reason: 'an object of another group',
      owners: [{ ...other, apiVersion: 'x.io/v1' }],
      kinds: ['MachineDeployment', 'Cluster'],
    },
  ])('is the Cluster, unless it has one: $reason', async ({ owners, kinds }) => {
    const world = await aWorld({ set: aSet().owners(...owners) });
    await world.reconcile(5);
    expect(world.set().metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('a MachineSet without Machines', () => {
  it('creates them with their objects', async () => {
    const world = await aWorld();
    expect(await world.reconcile()).toBe('again');
    expect(world.takeWrites().filter(line => !line.includes('Event'))).toEqual([
      'patch MachineSet ns/ms1',
      ...fromTemplates,
      ...fromTemplates,
      'patch MachineSet ns/ms1',
      'patch MachineSet ns/ms1 status',
    ]);
    expect(world.events()).toEqual(Array(2).fill('Normal SuccessfulCreate Created Machine "ms1-xxxxx"'));
    const [machine] = world.all('Machine');
    const { name } = machine?.metadata ?? {};
    expect(machine).toMatchObject({
      metadata: {
        labels: { ...selectorLabels, 'cluster.x-k8s.io/set-name': 'ms1' },
        finalizers: [machineFinalizer],
        ownerReferences: [{ kind: 'MachineSet', name: 'ms1', controller: true, blockOwnerDeletion: true }],
      },
      spec: {
        ...machineSpec,
        infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachine', name },
        bootstrap: { configRef: { kind: 'FooConfig', name } },
      },
    });
    for (const [kind, template] of [
      ['FooMachine', 'it1'],
      ['FooConfig', 'bt1'],
    ] as const) {
      const object = world.all(kind).find(({ metadata }) => metadata.name === name);
      expect(object?.metadata.annotations).toMatchObject({
        'cluster.x-k8s.io/cloned-from-name': template,
        'cluster.x-k8s.io/cloned-from-groupkind': expect.stringContaining(`${kind}Template.`),
      });
      expect(object?.metadata.ownerReferences).toEqual([
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms1', uid: expect.any(String) },
      ]);
    }
    expect(world.reserved()).toBeUndefined();
    expect(world.status('replicas')).toBe(0);
    expect(world.condition('ScalingUp')).toBe('True/ScalingUp Scaling up from 0 to 2 replicas');
    expect(world.v1beta1('Resized')).toBe('False/Warning/ScalingUp Scaling up MachineSet to 2 replicas (actual 0)');
    expect(await world.reconcile()).toBe('done');
    expect(world.names('Machine')).toHaveLength(2);
    expect(world.status('replicas')).toBe(2);
    expect(world.status('readyReplicas')).toBe(0);
    expect(world.condition('ScalingUp')).toBe('False/NotScalingUp');
    expect(world.v1beta1('MachinesCreated')).toBe('True');
  });

  it('gives the metadata of their objects to another manager in the next pass', async () => {
    const template = aMachineTemplate.withSpec({
      template: { metadata: { labels: { p: 'infra', q: 'x' } }, spec: { size: 1 } },
    });
    const labels = { ...selectorLabels, p: 'ms' };
    const set = aSet({
      replicas: 1,
      template: { metadata: { labels, annotations: { note: 'n' } }, spec: machineSpec },
    });
    const world = await aWorld({ set, templates: [template, aConfigTemplate] });
    await world.reconcile();
    const infra = () => world.all('FooMachine')[0] as Unstructured; // true: it was created
    expect(infra().metadata.labels).toMatchObject({ p: 'ms', q: 'x' });
    expect(ownersOf(infra())).toEqual({ 'capi-machineset': ['f:ownerReferences', 'f:spec'] });
    expect(world.all('Machine')[0]?.metadata.annotations).toEqual({ note: 'n' });
    await world.reconcile();
    expect(ownersOf(infra())).toEqual({
      'capi-machineset': ['f:ownerReferences', 'f:spec'],
      'capi-machineset-metadata': ['f:annotations', 'f:labels'],
    });
    expect(await world.reconcile()).toBe('done');
    expect(world.takeWrites().at(-1)).not.toBe('apply FooMachine ns/ms1-xxxxx');
  });

  it('creates them without bootstrap config if they have a data secret', async () => {
    const spec = { ...machineSpec, bootstrap: { dataSecretName: 's' } };
    const set = aSet({ replicas: 1, template: { metadata: { labels: selectorLabels }, spec } });
    const world = await aWorld({ set, templates: [aMachineTemplate] });
    expect(await world.reconcile(5)).toBe('done');
    expect(valueAt(world.all('Machine')[0]?.spec, 'bootstrap')).toEqual({ dataSecretName: 's' });
    expect(world.names('FooConfig')).toEqual([]);
  });

  it('creates at most 50 in one pass', async () => {
    const world = await aWorld({ set: aSet({ replicas: 51 }) });
    expect(await world.reconcile()).toBe('again');
    expect(world.names('Machine')).toHaveLength(50);
    await world.reconcile();
    expect(new Set(world.all('Machine').map(({ metadata }) => metadata.name)).size).toBe(51);
  });

  it('creates none while this is disabled', async () => {
    const set = aSet({ replicas: 3 }).annotated({ 'cluster.x-k8s.io/disable-machine-create': 'true' });
    const world = await aWorld({ set, machines: ['m1', 'm2'] });
    expect(await world.reconcile()).toBe('done');
    expect(world.names('Machine')).toEqual(['m1', 'm2']);
    expect(world.condition('ScalingUp')).toBe('True/ScalingUp Scaling up from 2 to 3 replicas');
  });

  it('needs replicas', async () => {
    const { spec, ...object } = aSet().build();
    const { replicas: _, ...without } = spec as Record<string, unknown>;
    const world = await aWorld({ set: { ...object, spec: without } });
    expect(await world.reconcile()).toContain(
      'failed to sync replicas: the Replicas field in Spec for MachineSet ms1 is nil, this should not be allowed',
    );
  });
});

describe('the names of new Machines', () => {
  it('follow the naming template', async () => {
    const template = '{{ .cluster.name }}-{{ .machineSet.name }}-{{ .random }}';
    const world = await aWorld({ set: aSet({ replicas: 3, machineNaming: { template } }), machines: ['m1', 'm2'] });
    expect(world.names('Machine')).toEqual(['c1-ms1-xxxxx', 'm1', 'm2']);
  });

  it('have at most 63 characters', async () => {
    const template = `{{ .random }}${'0'.repeat(59)}`;
    const world = await aWorld({ set: aSet({ replicas: 1, machineNaming: { template } }) });
    await world.reconcile();
    expect(world.all('Machine')[0]?.metadata.name).toMatch(/^[a-z0-9]{5}0{53}[a-z0-9]{5}$/);
  });

  it.each([
    {
      template: '{{ .machineSet.name }}',
      error: 'cannot generate Machine name: {{ .random }} is missing in machineNaming.template',
    },
    {
      template: '{{ .nothing }}-{{ .random }}',
      error: expect.stringContaining('failed to generate Machine name: rendering template: '),
    },
  ])('need a valid template: $template', async ({ template, error }) => {
    const world = await aWorld({ set: aSet({ machineNaming: { template } }) });
    const result = await world.reconcile();
    const prefix = 'failed to sync replicas: failed to create Machine: failed to compute desired Machine: ';
    expect(result.startsWith(prefix)).toBe(true);
    expect(result.slice(prefix.length)).toEqual(error);
    expect(world.v1beta1('MachinesCreated')).toContain('False/Error/MachineCreationFailed ');
    expect(world.names('Machine')).toEqual([]);
    expect(world.reserved()).toBeUndefined();
  });

  it('are in a label as hash if the name of the MachineSet is long', async () => {
    const long = 'm'.repeat(70);
    const world = await aWorld({
      set: aSet({ replicas: 0 }),
      others: [aSet({ replicas: 1 }).named(long).withUid('u-long')],
    });
    await invoke(world.api, { maxPasses: 1, ref: { ...refs.set, name: long } });
    expect(world.all('Machine')[0]?.metadata.labels?.['cluster.x-k8s.io/set-name']).toMatch(/^hash_.*_z$/);
  });
});
