// Scenarios of the deletion of a Machine, but for the drain: hooks, objects, volumes, Node, finalizer.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aDeletedMachine, changed, deletingWorld, reconcileOnce } from './machine-pass.ts';
import {
  aCapiCluster,
  aCrd,
  aMachine,
  bootstrapOk,
  controlPlaneMachine,
  crds,
  finalizer,
  infraOk,
  logs,
  nodeOk,
  now,
  TestObject,
} from './scenario-objects.ts';

const preDrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io';
const preTerminate = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io';
const annotated = (annotations: Readonly<Record<string, string>>) => ({ metadata: { annotations } });
const cordoned = () => nodeOk().withSpec({ unschedulable: true });
const withNode = { ...deletingWorld, workload: [cordoned()] };
const started = timestamp(now);
const waitsForInfra = 'True/WaitingForInfrastructureDeletion Waiting for FooMachine to be deleted';
const readyInStage = (stage: string) => `False/NotReady * Deleting: Machine deletion in progress, stage: ${stage}`;
const deletesInfra = ['delete FooMachine ns/i1'];

const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'FooControlPlane', name: 'cp1' };
const cp1 = () =>
  new TestObject({ apiVersion: 'controlplane.cluster.x-k8s.io/v1', kind: 'FooControlPlane', name: 'cp1' });
const withControlPlane = (object: TestObject) => ({
  ...withNode,
  cluster: aCapiCluster().withControlPlaneRef(controlPlaneRef),
  crds: [...crds, aCrd(controlPlaneRef)],
  objects: [bootstrapOk(), infraOk(), object],
});

describe('whether the Node is drained and deleted', () => {
  it('not if the Cluster is being deleted, not even after hooks (scenario 70)', async () => {
    const machine = changed(await aDeletedMachine(), annotated({ [`${preDrain}/x`]: '' }));
    const cluster = aCapiCluster().deleting().withFinalizers('x');
    const pass = await reconcileOnce(machine, { ...withNode, cluster });
    expect(pass.writes).toEqual(deletesInfra);
    expect(pass.condition('Deleting')).toBe(waitsForInfra);
    expect(pass.condition('Ready')).toBe(readyInStage('WaitingForInfrastructureDeletion'));
    expect(pass.v1beta1('PreTerminateDeleteHookSucceeded')).toBe('True');
    expect(pass.v1beta1('DrainingSucceeded')).toBeUndefined();
    expect(pass.status['phase']).toBe('Deleting');
    expect(pass.result).toBe('done');
  });

  it('not without Node: values are still copied (scenario 71)', async () => {
    const machine = aMachine().deleting(now - 60_000);
    const pass = await reconcileOnce(machine, {
      objects: [bootstrapOk(), infraOk().withSpec({ providerID: '' }), controlPlaneMachine],
    });
    expect(pass.writes).toEqual([
      'patch Machine ns/m1 {"spec":{"bootstrap":{"dataSecretName":"s1"}}}',
      ...deletesInfra,
    ]);
    expect(pass.condition('NodeReady')).toBe('Unknown/NodeDoesNotExist Node does not exist');
    expect(pass.condition('NodeHealthy')).toBe('Unknown/NodeDoesNotExist Node does not exist');
    expect(pass.condition('Ready')).toBe(readyInStage('WaitingForInfrastructureDeletion'));
  });

  it('not without another control plane Machine (scenario 72)', async () => {
    const deletingMember = controlPlaneMachine.deleting().withFinalizers('x');
    const pass = await reconcileOnce(await aDeletedMachine(), {
      ...withNode,
      objects: [bootstrapOk(), infraOk(), deletingMember],
    });
    expect(pass.writes).toEqual(deletesInfra);
  });

  it('yes if the control plane is managed elsewhere (scenario 73)', async () => {
    const pass = await reconcileOnce(
      await aDeletedMachine(),
      withControlPlane(cp1().withStatus({ externalManagedControlPlane: true })),
    );
    expect(pass.events).toEqual([
      'Normal SuccessfulDrainNode success draining Machine\'s node "n1"',
      'Normal NodeVolumesDetached success waiting for node volumes detaching Machine\'s node "n1"',
    ]);
    expect(pass.writes).toEqual(deletesInfra);
  });

  it('not if the control plane is being deleted (scenario 74)', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), withControlPlane(cp1().deleting().withFinalizers('x')));
    expect(pass.writes).toEqual(deletesInfra);
    expect(pass.events).toEqual([]);
  });

  it('the members decide if the control plane object is missing or says nothing', async () => {
    const { objects, ...world } = withControlPlane(cp1());
    const missing = await reconcileOnce(await aDeletedMachine(), { ...world, objects: objects.slice(0, 2) });
    expect(missing.events).toEqual([]);
    const silent = await reconcileOnce(await aDeletedMachine(), {
      ...world,
      objects: [...objects, controlPlaneMachine],
    });
    expect(silent.events).toHaveLength(2);
  });

  it('is an error if the control plane cannot be read (scenario 75)', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), { ...withControlPlane(cp1()), crds });
    expect(pass.result).toContain(
      'failed to check if Kubernetes Node deletion is allowed: failed to get object from ref: failed to get CustomResourceDefinition metadata: ',
    );
    expect(pass.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(pass.writes).toEqual([]);
  });

  it('is an error if the Machines cannot be listed', async () => {
    const readFaults = [{ at: 'list Machine ns', message: 'boom' }];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...withNode, readFaults });
    expect(pass.result).toBe('failed to check if Kubernetes Node deletion is allowed: failed to list machines: boom');
  });
});

describe('owners of a Machine in deletion that are gone', () => {
  it('the Cluster', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), { ...withNode, cluster: null });
    expect(pass.writes).toEqual(deletesInfra);
    expect(pass.asked).toEqual([]);
    expect(pass.condition('NodeReady')).toBe('True/NodeReady');
  });

  it('MachineSet and MachineDeployment', async () => {
    for (const owners of [{ machineSet: null }, { machineDeployment: null }]) {
      const pass = await reconcileOnce(await aDeletedMachine(), { ...withNode, ...owners });
      expect(pass.writes).toEqual(deletesInfra);
    }
  });
});

describe('hooks', () => {
  it.each([
    { keys: [`${preDrain}/b`, `${preDrain}/a`], shown: `${preDrain}/a,${preDrain}/b`, reason: 'sorted (scenario 76)' },
    { keys: [`${preDrain}foo`], shown: `${preDrain}foo`, reason: 'without a slash (scenario 77)' },
  ])('hold the deletion before the drain: $reason', async ({ keys, shown }) => {
    const machine = changed(await aDeletedMachine(), annotated(Object.fromEntries(keys.map(key => [key, '']))));
    const pass = await reconcileOnce(machine, deletingWorld);
    expect(pass.condition('Deleting')).toBe(
      `True/WaitingForPreDrainHook Waiting for pre-drain hooks to succeed (hooks: ${shown})`,
    );
    expect(pass.status['deletion']).toEqual({ waitForPreDrainHookStartTime: started });
    expect(pass.v1beta1('PreDrainDeleteHookSucceeded')).toBe('False/Info/WaitingExternalHook');
    expect(pass.writes).toEqual([]);
    expect(pass.result).toBe('done');
  });

  it('keep the time at which the wait began', async () => {
    const machine = changed(await aDeletedMachine(), {
      ...annotated({ [`${preDrain}/a`]: '' }),
      status: { deletion: { waitForPreDrainHookStartTime: '2026-01-01T01:00:00Z' } },
    });
    const pass = await reconcileOnce(machine, deletingWorld);
    expect(pass.status['deletion']).toEqual({ waitForPreDrainHookStartTime: '2026-01-01T01:00:00Z' });
  });

  it('before the infrastructure is deleted, they end the drain permanently (scenario 100)', async () => {
    const machine = changed(await aDeletedMachine(), annotated({ [`${preTerminate}/z`]: '' }));
    const first = await reconcileOnce(machine, withNode);
    expect(first.condition('Deleting')).toBe(
      `True/WaitingForPreTerminateHook Waiting for pre-terminate hooks to succeed (hooks: ${preTerminate}/z)`,
    );
    expect(first.status['deletion']).toEqual({
      nodeDrainStartTime: started,
      waitForNodeVolumeDetachStartTime: started,
      waitForPreTerminateHookStartTime: started,
    });
    expect(first.events).toHaveLength(2);
    const second = await reconcileOnce(first.machine, { ...withNode, workload: [nodeOk()] });
    expect(second.asked).toEqual(['get Node n1']);
    expect(second.writes).toEqual([]);
  });

  it('are not announced while the infrastructure machine cannot be read (scenarios 101 and 102)', async () => {
    const machine = changed(await aDeletedMachine(), annotated({ [`${preTerminate}/z`]: '' }));
    const readFaults = [{ at: 'get FooMachine ns/i1', message: 'boom' }];
    const first = await reconcileOnce(machine, { ...withNode, readFaults });
    expect(first.result).toBe('failed to retrieve FooMachine ns/i1: boom');
    expect(first.writes).toEqual([]);
    expect(first.condition('Deleting')).toBe(waitsForInfra);
    expect(first.status['deletion']).toBeUndefined();
    const waiting = (await reconcileOnce(machine, withNode)).machine;
    const later = await reconcileOnce(waiting, { ...withNode, readFaults });
    expect(later.condition('Deleting')).toContain('True/WaitingForPreTerminateHook');
  });
});

describe('the objects of a Machine in deletion', () => {
  it('the bootstrap config follows the infrastructure machine (scenario 80)', async () => {
    const world = { ...withNode, objects: [bootstrapOk(), controlPlaneMachine] };
    const pass = await reconcileOnce(await aDeletedMachine(), world);
    expect(pass.writes).toEqual(['delete FooConfig ns/b1']);
    expect(pass.condition('Deleting')).toBe('True/WaitingForBootstrapDeletion Waiting for FooConfig to be deleted');
    expect(pass.condition('InfrastructureReady')).toBe('False/ObjectDeleted FooMachine has been deleted');
    expect(pass.condition('Ready')).toBe(readyInStage('WaitingForBootstrapDeletion'));
    expect(pass.v1beta1('InfrastructureReady')).toBe('False/Info/Deleted');
  });

  it('are awaited while finalizers keep them', async () => {
    const kept = infraOk().deleting().withFinalizers('x');
    const infra = await reconcileOnce(await aDeletedMachine(), { ...withNode, objects: [bootstrapOk(), kept] });
    expect(infra.writes).toEqual([]);
    expect(infra.condition('Deleting')).toBe(waitsForInfra);
    const config = bootstrapOk().deleting().withFinalizers('x');
    const bootstrap = await reconcileOnce(await aDeletedMachine(), { ...withNode, objects: [config] });
    expect(bootstrap.writes).toEqual([]);
    expect(bootstrap.condition('Deleting')).toContain('True/WaitingForBootstrapDeletion');
  });

  it('that cannot be deleted are an error (scenario 103)', async () => {
    const failures = { 'delete:infrastructure': { message: 'boom' } };
    const pass = await reconcileOnce(await aDeletedMachine(), { ...withNode, failures });
    expect(pass.result).toBe('failed to delete FooMachine "i1" for Machine "m1" in namespace "ns": boom');
    expect(pass.condition('Deleting')).toBe(
      'True/InternalError Failed to delete FooMachine, please check controller logs for errors',
    );
  });

  it('that do not belong to the Machine are not deleted', async () => {
    const failures = { 'own:infrastructure': { message: 'boom' } };
    const objects = [bootstrapOk(), infraOk().owners(), controlPlaneMachine];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...withNode, objects, failures });
    expect(pass.writes.filter(line => line.startsWith('delete'))).toEqual([]);
  });

  it('a bootstrap config that cannot be read holds the deletion (scenario 109)', async () => {
    const readFaults = [{ at: 'get FooConfig ns/b1', message: 'boom' }];
    const pass = await reconcileOnce(await aDeletedMachine(), {
      ...withNode,
      objects: [controlPlaneMachine],
      readFaults,
    });
    expect(pass.result).toBe('failed to retrieve FooConfig ns/b1: boom');
    expect(pass.condition('Deleting')).toContain('True/WaitingForBootstrapDeletion');
    expect(pass.writes).toEqual([]);
  });

  it('without bootstrap config, the Node is next', async () => {
    const machine = changed(await aDeletedMachine(), { spec: { bootstrap: { configRef: null } } });
    const pass = await reconcileOnce(machine, { ...withNode, objects: [controlPlaneMachine] });
    expect(pass.writes).toEqual(['delete Node n1', 'patch Machine ns/m1 {"metadata":{"finalizers":null}}']);
  });
});

describe('the deprecated conditions of objects in deletion', () => {
  it('say so as long as the objects report nothing', async () => {
    const infra = infraOk().withStatus({ initialization: {}, conditions: [] });
    const pass = await reconcileOnce(aMachine().deleting(now - 60_000), { objects: [bootstrapOk(), infra] });
    expect(pass.v1beta1('InfrastructureReady')).toBe('False/Info/Deleting');
  });
});

describe('the Node of a Machine whose objects are gone', () => {
  const withoutFinalizer = 'patch Machine ns/m1 {"metadata":{"finalizers":null}}';
  /** The Machine, if the deletion of its Node failed first this long ago. */
  const failingSince = (machine: Unstructured, ms: number) =>
    changed(machine, {
      metadata: {
        finalizers: [finalizer],
        annotations: {
          'capi-serverless.dev/probe-failing-since': JSON.stringify({ nodeDeletion: timestamp(now - ms) }),
        },
      },
    });
  const world = { ...withNode, objects: [controlPlaneMachine] };

  it('is deleted, then the finalizer is removed (scenario 81)', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), world);
    expect(pass.writes).toEqual(['delete Node n1', 'patch Machine ns/m1 {"metadata":{"finalizers":null}}']);
    expect(pass.actions.find(({ id }) => id === 'delete:node')).toMatchObject({
      uid: 'n1-uid',
      target: { uid: 'uid-1' },
    });
    expect(pass.actions.find(({ id }) => id === 'finalizer:remove')).toMatchObject({ afterStatus: true });
    expect(pass.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
    expect(pass.result).toBe('done');
  });

  it('another finalizer stays, and nothing is deleted again (scenario 82)', async () => {
    const machine = changed(await aDeletedMachine(), { metadata: { finalizers: [finalizer, 'x/y'] } });
    const pass = await reconcileOnce(machine, world);
    expect(pass.writes.at(-1)).toBe('patch Machine ns/m1 {"metadata":{"finalizers":["x/y"]}}');
    expect(pass.condition('BootstrapConfigReady')).toBe('False/ObjectDeleted FooConfig has been deleted');
    expect(pass.condition('Ready')).toBe(readyInStage('DeletionCompleted'));
    const later = await reconcileOnce(pass.machine, world);
    expect(later.writes).toEqual([]);
    expect(later.asked).toEqual([]);
    expect(later.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
    expect(later.condition('NodeHealthy')).toBe('False/NodeDeleted Node n1 has been deleted');
    expect(later.v1beta1('NodeHealthy')).toBe(pass.v1beta1('NodeHealthy'));
  });

  it('a Machine that never had the finalizer is cleaned up as well', async () => {
    const machine = changed(await aDeletedMachine(), { metadata: { finalizers: ['x/y'] } });
    expect((await reconcileOnce(machine, world)).writes).toEqual(['delete Node n1']);
  });

  it('that cannot be deleted keeps the finalizer; after the timeout, the second failure is the last (scenario 104)', async () => {
    const failures = { 'delete:node': { message: 'boom' } };
    const first = await reconcileOnce(await aDeletedMachine(), { ...world, failures });
    expect(first.result).toBe('error deleting node n1: boom');
    expect(first.events).toEqual([
      "Warning FailedDeleteNode error deleting Machine's Node: error deleting node n1: boom",
    ]);
    expect(first.condition('Deleting')).toBe(
      'True/DeletingNode Error deleting Node, please check controller logs for errors',
    );
    expect(first.v1beta1('NodeHealthy')).toBe('False/Warning/DeletionFailed');
    expect(first.writes).not.toContain(withoutFinalizer);
    const early = await reconcileOnce(first.machine, { ...world, failures });
    expect(early.result).toBe('error deleting node n1: boom');
    const last = await reconcileOnce(failingSince(first.machine, 10_000), { ...world, failures });
    expect(last.result).toBe('done');
    expect(last.writes).toContain(withoutFinalizer);
    expect(last.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
  });

  it.each([{ seconds: 0 }, { seconds: 3600 }])(
    'is tried again for $seconds seconds, 0 is without end (scenario 105)',
    async ({ seconds }) => {
      const machine = changed(await aDeletedMachine(), { spec: { deletion: { nodeDeletionTimeoutSeconds: seconds } } });
      const failures = { 'delete:node': { message: 'boom' } };
      const first = await reconcileOnce(machine, { ...world, failures });
      const second = await reconcileOnce(failingSince(first.machine, 60_000), { ...world, failures });
      expect(second.result).toBe('error deleting node n1: boom');
      expect(second.writes).not.toContain(withoutFinalizer);
    },
  );

  it('has no time limit without the setting, and a deletion time that cannot be read is new', async () => {
    const failures = { 'delete:node': { message: 'boom' } };
    for (const change of [{ spec: { deletion: null } }, { metadata: { deletionTimestamp: 'x' } }]) {
      const machine = changed(await aDeletedMachine(), change);
      const first = await reconcileOnce(machine, { ...world, failures });
      const second = await reconcileOnce(failingSince(first.machine, 60_000), { ...world, failures });
      expect(second.result).toBe('error deleting node n1: boom');
    }
  });

  it('without connection is an error, too (scenario 106)', async () => {
    const first = await reconcileOnce(await aDeletedMachine(), { ...world, isConnected: false });
    const error =
      'failed deleting Node because connection to the workload cluster is down: error getting client: connection to the workload cluster is down';
    expect(first.result).toBe(error);
    expect(first.writes).toEqual([
      expect.stringContaining('patch Cluster ns/c1'),
      expect.stringContaining('patch Machine ns/m1 {"metadata":{"annotations"'),
    ]);
    const cluster = aCapiCluster().annotated({ 'capi-serverless.dev/probe-failing-since': timestamp(now) });
    const second = await reconcileOnce(failingSince(first.machine, 10_000), { ...world, cluster, isConnected: false });
    expect(second.writes).toEqual([withoutFinalizer]);
  });

  it('that cannot be read is an error, too', async () => {
    const workloadFaults = [{ at: 'get Node n1', message: 'boom' }];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...world, workloadFaults });
    expect(pass.result).toBe('[boom, error deleting node n1: boom]');
  });

  it('that belongs to another machine is not deleted', async () => {
    const workload = [nodeOk().withSpec({ providerID: 'foo://2' })];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...world, workload });
    expect(pass.writes).toEqual(['patch Machine ns/m1 {"metadata":{"finalizers":null}}']);
  });

  it('a finalizer that cannot be removed is an error', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), {
      ...world,
      failures: { 'finalizer:remove': { message: 'boom' } },
    });
    expect(pass.result).toBe('failed to patch Machine ns/m1: boom');
  });
});
