// Scenarios in which Machines cannot be created, and of templates and orphaned objects.
import { describe, expect, it } from 'vitest';
import { readMembers } from '../../../../functions/machineset/observe/members.ts';
import { cloneFor } from '../../../../functions/machineset/phases/replicas/new-machine.ts';
import { readWholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import {
  aChild,
  aConfigTemplate,
  aDeployment,
  aMachineTemplate,
  aSet,
  aWorld,
  clusterOwner,
  crds,
  infraGroup,
  type MachineSetWorld,
  machineSpec,
  refs,
  SetTestObject,
  selectorLabels,
} from './set-with-machines.ts';

const isReserved = (world: MachineSetWorld) => world.reserved() !== undefined;

describe('a creation that fails', () => {
  it('is completed later under the same name', async () => {
    const world = await aWorld({ set: aSet({ replicas: 4 }) });
    world.api.calls.fail({
      at: call => call.verb === 'apply' && call.kind === 'Machine' && world.names('Machine').length === 1,
      failure: { reason: 'Forbidden', message: 'boom' },
    });
    expect(await world.reconcile()).toBe('failed to sync replicas: failed to apply Machine: boom');
    expect(world.v1beta1('MachinesCreated')).toBe('False/Error/MachineCreationFailed failed to apply Machine: boom');
    expect(world.names('Machine')).toHaveLength(1);
    const names = () => world.all('FooMachine').map(({ metadata }) => metadata.name);
    const before = names();
    expect(before).toHaveLength(2);
    expect(world.reserved()?.split(',')).toHaveLength(4);
    world.api.calls.reset();
    expect(await world.reconcile(5)).toBe('done');
    expect(world.names('Machine')).toHaveLength(4);
    expect(names()).toEqual(expect.arrayContaining(before));
    expect(world.names('FooMachine')).toHaveLength(4);
    expect(world.reserved()).toBeUndefined();
  });

  it.each([
    {
      at: { verb: 'apply', kind: 'FooConfig' },
      error:
        'failed to clone bootstrap configuration from FooConfigTemplate ns/bt1 while creating a Machine: failed to create BootstrapConfig: failed to apply FooConfig: boom',
      condition:
        'False/Error/BootstrapTemplateCloningFailed failed to create BootstrapConfig: failed to apply FooConfig: boom',
    },
    {
      at: { verb: 'patch', kind: 'FooMachine' },
      error: expect.stringMatching(
        /^failed to clone infrastructure machine from FooMachineTemplate ns\/it1 while creating a Machine: failed to create InfraMachine: failed to remove managedFields for labels and annotations from FooMachine ns\/ms1-.{5}: boom$/,
      ),
      condition: expect.stringContaining(
        'False/Error/InfrastructureTemplateCloningFailed failed to create InfraMachine',
      ),
    },
    {
      at: { verb: 'patch', kind: 'MachineSet', name: 'ms1' },
      error: 'failed to reserve names of Machines: boom',
      condition: undefined,
    },
  ])('reports the error of $at.verb $at.kind, and continues', async ({ at, error, condition }) => {
    const world = await aWorld({ set: aSet({ replicas: 1 }) });
    world.failing(at);
    const result = await world.reconcile();
    if (condition !== undefined) {
      expect(result.replace('failed to sync replicas: ', '')).toEqual(error);
      expect(world.v1beta1('MachinesCreated')).toEqual(condition);
    }
    expect(world.names('Machine')).toEqual([]);
    world.api.calls.reset();
    expect(await world.reconcile(5)).toBe('done');
    expect(world.names('Machine')).toHaveLength(1);
    expect(world.names('FooMachine')).toHaveLength(1);
    expect(world.names('FooConfig')).toHaveLength(1);
  });

  it('reports that its names could not be reserved', async () => {
    const world = await aWorld({ set: aSet({ replicas: 1 }) });
    world.api.calls.fail({
      at: call => call.verb === 'patch' && call.kind === 'MachineSet' && call.subresource === undefined,
      failure: { reason: 'Forbidden', message: 'boom' },
    });
    expect(await world.reconcile()).toBe('failed to sync replicas: failed to reserve names of Machines: boom');
    expect(world.v1beta1('MachinesCreated')).toBe(
      'False/Error/MachineCreationFailed failed to reserve names of Machines: boom',
    );
    expect(world.names('FooMachine')).toEqual([]);
  });

  it('reports that its names could not be released', async () => {
    const world = await aWorld({ set: aSet({ replicas: 1 }) });
    world.api.calls.fail({
      at: call =>
        call.verb === 'patch' && call.kind === 'MachineSet' && call.subresource === undefined && isReserved(world),
      failure: { reason: 'Forbidden', message: 'boom' },
    });
    const error = 'failed to sync replicas: failed to release the reserved names of Machines: boom';
    expect(await world.reconcile()).toBe(error);
    expect(world.names('Machine')).toHaveLength(1);
    expect(await world.reconcile()).toBe(error);
    world.api.calls.reset();
    expect(await world.reconcile(5)).toBe('done');
    expect(world.names('Machine')).toHaveLength(1);
  });

  it('reports a missing template, and creates nothing', async () => {
    const world = await aWorld({ templates: [aConfigTemplate] });
    const missing =
      'failed to retrieve FooMachineTemplate ns/it1: foomachinetemplates.infrastructure.cluster.x-k8s.io "it1" not found';
    expect(await world.reconcile()).toBe(
      `[failed to reconcile infrastructure: ${missing}, failed to sync replicas: failed to clone infrastructure machine from FooMachineTemplate ns/it1 while creating a Machine: failed to create InfraMachine: failed to compute desired InfraMachine: ${missing}]`,
    );
    expect(world.v1beta1('MachinesCreated')).toContain('False/Error/InfrastructureTemplateCloningFailed');
    expect(world.condition('ScalingUp')).toBe(
      'True/ScalingUp Scaling up from 0 to 2 replicas is blocked because:\n* FooMachineTemplate does not exist',
    );
    expect(world.names('FooConfig')).toEqual([]);
    expect(world.status('observedGeneration')).toBeUndefined();
  });

  it('reports a bootstrap template that is missing', async () => {
    const set = aSet().annotated({ 'machineset.cluster.x-k8s.io/skip-preflight-checks': 'All' });
    const world = await aWorld({ set, templates: [aMachineTemplate] });
    expect(await world.reconcile()).toContain(
      'failed to sync replicas: failed to clone bootstrap configuration from FooConfigTemplate ns/bt1 while creating a Machine: failed to create BootstrapConfig: failed to compute desired BootstrapConfig: failed to retrieve',
    );
    expect(world.v1beta1('MachinesCreated')).toContain('False/Error/BootstrapTemplateCloningFailed');
  });

  it('reports a kind that is no template', async () => {
    const spec = { ...machineSpec, infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachine', name: 'x' } };
    const set = aSet({ template: { metadata: { labels: selectorLabels }, spec } });
    const world = await aWorld({ set });
    expect(await world.reconcile()).toContain('failed to compute desired InfraMachine: FooMachine x is not a template');
  });

  it('reports an infrastructure reference that is not set', async () => {
    const { infrastructureRef: _, ...spec } = machineSpec;
    const set = aSet({ template: { metadata: { labels: selectorLabels }, spec } }).build();
    const read = await readMembers(readWholeMachineSet(set), (await aWorld()).api.kubernetes);
    expect(read.infrastructureMachines).toEqual({
      state: 'failed',
      problem: 'failed to list objects from ref: object reference not set',
    });
    expect(cloneFor('n', readWholeMachineSet(set), { state: 'undefined' })).toEqual({
      ok: false,
      error: 'object reference not set',
    });
  });
});

describe('a template', () => {
  it('of an old MachineSet may be missing', async () => {
    const world = await aWorld({
      before: [aDeployment({}, '2')],
      set: aChild(),
      templates: [],
      machines: ['m1', 'm2'],
    });
    expect(await world.reconcile()).toBe('done');
    expect(world.condition('ScalingUp')).toBe(
      'False/NotScalingUp Scaling up would be blocked because FooConfigTemplate and FooMachineTemplate do not exist',
    );
  });

  it('gets the owner reference of the Cluster', async () => {
    const world = await aWorld({ templates: [aMachineTemplate.owners(), aConfigTemplate] });
    await world.reconcile();
    const ref = { ...refs.infra('it1'), kind: 'FooMachineTemplate' };
    expect(world.api.read(ref).metadata.ownerReferences).toEqual([{ ...clusterOwner, uid: expect.any(String) }]);
  });

  it('without this reference is reported if it cannot be written', async () => {
    const world = await aWorld({ templates: [aMachineTemplate, aConfigTemplate.owners()] });
    world.failing({ verb: 'patch', kind: 'FooConfigTemplate' });
    expect(await world.reconcile()).toBe('failed to reconcile bootstrapConfig: boom');
    expect(world.names('Machine')).toHaveLength(2);
  });

  it('without CRD is reported', async () => {
    const { machineTemplate: _, ...others } = crds;
    const world = await aWorld({ templates: [aConfigTemplate], crds: Object.values(others) });
    expect(await world.reconcile()).toContain(
      'failed to reconcile infrastructure: failed to get object from ref: failed to get CustomResourceDefinition metadata: ',
    );
  });
});

describe('an object that no Machine references', () => {
  const orphan = (kind: string, uid: string) =>
    new SetTestObject({ apiVersion: `${infraGroup}/v1beta2`, kind, name: 'lost' })
      .labelled(selectorLabels)
      .owners({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms1', uid });

  it('is deleted when no invocation can still use it', async () => {
    const world = await aWorld({
      set: aSet(),
      machines: ['m1', 'm2'],
      others: [orphan('FooMachine', 'u-ms')],
      isFresh: true,
    });
    expect(await world.reconcile(5)).toBe('requeueAfter 60000');
    expect(world.names('FooMachine')).toEqual(['lost', 'm1', 'm2']);
    await world.api.clock.advance(60_000);
    expect(await world.reconcile(5)).toBe('done');
    expect(world.names('FooMachine')).toEqual(['m1', 'm2']);
  });

  it('is kept if it has another owner', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'], others: [orphan('FooMachine', 'u-other')] });
    await world.api.clock.advance(600_000);
    await world.reconcile();
    expect(world.names('FooMachine')).toEqual(['lost', 'm1', 'm2']);
  });

  it('keeps new Machines from being created while it cannot be deleted', async () => {
    const world = await aWorld({
      machines: ['m1'],
      set: aSet({ replicas: 1 }),
      others: [orphan('FooMachine', 'u-ms')],
      isFresh: true,
    });
    await world.api.clock.advance(600_000);
    await world.change(refs.set, { spec: { replicas: 2 } });
    world.failing({ verb: 'delete', kind: 'FooMachine' });
    expect(await world.reconcile()).toBe(
      'failed to sync replicas: failed to cleanup orphaned objects: failed to delete FooMachine ns/lost: boom',
    );
    expect(world.names('Machine')).toEqual(['m1']);
  });

  it('keeps new Machines from being created while it cannot be listed', async () => {
    const world = await aWorld({ machines: ['m1', 'm2'] });
    world.failing({ verb: 'list', kind: 'FooConfig' });
    const error = 'failed to sync replicas: failed to cleanup orphaned objects: failed to list FooConfig objects: boom';
    await world.change(refs.set, { spec: { replicas: 3 } });
    expect(await world.reconcile()).toBe(error);
    expect(world.names('Machine')).toEqual(['m1', 'm2']);
    await world.change(refs.set, { spec: { replicas: 1 } });
    expect(await world.reconcile()).toBe(error);
    expect(world.isDeleting('m1')).toBe(true);
  });
});
