// Scenarios of the Cluster's behaviour: deletion in order, and what stops it.
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
} from './world.ts';

const owner = aFreshCluster();
const deleting = () => withBothRefs(aSettledCluster()).withEndpoint('h.example').deleting();
const finished = () => deleting().infrastructureProvisioned().controlPlaneInitialized().inPhase('Provisioned');
const workers = (count: number) => Array.from({ length: count }, (_, index) => aMachine().named(`w${index + 1}`));
const providers = [infraOk(), controlPlaneOk()];
const refused = { message: 'boom' };

describe('before anything is deleted', () => {
  it('scenario 46: the hook of a managed Cluster comes first', async () => {
    const told = await reconcileOnce(deleting().withTopology({ class: 'cls' }), {
      objects: [aClusterClass(), ...providers, aMachineDeployment().ownedBy(owner)],
    });
    expect(told.condition('Deleting')).toBe('True/WaitingForBeforeDeleteHook Waiting for BeforeClusterDelete hook');
    expect(told.writes.filter(line => line.startsWith('delete'))).toEqual([]);
    expect(told.result).toBe('done');
    expect(told.status['phase']).toBe('Deleting');
  });

  it('its consent lets the deletion go on', async () => {
    const told = await reconcileOnce(
      deleting().withTopology({ class: 'cls' }).annotated({ 'runtime.cluster.x-k8s.io/ok-to-delete': '' }),
      { objects: [aClusterClass(), ...providers, aMachineDeployment().ownedBy(owner)] },
    );
    expect(told.writes).toContain('delete MachineDeployment ns/md1');
  });

  it('scenario 53: unknown descendants stop it', async () => {
    const told = await reconcileOnce(deleting(), {
      objects: [...providers, aMachineDeployment().ownedBy(owner)],
      readFaults: [{ at: 'list MachineSet ns', message: 'boom' }],
    });
    expect(told.result).toBe('failed to list MachineSets for cluster ns/c1: boom');
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(told.writes).toEqual([]);
  });
});

describe('descendants', () => {
  it('scenario 47: owned ones are deleted, all are waited for', async () => {
    const told = await reconcileOnce(deleting(), {
      objects: [
        ...providers,
        aMachineDeployment().ownedBy(owner),
        aMachineSet().named('ms1'),
        aMachineSet().named('ms2').ownedBy(owner),
        ...workers(7).toReversed(),
        aMachine().named('cpm').controlPlane(),
      ],
    });
    expect(told.writes).toEqual(['delete MachineDeployment ns/md1', 'delete MachineSet ns/ms2']);
    expect(told.actions.map(action => action.do === 'delete' && action.uid)).toEqual([
      'uid-of-machinedeployment-md1',
      'uid-of-machineset-ms2',
    ]);
    expect(told.result).toBe('requeueAfter 5000');
    expect(told.condition('Deleting')).toBe(
      'True/WaitingForWorkersDeletion * MachineDeployments: md1\n* MachineSets: ms1, ms2\n' +
        '* Worker Machines: w1, w2, w3, w4, w5, ... (2 more)',
    );
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * Deleting:\n  * MachineDeployments: md1\n  * MachineSets: ms1, ms2\n' +
        '  * Worker Machines: w1, w2, w3, w4, w5, ... (2 more)\n' +
        '* WorkersAvailable:\n  * MachineDeployment md1: Condition Available not yet reported',
    );
  });

  it('scenario 48: Machines of a stand-alone control plane go with the workers', async () => {
    const told = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef).withEndpoint('h').deleting(), {
      objects: [
        infraOk(),
        aMachine().named('w1').ownedBy(owner),
        aMachine().named('cpm').controlPlane().ownedBy(owner),
        aMachinePool().ownedBy(owner).deleting(),
      ],
    });
    expect(told.writes).toEqual(['delete Machine ns/w1', 'delete Machine ns/cpm']);
    expect(told.condition('Deleting')).toBe(
      'True/WaitingForWorkersDeletion * Control plane Machines: cpm\n* MachinePools: mp1\n* Worker Machines: w1',
    );
    expect(told.result).toBe('requeueAfter 5000');
  });

  it('scenario 54: a refused deletion is an error, and the others are deleted all the same', async () => {
    const told = await reconcileOnce(deleting(), {
      objects: [...providers, aMachineDeployment().ownedBy(owner), aMachineSet().ownedBy(owner)],
      failures: { 'delete:MachineDeployment/md1': refused },
    });
    expect(told.result).toBe(
      'error deleting cluster ns/c1: failed to delete cluster.x-k8s.io/v1beta2, Kind=MachineDeployment md1: boom',
    );
    expect(told.writes).toEqual(['delete MachineDeployment ns/md1', 'delete MachineSet ns/ms1']);
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
  });

  it('goes by name, whichever came first, workers before control plane', async () => {
    const machine = (name: string, ageMs: number) =>
      aMachine()
        .named(name)
        .ownedBy(owner)
        .createdAt(now - ageMs);
    const told = await reconcileOnce(aSettledCluster().deleting(), {
      objects: [
        machine('w2', 2_000),
        machine('w1', 1_000),
        machine('cp2', 4_000).controlPlane(),
        machine('cp1', 3_000).controlPlane(),
      ],
    });
    expect(told.writes).toEqual(['w1', 'w2', 'cp1', 'cp2'].map(name => `delete Machine ns/${name}`));
    expect(told.condition('Deleting')).toContain('* Control plane Machines: cp1, cp2\n* Worker Machines: w1, w2');
  });

  it('goes by the name in an owner reference, not by the uid, and by the group', async () => {
    const other = aFreshCluster().withUid('uid-before').build();
    const told = await reconcileOnce(deleting(), {
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
    expect(told.writes).toEqual(['delete MachineSet ns/ours']);
  });
});

describe('control plane and infrastructure', () => {
  it('scenario 49: the control plane goes first, its Machines are its own business', async () => {
    const told = await reconcileOnce(deleting(), {
      objects: [...providers, aMachine().named('cpm').controlPlane()],
    });
    expect(told.writes).toEqual(['delete FooControlPlane ns/cp1']);
    expect(told.condition('Deleting')).toBe(
      'True/WaitingForControlPlaneDeletion Waiting for FooControlPlane to be deleted',
    );
    expect(told.result).toBe('done');
    expect(told.v1beta1('ControlPlaneReady')).toBe('False/Info/Deleting');
  });

  it('is not asked twice', async () => {
    const told = await reconcileOnce(deleting(), { objects: [infraOk(), controlPlaneOk().deleting()] });
    expect(told.writes).toEqual([]);
    expect(told.condition('Deleting')).toContain('True/WaitingForControlPlaneDeletion');
  });

  it('scenario 50: then the infrastructure', async () => {
    const told = await reconcileOnce(deleting(), { objects: [infraOk()] });
    expect(told.writes).toEqual(['delete FooCluster ns/i1']);
    expect(told.condition('Deleting')).toBe(
      'True/WaitingForInfrastructureDeletion Waiting for FooCluster to be deleted',
    );
    expect(told.v1beta1('ControlPlaneReady')).toBe('False/Info/Deleted');
    expect(told.result).toBe('done');
  });

  it('scenario 55: a control plane that cannot be read stops it', async () => {
    const told = await reconcileOnce(deleting(), {
      objects: providers,
      readFaults: [{ at: 'get FooControlPlane ns/cp1', message: 'boom' }],
    });
    expect(told.result).toBe('failed to retrieve FooControlPlane ns/cp1: boom');
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(told.writes).toEqual([]);
  });

  it('scenario 56: a refused deletion is an error', async () => {
    const told = await reconcileOnce(deleting(), {
      objects: providers,
      failures: { 'delete:FooControlPlane/cp1': refused },
    });
    expect(told.result).toBe('failed to delete FooControlPlane "cp1" for Cluster "c1" in namespace "ns": boom');
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(told.writes).toEqual(['delete FooControlPlane ns/cp1']);
  });

  it('does not delete what it could not mark as the Cluster’s', async () => {
    const unmarked = { ...controlPlaneOk().build() };
    const { ownerReferences: _, ...metadata } = unmarked.metadata;
    const told = await reconcileOnce(deleting(), {
      objects: [infraOk(), { ...unmarked, metadata }],
      failures: { 'own:controlPlane': refused },
    });
    expect(told.actions.map(action => action.id)).toEqual(['own:controlPlane', 'delete:FooControlPlane/cp1']);
    expect(told.writes.map(line => line.split(' ', 2).join(' '))).toEqual(['patch FooControlPlane']);
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
  });
});

describe('the end', () => {
  it('scenario 51: the finalizer goes last, others stay', async () => {
    const told = await reconcileOnce(finished().withFinalizers('x/y'));
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":["x/y"]}}']);
    expect(told.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(told.events).toEqual([
      'Normal Deleted Cluster c1 has been deleted',
      'Normal Deleting Cluster c1 is Deleting',
    ]);
    expect(told.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
    expect(told.condition('InfrastructureReady')).toBe('False/ObjectDeleted FooCluster has been deleted');
    expect(told.condition('Available')).toBe('False/NotAvailable * Deleting: Deletion completed');
    expect(told.v1beta1('InfrastructureReady')).toBe('False/Info/Deleted');
    expect(told.result).toBe('done');
  });

  it('scenario 52: the last finalizer leaves with the list', async () => {
    const told = await reconcileOnce(finished());
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
    expect(told.result).toBe('done');
    expect(told.condition('Deleting')).toBe('True/DeletionCompleted Deletion completed');
  });

  it('while another finalizer holds the Cluster, its end is told once', async () => {
    const first = await reconcileOnce(finished().withFinalizers('x/y'));
    const held = withBothRefs(aFreshCluster()).withEndpoint('h.example').withFinalizers('x/y').deleting();
    const second = await reconcileOnce(held.withStatus(first.status));
    expect(second.writes).toEqual([]);
    expect(second.events).toEqual([]);
    expect(second.status).toEqual(first.status);
  });

  it('a finalizer that cannot be removed is an error, and nothing is completed', async () => {
    const told = await reconcileOnce(finished(), { failures: { 'finalizer:remove': refused } });
    expect(told.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: boom');
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
    expect(told.events).toEqual(['Normal Deleting Cluster c1 is Deleting']);
  });

  it('objects that never were are not missed', async () => {
    const told = await reconcileOnce(deleting());
    expect(told.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist FooCluster does not exist');
    expect(told.result).toBe('done');
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
  });

  it('scenario 61: a managed Cluster whose objects were never named, without hooks', async () => {
    const told = await reconcileOnce(aSettledCluster().withTopology({ class: 'cls' }).deleting(), {
      objects: [aClusterClass()],
      settings: { honorsDeleteHook: false },
    });
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
    expect(told.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist');
    expect(told.condition('ControlPlaneAvailable')).toBe('False/ObjectDoesNotExist');
    expect(told.condition('ControlPlaneInitialized')).toBe('Unknown/ObjectDoesNotExist');
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * Deleting: Deletion completed\n* TopologyReconciled: Condition not yet reported',
    );
    expect(told.result).toBe('done');
  });

  it('a Cluster without references is gone at once', async () => {
    const told = await reconcileOnce(aSettledCluster().deleting());
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"metadata":{"finalizers":null}}']);
    expect(finalizer).toBe('cluster.cluster.x-k8s.io');
  });
});
