// Scenarios of the Cluster's behaviour: deletion in order, and causes that block it.
import { describe, expect, it } from 'vitest';
import { aMachine, aMachineDeployment, aMachinePool, aMachineSet } from '../../../support/builders.ts';
import {
  aClusterClass,
  aFreshCluster,
  aSettledCluster,
  controlPlaneOk,
  finalizer,
  infraOk,
  infraRef,
  logs,
  now,
  reconcileOnce,
  withBothRefs,
} from './cluster-pass.ts';

const owner = aFreshCluster();
const deleting = () => withBothRefs(aSettledCluster()).withEndpoint('h.example').deleting();
const finished = () => deleting().infrastructureProvisioned().controlPlaneInitialized().inPhase('Provisioned');
const workers = (count: number) => Array.from({ length: count }, (_, index) => aMachine().named(`w${index + 1}`));
const providers = [infraOk(), controlPlaneOk()];
const refused = { message: 'boom' };

describe('before anything is deleted', () => {
  it('the deletion of a managed Cluster waits for its hook', async () => {
    const reconciled = await reconcileOnce(deleting().withTopology({ class: 'cls' }), {
      objects: [aClusterClass(), ...providers, aMachineDeployment().ownedBy(owner)],
    });
    expect(reconciled.condition('Deleting')).toBe(
      'True/WaitingForBeforeDeleteHook Waiting for BeforeClusterDelete hook',
    );
    expect(reconciled.writes.filter(line => line.startsWith('delete'))).toEqual([]);
    expect(reconciled.result).toBe('done');
    expect(reconciled.status['phase']).toBe('Deleting');
  });

  it('an approving hook unblocks the deletion', async () => {
    const reconciled = await reconcileOnce(
      deleting().withTopology({ class: 'cls' }).annotated({ 'runtime.cluster.x-k8s.io/ok-to-delete': '' }),
      { objects: [aClusterClass(), ...providers, aMachineDeployment().ownedBy(owner)] },
    );
    expect(reconciled.writes).toContain('delete MachineDeployment ns/md1');
  });

  it('unknown descendants block the deletion', async () => {
    const reconciled = await reconcileOnce(deleting(), {
      objects: [...providers, aMachineDeployment().ownedBy(owner)],
      readFaults: [{ at: 'list MachineSet ns', message: 'boom' }],
    });
    expect(reconciled.result).toBe('failed to list MachineSets for cluster ns/c1: boom');
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(reconciled.writes).toEqual([]);
  });
});

describe('descendants', () => {
  it('owned ones are deleted, all are waited for', async () => {
    const reconciled = await reconcileOnce(deleting(), {
      objects: [
        ...providers,
        aMachineDeployment().ownedBy(owner),
        aMachineSet().named('ms1'),
        aMachineSet().named('ms2').ownedBy(owner),
        ...workers(7).toReversed(),
        aMachine().named('cpm').controlPlane(),
      ],
    });
    expect(reconciled.writes).toEqual(['delete MachineDeployment ns/md1', 'delete MachineSet ns/ms2']);
    expect(reconciled.actions.map(action => action.do === 'delete' && action.uid)).toEqual([
      'uid-of-machinedeployment-md1',
      'uid-of-machineset-ms2',
    ]);
    expect(reconciled.result).toBe('requeueAfter 5000');
    expect(reconciled.condition('Deleting')).toBe(
      'True/WaitingForWorkersDeletion * MachineDeployments: md1\n* MachineSets: ms1, ms2\n' +
        '* Worker Machines: w1, w2, w3, w4, w5, ... (2 more)',
    );
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * Deleting:\n  * MachineDeployments: md1\n  * MachineSets: ms1, ms2\n' +
        '  * Worker Machines: w1, w2, w3, w4, w5, ... (2 more)\n' +
        '* WorkersAvailable:\n  * MachineDeployment md1: Condition Available not yet reported',
    );
  });

  it('Machines of a control plane without control plane object are deleted with the workers', async () => {
    const reconciled = await reconcileOnce(
      aSettledCluster().withInfrastructureRef(infraRef).withEndpoint('h').deleting(),
      {
        objects: [
          infraOk(),
          aMachine().named('w1').ownedBy(owner),
          aMachine().named('cpm').controlPlane().ownedBy(owner),
          aMachinePool().ownedBy(owner).deleting(),
        ],
      },
    );
    expect(reconciled.writes).toEqual(['delete Machine ns/w1', 'delete Machine ns/cpm']);
    expect(reconciled.condition('Deleting')).toBe(
      'True/WaitingForWorkersDeletion * Control plane Machines: cpm\n* MachinePools: mp1\n* Worker Machines: w1',
    );
    expect(reconciled.result).toBe('requeueAfter 5000');
  });

  it('a refused deletion is an error, and the others are deleted anyway', async () => {
    const reconciled = await reconcileOnce(deleting(), {
      objects: [...providers, aMachineDeployment().ownedBy(owner), aMachineSet().ownedBy(owner)],
      failures: { 'delete:MachineDeployment/md1': refused },
    });
    expect(reconciled.result).toBe(
      'error deleting cluster ns/c1: failed to delete cluster.x-k8s.io/v1beta2, Kind=MachineDeployment md1: boom',
    );
    expect(reconciled.writes).toEqual(['delete MachineDeployment ns/md1', 'delete MachineSet ns/ms1']);
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
  });

  it('are deleted in the order of their names, workers before control plane', async () => {
    const machine = (name: string, ageMs: number) =>
      aMachine()
        .named(name)
        .ownedBy(owner)
        .createdAt(now - ageMs);
    const reconciled = await reconcileOnce(aSettledCluster().deleting(), {
      objects: [
        machine('w2', 2_000),
        machine('w1', 1_000),
        machine('cp2', 4_000).controlPlane(),
        machine('cp1', 3_000).controlPlane(),
      ],
    });
    expect(reconciled.writes).toEqual(['w1', 'w2', 'cp1', 'cp2'].map(name => `delete Machine ns/${name}`));
    expect(reconciled.condition('Deleting')).toContain('* Control plane Machines: cp1, cp2\n* Worker Machines: w1, w2');
  });

  it('count as owned by name and group of the owner reference, not by its uid', async () => {
    const other = aFreshCluster().withUid('uid-before').build();
    const reconciled = await reconcileOnce(deleting(), {
      objects: [
        ...providers,
        aMachineSet().named('ours').ownedBy(other),
        aMachineSet()
          .named('foreign')
          .ownedBy({ ...other, apiVersion: 'other.example.com/v1' }),
        aMachineSet().named('of-another').ownedBy(aFreshCluster().named('c2')),
        aMachineSet().named('of-a-deployment').ownedBy(aMachineDeployment().named('c1')),
      ],
    });
    expect(reconciled.writes).toEqual(['delete MachineSet ns/ours']);
  });
});

describe('control plane and infrastructure', () => {
  it('the control plane is deleted first, and deletes its own Machines', async () => {
    const reconciled = await reconcileOnce(deleting(), {
      objects: [...providers, aMachine().named('cpm').controlPlane()],
    });
    expect(reconciled.writes).toEqual(['delete FooControlPlane ns/cp1']);
    expect(reconciled.condition('Deleting')).toBe(
      'True/WaitingForControlPlaneDeletion Waiting for FooControlPlane to be deleted',
    );
    expect(reconciled.result).toBe('done');
    expect(reconciled.v1beta1('ControlPlaneReady')).toBe('False/Info/Deleting');
  });

  it('are not deleted twice', async () => {
    const reconciled = await reconcileOnce(deleting(), { objects: [infraOk(), controlPlaneOk().deleting()] });
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.condition('Deleting')).toContain('True/WaitingForControlPlaneDeletion');
  });

  it('the infrastructure is deleted after the control plane', async () => {
    const reconciled = await reconcileOnce(deleting(), { objects: [infraOk()] });
    expect(reconciled.writes).toEqual(['delete FooCluster ns/i1']);
    expect(reconciled.condition('Deleting')).toBe(
      'True/WaitingForInfrastructureDeletion Waiting for FooCluster to be deleted',
    );
    expect(reconciled.v1beta1('ControlPlaneReady')).toBe('False/Info/Deleted');
    expect(reconciled.result).toBe('done');
  });

  it('a control plane that cannot be read blocks the deletion', async () => {
    const reconciled = await reconcileOnce(deleting(), {
      objects: providers,
      readFaults: [{ at: 'get FooControlPlane ns/cp1', message: 'boom' }],
    });
    expect(reconciled.result).toBe('failed to retrieve FooControlPlane ns/cp1: boom');
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(reconciled.writes).toEqual([]);
  });

  it('a refused deletion is an error', async () => {
    const reconciled = await reconcileOnce(deleting(), {
      objects: providers,
      failures: { 'delete:FooControlPlane/cp1': refused },
    });
    expect(reconciled.result).toBe('failed to delete FooControlPlane "cp1" for Cluster "c1" in namespace "ns": boom');
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(reconciled.writes).toEqual(['delete FooControlPlane ns/cp1']);
  });

  it('are not deleted if they could not be marked as the Cluster’s', async () => {
    const unmarked = { ...controlPlaneOk().build() };
    const { ownerReferences: _, ...metadata } = unmarked.metadata;
    const reconciled = await reconcileOnce(deleting(), {
      objects: [infraOk(), { ...unmarked, metadata }],
      failures: { 'own:controlPlane': refused },
    });
    expect(reconciled.actions.map(action => action.id)).toEqual(['own:controlPlane', 'delete:FooControlPlane/cp1']);
    expect(reconciled.writes.map(line => line.split(' ', 2).join(' '))).toEqual(['patch FooControlPlane']);
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(reconciled.result).toBe(
      `failed to patch FooControlPlane ns/cp1: failed to patch spec and metadata: ${refused.message}`,
    );
  });
});

describe('the end', () => {
  it('the finalizer is removed last, others stay', async () => {
    const reconciled = await reconcileOnce(finished().withFinalizers('x/y'));
    expect(reconciled.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":["x/y"]}}']);
    expect(reconciled.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(reconciled.events).toEqual([
      'Normal Deleted Cluster c1 has been deleted',
      'Normal Deleting Cluster c1 is Deleting',
    ]);
    expect(reconciled.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
    expect(reconciled.condition('InfrastructureReady')).toBe('False/ObjectDeleted FooCluster has been deleted');
    expect(reconciled.condition('Available')).toBe('False/NotAvailable * Deleting: Deletion completed');
    expect(reconciled.v1beta1('InfrastructureReady')).toBe('False/Info/Deleted');
    expect(reconciled.result).toBe('done');
  });

  it('removing the last finalizer removes the list', async () => {
    const reconciled = await reconcileOnce(finished());
    expect(reconciled.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
    expect(reconciled.result).toBe('done');
    expect(reconciled.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
  });

  it('the event about the deletion is recorded once while another finalizer exists', async () => {
    const first = await reconcileOnce(finished().withFinalizers('x/y'));
    const held = withBothRefs(aFreshCluster()).withEndpoint('h.example').withFinalizers('x/y').deleting();
    const second = await reconcileOnce(held.withStatus(first.status));
    expect(second.writes).toEqual([]);
    expect(second.events).toEqual([]);
    expect(second.status).toEqual(first.status);
  });

  it('a finalizer that cannot be removed is an error, and nothing is completed', async () => {
    const reconciled = await reconcileOnce(finished(), { failures: { 'finalizer:remove': refused } });
    expect(reconciled.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: boom');
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(reconciled.events).toEqual(['Normal Deleting Cluster c1 is Deleting']);
  });

  it('objects that never existed are not awaited', async () => {
    const reconciled = await reconcileOnce(deleting());
    expect(reconciled.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist FooCluster does not exist');
    expect(reconciled.result).toBe('done');
    expect(reconciled.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
  });

  it('a managed Cluster whose objects were never named is deleted without hooks', async () => {
    const reconciled = await reconcileOnce(aSettledCluster().withTopology({ class: 'cls' }).deleting(), {
      objects: [aClusterClass()],
      settings: { honorsDeleteHook: false },
    });
    expect(reconciled.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
    expect(reconciled.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist');
    expect(reconciled.condition('ControlPlaneAvailable')).toBe('False/ObjectDoesNotExist');
    expect(reconciled.condition('ControlPlaneInitialized')).toBe('Unknown/ObjectDoesNotExist');
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * Deleting: Deletion completed\n* TopologyReconciled: Condition not yet reported',
    );
    expect(reconciled.result).toBe('done');
  });

  it('a Cluster without references is deleted at once', async () => {
    const reconciled = await reconcileOnce(aSettledCluster().deleting());
    expect(reconciled.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
    expect(finalizer).toBe('cluster.cluster.x-k8s.io');
  });
});
