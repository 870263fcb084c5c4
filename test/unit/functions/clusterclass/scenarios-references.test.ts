// Scenarios of the ClusterClass's behaviour: the templates that it names, their owners and their versions.
import { describe, expect, it } from 'vitest';
import type { Intent, OwnerReference } from '../../../../shared/api/object.ts';
import { aClusterClass, aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';
import { aWorld, classRef, logs, ownerOf, refOf, type Told, type World, type WorldOptions } from './world.ts';

const status = 'patch ClusterClass ns/cc status';
const group = 'infrastructure.cluster.x-k8s.io';
const notFound = (kind: string, plural: string, name: string): string =>
  `Could not find external object for the ClusterClass. refGroupVersionKind: ${group}/v1beta2, Kind=${kind}, refName: ${name}, refNamespace: ns: failed to retrieve ${kind} ns/${name}: ${plural}.${group} "${name}" not found`;
const machineNotFound = (name: string): string =>
  notFound('SimulatedMachineTemplate', 'simulatedmachinetemplates', name);

/** Everything but these. */
function without(...missing: readonly (keyof typeof templates)[]) {
  return Object.entries(templates).flatMap(([role, template]) => (missing.some(one => one === role) ? [] : [template]));
}

/** A kind of templates in these versions, all served, with these labels. */
function aTemplateKind(kind: string, versions: readonly string[], labels: Readonly<Record<string, string>>): Intent {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}

function dockerTemplate(version: string, name = 't'): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: `${group}/${version}`, kind: 'DockerMachineTemplate', name });
}

/** The class of which the control plane's machines are made from a template in this version, whose kind has these labels. */
async function versioned(version: string, labels: Readonly<Record<string, string>>, more: WorldOptions = {}) {
  const docker = dockerTemplate(version);
  const world = aWorld(aPlainClusterClass().withControlPlaneMachines(docker), {
    crds: [aTemplateKind('DockerMachineTemplate', ['v1beta1', 'v1beta2', 'v1'], labels)],
    templates: [...Object.values(templates), docker],
    ...more,
  });
  return world.settle();
}

function stateOf(told: Told) {
  return {
    result: told.result,
    refs: told.condition('RefVersionsUpToDate'),
    variables: told.condition('VariablesReady'),
    observed: told.observedGeneration,
  };
}

const unknown = { refs: `Unknown/InternalError ${logs}`, variables: 'True/VariablesReady' };

describe('a template that is missing', () => {
  it('scenario 7: makes the versions unknown, and keeps nothing else from being done', async () => {
    const clusterClass = aClusterClass().withVariables({ name: 'a', schema: { type: 'string' } });
    const world = aWorld(clusterClass, { templates: without('workerBootstrap') });
    const told = await world.settle();
    expect(stateOf(told)).toEqual({
      ...unknown,
      result:
        'Could not find external object for the ClusterClass. refGroupVersionKind: bootstrap.cluster.x-k8s.io/v1beta2, Kind=SimulatedBootstrapConfigTemplate, refName: worker-boot, refNamespace: ns: failed to retrieve SimulatedBootstrapConfigTemplate ns/worker-boot: simulatedbootstrapconfigtemplates.bootstrap.cluster.x-k8s.io "worker-boot" not found',
      observed: undefined,
    });
    expect(told.v1beta1('RefVersionsUpToDate')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.isRetried).toBe(true);
    expect(told.variables).toMatchObject([{ name: 'a' }]);
    for (const template of without('workerBootstrap')) {
      expect(world.ownersOf(template)).toEqual([ownerOf(told.object)]);
    }
    expect(told.writes).toHaveLength(8);
  });

  it('scenario 8: is told beside another one, in the order in which the class names them', async () => {
    const world = aWorld(aClusterClass(), { templates: without('workerMachine', 'controlPlaneMachine') });
    const told = await world.settle();
    const errors = [machineNotFound('cp-machine'), machineNotFound('worker-machine')];
    expect(stateOf(told)).toEqual({ ...unknown, result: `[${errors.join(', ')}]`, observed: undefined });
    expect(told.writes).toHaveLength(7);
  });

  it('leaves the generation that was observed before where it was', async () => {
    const world = aWorld(aClusterClass());
    await world.settle();
    await world.change({ spec: { controlPlane: { machineInfrastructure: { templateRef: { name: 'gone' } } } } });
    const told = await world.settle();
    expect(stateOf(told)).toEqual({ ...unknown, result: machineNotFound('gone'), observed: 1 });
    expect(told.generationOf('RefVersionsUpToDate')).toBe(2);
    expect(told.writes).toEqual([status]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('is marked once it is there', async () => {
    const world = aWorld(aClusterClass(), { templates: without('workerMachine') });
    await world.settle();
    world.api.given(templates.workerMachine);
    const told = await world.settle();
    expect(told.writes).toEqual(['patch SimulatedMachineTemplate ns/worker-machine', status]);
    expect(stateOf(told)).toMatchObject({ result: 'done', refs: 'True/RefVersionsUpToDate', observed: 1 });
  });
});

describe('a template that cannot be read', () => {
  it.each([
    {
      ref: { apiVersion: `${group}/v9`, kind: 'SimulatedMachineTemplate', name: 'cp-machine' },
      reason: 'its version is not served',
    },
    { ref: { apiVersion: `${group}/v1`, kind: 'UnknownTemplate', name: 'x' }, reason: 'its kind is not defined' },
  ])('is not called missing: $reason', async ({ ref }) => {
    const told = await aWorld(aPlainClusterClass().withControlPlaneMachines(ref)).settle();
    expect(told.result).toMatch(
      new RegExp(
        `^failed to get the external object for the ClusterClass. refGroupVersionKind: ${ref.apiVersion}, Kind=${ref.kind}, refName: ${ref.name}, refNamespace: ns: failed to retrieve ${ref.kind} ns/${ref.name}: .+`,
      ),
    );
    expect(told.condition('RefVersionsUpToDate')).toBe(unknown.refs);
  });

  it('is told as such when the API server refuses', async () => {
    const world = aWorld(aPlainClusterClass());
    world.api.calls.fail({
      at: ({ verb, kind }) => verb === 'metadata' && kind === 'SimulatedClusterTemplate',
      failure: { reason: 'Forbidden', message: 'not for you' },
    });
    const told = await world.settle();
    expect(told.result).toBe(
      `failed to get the external object for the ClusterClass. refGroupVersionKind: ${group}/v1beta2, Kind=SimulatedClusterTemplate, refName: infra, refNamespace: ns: failed to retrieve SimulatedClusterTemplate ns/infra: not for you`,
    );
  });
});

describe('a template that is named more than once', () => {
  it('scenario 9: is read and marked once', async () => {
    const worker = { bootstrap: templates.workerBootstrap, infrastructure: templates.workerMachine };
    const clusterClass = aPlainClusterClass().withMachineDeployments({ a: worker, b: worker, c: worker });
    const world = aWorld(clusterClass);
    let reads = 0;
    world.api.calls.before(
      ({ kind, verb }) => kind === 'SimulatedBootstrapConfigTemplate' && verb === 'metadata',
      () => {
        reads += 1;
      },
    );
    const told = await world.settle();
    expect(reads).toBe(1);
    expect(told.writes.filter(line => line.includes('Bootstrap'))).toEqual([
      'patch SimulatedBootstrapConfigTemplate ns/worker-boot',
    ]);
    expect(stateOf(told)).toEqual({
      result: 'done',
      refs: 'True/RefVersionsUpToDate',
      variables: 'True/VariablesReady',
      observed: 1,
    });
  });

  it('is judged twice and marked once when it is named in two versions', async () => {
    const docker = dockerTemplate('v1beta1');
    const worker = { bootstrap: templates.workerBootstrap, infrastructure: dockerTemplate('v1beta2') };
    const clusterClass = aPlainClusterClass().withControlPlaneMachines(docker).withMachineDeployments({ a: worker });
    const told = await aWorld(clusterClass, {
      crds: [aTemplateKind('DockerMachineTemplate', ['v1beta1', 'v1beta2'], { 'cluster.x-k8s.io/v1beta2': 'v1beta2' })],
      templates: [...Object.values(templates), docker],
    }).settle();
    expect(told.passes).toBe(2);
    expect(told.writes.filter(line => line.includes('Docker'))).toEqual(['patch DockerMachineTemplate ns/t']);
    expect(told.condition('RefVersionsUpToDate')).toBe(
      'False/RefVersionsNotUpToDate The following templateRefs are not using the latest apiVersion:\n* DockerMachineTemplate t: current: v1beta1, latest: v1beta2',
    );
  });
});

describe('the mark on a template', () => {
  const self: OwnerReference = { ...ownerOf(undefined), name: 'cc' };
  const other = { ...self, name: 'other', uid: 'uid-other' };
  const machineSet = { apiVersion: 'example.com/v1', kind: 'Thing', name: 'thing', uid: 'uid-thing' };

  /** The owners of a template that had these, which may name the class by the uid that it is given. */
  async function ownersAfter(owners: (uid: string) => readonly OwnerReference[]): Promise<{
    readonly told: Told;
    readonly before: readonly OwnerReference[];
    readonly after: readonly OwnerReference[];
  }> {
    const world = aWorld(aPlainClusterClass());
    const before = owners(world.api.read(classRef).metadata.uid);
    await world.change({ metadata: { ownerReferences: before } }, refOf(templates.infrastructure));
    const told = await world.settle();
    return { told, before, after: world.ownersOf(templates.infrastructure) };
  }

  const patched = 'patch SimulatedClusterTemplate ns/infra';

  it.each([
    {
      reason: 'scenario 10: the exact owner is left alone',
      owners: (uid: string) => [{ ...self, uid }],
      wanted: (uid: string) => [{ ...self, uid }],
      writes: false,
    },
    {
      reason: 'blockOwnerDeletion is nobody’s concern',
      owners: (uid: string) => [{ ...self, uid, blockOwnerDeletion: true, controller: false }],
      wanted: (uid: string) => [{ ...self, uid, blockOwnerDeletion: true, controller: false }],
      writes: false,
    },
    {
      reason: 'scenario 11: an old uid is replaced in its place',
      owners: () => [machineSet, { ...self, uid: 'uid-old' }, other],
      wanted: (uid: string) => [machineSet, { ...self, uid }, other],
      writes: true,
    },
    {
      reason: 'scenario 12: an older version is replaced in its place',
      owners: (uid: string) => [{ ...self, apiVersion: 'cluster.x-k8s.io/v1beta1', uid }],
      wanted: (uid: string) => [{ ...self, uid }],
      writes: true,
    },
    {
      reason: 'scenario 13: the class is no controller of its templates',
      owners: (uid: string) => [{ ...self, uid, controller: true, blockOwnerDeletion: true }],
      wanted: (uid: string) => [{ ...self, uid }],
      writes: true,
    },
    {
      reason: 'scenario 14: a second class becomes an owner beside the first',
      owners: () => [other],
      wanted: (uid: string) => [other, { ...self, uid }],
      writes: true,
    },
  ])('$reason', async ({ owners, wanted, writes }) => {
    const { told, after } = await ownersAfter(owners);
    expect(after).toEqual(wanted(told.object?.metadata.uid ?? ''));
    expect(told.writes.includes(patched)).toBe(writes);
    expect(stateOf(told)).toMatchObject({ result: 'done', refs: 'True/RefVersionsUpToDate', observed: 1 });
  });

  it('keeps the owner that somebody else adds meanwhile', async () => {
    const world = aWorld(aPlainClusterClass());
    let raced = false;
    world.api.calls.before(
      ({ verb, kind }) => verb === 'patch' && kind === 'SimulatedClusterTemplate' && !raced,
      async () => {
        raced = true;
        await world.change({ metadata: { ownerReferences: [other] } }, refOf(templates.infrastructure));
      },
    );
    const told = await world.settle();
    expect(world.ownersOf(templates.infrastructure)).toEqual([other, ownerOf(told.object)]);
    expect(told.writes).toContain(`${patched} → Conflict`);
    expect(told.result).toBe('done');
  });

  it('is told as it failed, and the other templates are marked', async () => {
    const world = aWorld(aPlainClusterClass());
    world.api.calls.fail({
      at: ({ verb, kind }) => verb === 'patch' && kind === 'SimulatedClusterTemplate',
      failure: { reason: 'Forbidden', message: 'not for you' },
    });
    const told = await world.settle();
    expect(stateOf(told)).toEqual({ ...unknown, result: 'not for you', observed: undefined });
    expect(world.ownersOf(templates.controlPlane)).toEqual([ownerOf(told.object)]);
  });

  it('scenario 15: is not put on templates of remediation, which are not even read', async () => {
    const templateRef = { apiVersion: `${group}/v1`, kind: 'RemediationTemplate', name: 'gone' };
    const clusterClass = aClusterClass().withControlPlaneFields({ healthCheck: { remediation: { templateRef } } });
    const told = await aWorld(clusterClass).settle();
    expect(stateOf(told)).toMatchObject({ result: 'done', refs: 'True/RefVersionsUpToDate', observed: 1 });
    expect(told.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(told.writes).toHaveLength(9);
  });
});

describe('the versions in which templates are named', () => {
  const outdated = (...lines: readonly string[]): string =>
    ['The following templateRefs are not using the latest apiVersion:', ...lines].join('\n');

  it('scenario 16: an older one than the contract’s greatest is told, and the class counts as observed', async () => {
    const told = await versioned('v1beta1', { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2' });
    const message = outdated('* DockerMachineTemplate t: current: v1beta1, latest: v1beta2');
    expect(stateOf(told)).toEqual({
      result: 'done',
      refs: `False/RefVersionsNotUpToDate ${message}`,
      variables: 'True/VariablesReady',
      observed: 1,
    });
    expect(told.v1beta1('RefVersionsUpToDate')).toBe(`False/Warning/OutdatedRefVersions ${message}`);
    expect(told.writes).toHaveLength(5);
  });

  it('scenario 17: all of them are listed, the control plane first', async () => {
    const machine = dockerTemplate('v1beta1', 'cp');
    const worker = { bootstrap: templates.workerBootstrap, infrastructure: dockerTemplate('v1beta1', 'md') };
    const clusterClass = aPlainClusterClass().withControlPlaneMachines(machine).withMachineDeployments({ a: worker });
    const told = await aWorld(clusterClass, {
      crds: [aTemplateKind('DockerMachineTemplate', ['v1beta1'], { 'cluster.x-k8s.io/v1beta2': 'v1beta2' })],
      templates: [...Object.values(templates), machine, worker.infrastructure],
    }).settle();
    const lines = ['cp', 'md'].map(name => `* DockerMachineTemplate ${name}: current: v1beta1, latest: v1beta2`);
    expect(told.condition('RefVersionsUpToDate')).toBe(`False/RefVersionsNotUpToDate ${outdated(...lines)}`);
    expect(told.writes).toContain('patch DockerMachineTemplate ns/md');
    expect(told.result).toBe('done');
  });

  it.each([
    {
      reason: 'scenario 18: the older contract counts where the newer has no label',
      labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha3_v1beta1' },
      version: 'v1beta1',
      refs: 'True/RefVersionsUpToDate',
    },
    {
      reason: 'scenario 19: a stable version is greater than any beta',
      labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2_v1' },
      version: 'v1beta2',
      refs: `False/RefVersionsNotUpToDate ${outdated('* DockerMachineTemplate t: current: v1beta2, latest: v1')}`,
    },
    {
      reason: 'a version ahead of the contract’s is told too',
      labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1' },
      version: 'v1',
      refs: `False/RefVersionsNotUpToDate ${outdated('* DockerMachineTemplate t: current: v1, latest: v1beta1')}`,
    },
    {
      reason: 'an empty label is none',
      labels: { 'cluster.x-k8s.io/v1beta2': '', 'cluster.x-k8s.io/v1beta1': 'v1beta1' },
      version: 'v1beta1',
      refs: 'True/RefVersionsUpToDate',
    },
  ])('$reason', async ({ labels, version, refs }) => {
    const told = await versioned(version, labels);
    expect(stateOf(told)).toEqual({ result: 'done', refs, variables: 'True/VariablesReady', observed: 1 });
    expect(told.writes).toHaveLength(5);
  });

  it('scenario 20: cannot be judged without a contract label', async () => {
    const told = await versioned('v1', {});
    expect(stateOf(told)).toEqual({
      ...unknown,
      result:
        'failed to update apiVersion in ref: cannot find any versions matching contract versions ["v1beta2" "v1beta1"] for CRD dockermachinetemplates.infrastructure.cluster.x-k8s.io as contract version label(s) are either missing or empty (see https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview.html#api-version-labels)',
      observed: undefined,
    });
    expect(told.writes).toContain('patch DockerMachineTemplate ns/t');
  });

  it('cannot be judged without the definition, which is read once for all templates of a kind', async () => {
    const world = aWorld(aClusterClass());
    world.api.calls.fail({
      at: ({ verb, of }) => verb === 'metadata' && 'name' in of && of.name === `simulatedmachinetemplates.${group}`,
      failure: { reason: 'Forbidden', message: 'not for you' },
      times: 1,
    });
    const told = await world.settle();
    expect(told.result).toBe(
      'failed to update apiVersion in ref: failed to get CustomResourceDefinition metadata: not for you',
    );
    expect(told.condition('RefVersionsUpToDate')).toBe(unknown.refs);
  });

  it('scenario 21: are unknown as soon as one template is missing, whatever is outdated', async () => {
    const told = await versioned(
      'v1beta1',
      { 'cluster.x-k8s.io/v1beta2': 'v1beta2' },
      { templates: [templates.controlPlane, dockerTemplate('v1beta1')] },
    );
    expect(stateOf(told)).toEqual({
      ...unknown,
      result: notFound('SimulatedClusterTemplate', 'simulatedclustertemplates', 'infra'),
      observed: undefined,
    });
    expect(told.writes).toContain('patch DockerMachineTemplate ns/t');
  });

  it('are up to date again once the labels lead back', async () => {
    const docker = dockerTemplate('v1beta1');
    const crd = aTemplateKind('DockerMachineTemplate', ['v1beta1', 'v1beta2'], {
      'cluster.x-k8s.io/v1beta2': 'v1beta1_v1beta2',
    });
    const world: World = aWorld(aPlainClusterClass().withControlPlaneMachines(docker), {
      crds: [crd],
      templates: [...Object.values(templates), docker],
    });
    await world.settle();
    const definition = { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
    await world.change({ metadata: { labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1' } } }, definition);
    const told = await world.settle();
    expect(told.writes).toEqual([status]);
    expect(told.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
    expect(told.v1beta1('RefVersionsUpToDate')).toBe('True');
  });
});
