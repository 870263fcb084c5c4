// Scenarios of the Cluster's behaviour: managed topologies, availability gates, and what Available makes of them.
import { describe, expect, it } from 'vitest';
import {
  aClusterClass,
  aSettledCluster,
  controlPlaneOk,
  endpointWrite,
  infraOk,
  infraRef,
  logs,
  reconcileOnce,
  topo,
  withBothRefs,
} from './world.ts';

const managed = () => aSettledCluster().withTopology({ class: 'cls' });
const both = () => withBothRefs(managed());
const providers = [infraOk(), controlPlaneOk()];
const upgrading = 'Cluster is upgrading to v1.31.0\n  * MachineDeployment md1 upgrading to version v1.31.0';
const reconciled = { status: 'True', reason: 'ReconcileSucceeded' } as const;

describe('waiting for the topology', () => {
  it('scenario 29: no phase runs, and the conditions say what is awaited', async () => {
    const told = await reconcileOnce(managed(), { objects: [aClusterClass()] });
    expect(told.result).toBe('done');
    expect(told.status['phase']).toBe('Pending');
    expect(told.status['observedGeneration']).toBe(3);
    expect(told.condition('InfrastructureReady')).toBe(`False/ObjectDoesNotExist ${topo}`);
    expect(told.condition('ControlPlaneAvailable')).toBe(`False/ObjectDoesNotExist ${topo}`);
    expect(told.condition('ControlPlaneInitialized')).toBe(`Unknown/ObjectDoesNotExist ${topo}`);
    for (const type of ['WorkersAvailable', 'RollingOut', 'ScalingUp', 'Remediating', 'WorkerMachinesReady']) {
      expect(told.condition(type)).toBe(`Unknown/InternalError ${logs}`);
    }
    expect(told.condition('Available')).toBe(
      `False/NotAvailable * InfrastructureReady: ${topo}\n* ControlPlaneAvailable: ${topo}\n` +
        `* WorkersAvailable: ${logs}\n* TopologyReconciled: Condition not yet reported`,
    );
    expect(told.status['deprecated']).toBeUndefined();
    expect(told.ask.trips).toEqual([['get ClusterClass ns/cls']]);
    expect(told.writes).toEqual([]);
  });

  it('counts nothing of a control plane that is not named yet', async () => {
    const told = await reconcileOnce(managed().withStatus({ controlPlane: { replicas: 3 } }), {
      objects: [aClusterClass()],
    });
    expect(told.status['controlPlane']).toEqual({});
  });

  it('scenario 30: without its class nothing is done and nothing is told', async () => {
    const told = await reconcileOnce(both(), { objects: providers });
    expect(told.result).toBe('failed to get ClusterClass ns/cls: clusterclasses.cluster.x-k8s.io "cls" not found');
    expect(told.report.status).toBeUndefined();
    expect(told.writes).toEqual([]);
    expect(told.condition('Available')).toBeUndefined();
  });

  it('the same while it waits', async () => {
    const told = await reconcileOnce(managed());
    expect(told.result).toContain('failed to get ClusterClass ns/cls: ');
    expect(told.report.status).toBeUndefined();
  });

  it('looks for the class in the namespace that the Cluster names', async () => {
    const cluster = aSettledCluster().withTopology({ class: 'cls', classRef: { name: 'cls', namespace: 'classes' } });
    const told = await reconcileOnce(cluster, { objects: [aClusterClass().in('classes')] });
    expect(told.ask.trips).toEqual([['get ClusterClass classes/cls']]);
    expect(told.result).toBe('done');
  });

  it('scenario 60: one reference alone is not worked with', async () => {
    const told = await reconcileOnce(managed().withInfrastructureRef(infraRef), {
      objects: [aClusterClass(), infraOk()],
    });
    expect(told.writes).toEqual([]);
    expect(told.status['phase']).toBe('Provisioning');
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.condition('ControlPlaneAvailable')).toBe(`False/ObjectDoesNotExist ${topo}`);
    expect(told.result).toBe('done');
  });
});

describe('a managed Cluster', () => {
  it('scenario 31: an upgrade under way is told, and the Cluster stays available', async () => {
    const told = await reconcileOnce(
      both().withCondition('TopologyReconciled', { status: 'False', reason: 'ClusterUpgrading', message: upgrading }),
      { objects: [aClusterClass(), ...providers] },
    );
    expect(told.condition('Available')).toBe(
      'True/Available * TopologyReconciled:\n  * Cluster is upgrading to v1.31.0\n' +
        '      * MachineDeployment md1 upgrading to version v1.31.0',
    );
    const reference = { kind: 'Cluster', name: 'c1', uid: 'uid-1', controller: true, blockOwnerDeletion: true };
    expect(told.writes[0]).toContain(
      JSON.stringify([{ apiVersion: 'cluster.x-k8s.io/v1beta2', ...reference }]).slice(1, -1),
    );
    expect(told.writes[1]).toContain('patch FooControlPlane ns/cp1 ');
    expect(told.ask.trips.map(trip => trip.length)).toEqual([7, 2]);
    expect(told.result).toBe('done');
  });

  it('scenario 32: a failed topology is an issue, and gates of the class count', async () => {
    const told = await reconcileOnce(
      both().withCondition('TopologyReconciled', { status: 'False', reason: 'ReconcileFailed', message: 'oops' }),
      {
        objects: [
          aClusterClass().withSpec({ availabilityGates: [{ conditionType: 'Foo', polarity: 'Positive' }] }),
          ...providers,
        ],
      },
    );
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * TopologyReconciled: oops\n* Foo: Condition not yet reported',
    );
    expect(told.result).toBe('done');
    expect(told.writes.map(toTarget)).toEqual(['FooCluster ns/i1', 'FooControlPlane ns/cp1', 'Cluster ns/c1']);
  });
});

describe('availability gates', () => {
  const plain = () => withBothRefs(aSettledCluster());

  it('scenario 41: a missing gate is unknown, a negative one is bad when True', async () => {
    const cluster = plain()
      .withSpec({
        availabilityGates: [{ conditionType: 'Backup' }, { conditionType: 'NetBroken', polarity: 'Negative' }],
      })
      .withCondition('NetBroken', { status: 'True', reason: 'Cut', message: 'cable cut' });
    const told = await reconcileOnce(cluster, { objects: providers });
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * Backup: Condition not yet reported\n* NetBroken: cable cut',
    );
    expect([told.result, told.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('scenario 64: a gate on Available itself cannot be summarized', async () => {
    const cluster = plain().withSpec({ availabilityGates: [{ conditionType: 'Available' }] });
    const told = await reconcileOnce(cluster, { objects: providers });
    expect(told.condition('Available')).toBe(`Unknown/InternalError ${logs}`);
    expect([told.result, told.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('the Cluster’s own gates replace those of its class', async () => {
    const cluster = both()
      .withCondition('TopologyReconciled', reconciled)
      .withSpec({ availabilityGates: [{ conditionType: 'Mine' }] })
      .withCondition('Mine');
    const told = await reconcileOnce(cluster, {
      objects: [aClusterClass().withSpec({ availabilityGates: [{ conditionType: 'Foo' }] }), ...providers],
    });
    expect(told.condition('Available')).toBe('True/Available');
  });
});

/** `patch FooCluster ns/i1 {…}` → `FooCluster ns/i1` */
function toTarget(write: string): string {
  return write.split(' ').slice(1, 3).join(' ');
}
