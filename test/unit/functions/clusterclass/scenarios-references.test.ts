// Scenarios of the ClusterClass's behaviour: referenced templates, their owners and their versions.

import type { OwnerReference } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { aClusterClass, aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { aWorld, classRef, logs, ownerOf, type ReconciledClass, refOf } from './reconciled-class.ts';
import {
  aTemplateKind,
  dockerTemplate,
  group,
  notFound,
  stateOf,
  status,
  unknown,
  without,
} from './referenced-templates.ts';

const machineNotFound = (name: string): string =>
  notFound('SimulatedMachineTemplate', 'simulatedmachinetemplates', name);

describe('a template that is missing', () => {
  it('sets the versions to unknown, and all other templates get the owner reference', async () => {
    const clusterClass = aClusterClass().withVariables({ name: 'a', schema: { type: 'string' } });
    const world = aWorld(clusterClass, { templates: without('workerBootstrap') });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual({
      ...unknown,
      result:
        'Could not find external object for the ClusterClass. refGroupVersionKind: bootstrap.cluster.x-k8s.io/v1beta2, Kind=SimulatedBootstrapConfigTemplate, refName: worker-boot, refNamespace: ns: failed to retrieve SimulatedBootstrapConfigTemplate ns/worker-boot: simulatedbootstrapconfigtemplates.bootstrap.cluster.x-k8s.io "worker-boot" not found',
      observed: undefined,
    });
    expect(reconciled.v1beta1('RefVersionsUpToDate')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.isRetried).toBe(true);
    expect(reconciled.variables).toMatchObject([{ name: 'a' }]);
    for (const template of without('workerBootstrap')) {
      expect(world.ownersOf(template)).toEqual([ownerOf(reconciled.object)]);
    }
    expect(reconciled.writes).toHaveLength(8);
  });

  it('is reported together with another one, in the order in which the class names them', async () => {
    const world = aWorld(aClusterClass(), { templates: without('workerMachine', 'controlPlaneMachine') });
    const reconciled = await world.settle();
    const errors = [machineNotFound('cp-machine'), machineNotFound('worker-machine')];
    expect(stateOf(reconciled)).toEqual({ ...unknown, result: `[${errors.join(', ')}]`, observed: undefined });
    expect(reconciled.writes).toHaveLength(7);
  });

  it('keeps the observed generation', async () => {
    const world = aWorld(aClusterClass());
    await world.settle();
    await world.change({ spec: { controlPlane: { machineInfrastructure: { templateRef: { name: 'gone' } } } } });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual({ ...unknown, result: machineNotFound('gone'), observed: 1 });
    expect(reconciled.generationOf('RefVersionsUpToDate')).toBe(2);
    expect(reconciled.writes).toEqual([status]);
    expect((await world.settle()).writes).toEqual([]);
  });

  it('is marked once it exists', async () => {
    const world = aWorld(aClusterClass(), { templates: without('workerMachine') });
    await world.settle();
    world.api.given(templates.workerMachine);
    const reconciled = await world.settle();
    expect(reconciled.writes).toEqual(['patch SimulatedMachineTemplate ns/worker-machine', status]);
    expect(stateOf(reconciled)).toMatchObject({ result: 'done', refs: 'True/RefVersionsUpToDate', observed: 1 });
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
    const reconciled = await aWorld(aPlainClusterClass().withControlPlaneMachines(ref)).settle();
    expect(reconciled.result).toMatch(
      new RegExp(
        `^failed to get the external object for the ClusterClass. refGroupVersionKind: ${ref.apiVersion}, Kind=${ref.kind}, refName: ${ref.name}, refNamespace: ns: failed to retrieve ${ref.kind} ns/${ref.name}: .+`,
      ),
    );
    expect(reconciled.condition('RefVersionsUpToDate')).toBe(unknown.refs);
  });

  it('is reported with the error of the API server', async () => {
    const world = aWorld(aPlainClusterClass());
    world.api.calls.fail({
      at: ({ verb, kind }) => verb === 'metadata' && kind === 'SimulatedClusterTemplate',
      failure: { reason: 'Forbidden', message: 'not for you' },
    });
    const reconciled = await world.settle();
    expect(reconciled.result).toBe(
      `failed to get the external object for the ClusterClass. refGroupVersionKind: ${group}/v1beta2, Kind=SimulatedClusterTemplate, refName: infra, refNamespace: ns: failed to retrieve SimulatedClusterTemplate ns/infra: not for you`,
    );
  });
});

describe('a template that is named more than once', () => {
  it('is read and marked once', async () => {
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
    const reconciled = await world.settle();
    expect(reads).toBe(1);
    expect(reconciled.writes.filter(line => line.includes('Bootstrap'))).toEqual([
      'patch SimulatedBootstrapConfigTemplate ns/worker-boot',
    ]);
    expect(stateOf(reconciled)).toEqual({
      result: 'done',
      refs: 'True/RefVersionsUpToDate',
      variables: 'True/VariablesReady',
      observed: 1,
    });
  });

  it('is checked twice and marked once when it is named in two versions', async () => {
    const docker = dockerTemplate('v1beta1');
    const worker = { bootstrap: templates.workerBootstrap, infrastructure: dockerTemplate('v1beta2') };
    const clusterClass = aPlainClusterClass().withControlPlaneMachines(docker).withMachineDeployments({ a: worker });
    const reconciled = await aWorld(clusterClass, {
      crds: [aTemplateKind('DockerMachineTemplate', ['v1beta1', 'v1beta2'], { 'cluster.x-k8s.io/v1beta2': 'v1beta2' })],
      templates: [...Object.values(templates), docker],
    }).settle();
    expect(reconciled.passes).toBe(2);
    expect(reconciled.writes.filter(line => line.includes('Docker'))).toEqual(['patch DockerMachineTemplate ns/t']);
    expect(reconciled.condition('RefVersionsUpToDate')).toBe(
      'False/RefVersionsNotUpToDate The following templateRefs are not using the latest apiVersion:\n* DockerMachineTemplate t: current: v1beta1, latest: v1beta2',
    );
  });
});

describe('the mark on a template', () => {
  const self: OwnerReference = { ...ownerOf(undefined), name: 'cc' };
  const other = { ...self, name: 'other', uid: 'uid-other' };
  const machineSet = { apiVersion: 'example.com/v1', kind: 'Thing', name: 'thing', uid: 'uid-thing' };

  /** Returns the owners of a template that had these owners. They may reference the class by the given uid. */
  async function ownersAfter(owners: (uid: string) => readonly OwnerReference[]): Promise<{
    readonly reconciled: ReconciledClass;
    readonly before: readonly OwnerReference[];
    readonly after: readonly OwnerReference[];
  }> {
    const world = aWorld(aPlainClusterClass());
    const before = owners(world.api.read(classRef).metadata.uid);
    await world.change({ metadata: { ownerReferences: before } }, refOf(templates.infrastructure));
    const reconciled = await world.settle();
    return { reconciled, before, after: world.ownersOf(templates.infrastructure) };
  }

  const patched = 'patch SimulatedClusterTemplate ns/infra';

  it.each([
    {
      reason: 'the exact owner is not written again',
      owners: (uid: string) => [{ ...self, uid }],
      wanted: (uid: string) => [{ ...self, uid }],
      writes: false,
    },
    {
      reason: 'blockOwnerDeletion is not compared',
      owners: (uid: string) => [{ ...self, uid, blockOwnerDeletion: true, controller: false }],
      wanted: (uid: string) => [{ ...self, uid, blockOwnerDeletion: true, controller: false }],
      writes: false,
    },
    {
      reason: 'an old uid is replaced in its place',
      owners: () => [machineSet, { ...self, uid: 'uid-old' }, other],
      wanted: (uid: string) => [machineSet, { ...self, uid }, other],
      writes: true,
    },
    {
      reason: 'an older version is replaced in its place',
      owners: (uid: string) => [{ ...self, apiVersion: 'cluster.x-k8s.io/v1beta1', uid }],
      wanted: (uid: string) => [{ ...self, uid }],
      writes: true,
    },
    {
      reason: 'the class is not the controller of its templates',
      owners: (uid: string) => [{ ...self, uid, controller: true, blockOwnerDeletion: true }],
      wanted: (uid: string) => [{ ...self, uid }],
      writes: true,
    },
    {
      reason: 'a second class becomes an owner beside the first',
      owners: () => [other],
      wanted: (uid: string) => [other, { ...self, uid }],
      writes: true,
    },
  ])('$reason', async ({ owners, wanted, writes }) => {
    const { reconciled, after } = await ownersAfter(owners);
    expect(after).toEqual(wanted(reconciled.object?.metadata.uid ?? ''));
    expect(reconciled.writes.includes(patched)).toBe(writes);
    expect(stateOf(reconciled)).toMatchObject({ result: 'done', refs: 'True/RefVersionsUpToDate', observed: 1 });
  });

  it('keeps the owner that another writer adds concurrently', async () => {
    const world = aWorld(aPlainClusterClass());
    let raced = false;
    world.api.calls.before(
      ({ verb, kind }) => verb === 'patch' && kind === 'SimulatedClusterTemplate' && !raced,
      async () => {
        raced = true;
        await world.change({ metadata: { ownerReferences: [other] } }, refOf(templates.infrastructure));
      },
    );
    const reconciled = await world.settle();
    expect(world.ownersOf(templates.infrastructure)).toEqual([other, ownerOf(reconciled.object)]);
    expect(reconciled.writes).toContain(`${patched} → Conflict`);
    expect(reconciled.result).toBe('done');
  });

  it('is reported if it fails, and the other templates are marked', async () => {
    const world = aWorld(aPlainClusterClass());
    world.api.calls.fail({
      at: ({ verb, kind }) => verb === 'patch' && kind === 'SimulatedClusterTemplate',
      failure: { reason: 'Forbidden', message: 'not for you' },
    });
    const reconciled = await world.settle();
    expect(stateOf(reconciled)).toEqual({ ...unknown, result: 'not for you', observed: undefined });
    expect(world.ownersOf(templates.controlPlane)).toEqual([ownerOf(reconciled.object)]);
  });

  it('is not put on templates of remediation, which are not even read', async () => {
    const templateRef = { apiVersion: `${group}/v1`, kind: 'RemediationTemplate', name: 'gone' };
    const clusterClass = aClusterClass().withControlPlaneFields({ healthCheck: { remediation: { templateRef } } });
    const reconciled = await aWorld(clusterClass).settle();
    expect(stateOf(reconciled)).toMatchObject({ result: 'done', refs: 'True/RefVersionsUpToDate', observed: 1 });
    expect(reconciled.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(reconciled.writes).toHaveLength(9);
  });
});
