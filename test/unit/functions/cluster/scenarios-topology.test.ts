// Scenarios of the Cluster's behaviour: managed topologies, availability gates, and their effect on Available.
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
} from './cluster-pass.ts';

const managed = () => aSettledCluster().withTopology({ class: 'cls' });
const both = () => withBothRefs(managed());
const providers = [infraOk(), controlPlaneOk()];
const upgrading = 'Cluster is upgrading to v1.31.0\n  * MachineDeployment md1 upgrading to version v1.31.0';
const topologyDone = { status: 'True', reason: 'ReconcileSucceeded' } as const;

describe('waiting for the topology', () => {
  it('no phase runs, and the conditions show the awaited objects', async () => {
    const reconciled = await reconcileOnce(managed(), { objects: [aClusterClass()] });
    expect(reconciled.result).toBe('done');
    expect(reconciled.status['phase']).toBe('Pending');
    expect(reconciled.status['observedGeneration']).toBe(3);
    expect(reconciled.condition('InfrastructureReady')).toBe(`False/ObjectDoesNotExist ${topo}`);
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(`False/ObjectDoesNotExist ${topo}`);
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(`Unknown/ObjectDoesNotExist ${topo}`);
    for (const type of ['WorkersAvailable', 'RollingOut', 'ScalingUp', 'Remediating', 'WorkerMachinesReady']) {
      expect(reconciled.condition(type)).toBe(`Unknown/InternalError ${logs}`);
    }
    expect(reconciled.condition('Available')).toBe(
      `False/NotAvailable * InfrastructureReady: ${topo}\n* ControlPlaneAvailable: ${topo}\n` +
        `* WorkersAvailable: ${logs}\n* TopologyReconciled: Condition not yet reported`,
    );
    expect(reconciled.status['deprecated']).toBeUndefined();
    expect(reconciled.ask.trips).toEqual([['get ClusterClass ns/cls']]);
    expect(reconciled.writes).toEqual([]);
  });

  it('counts no replicas of a control plane that is not named yet', async () => {
    const reconciled = await reconcileOnce(managed().withStatus({ controlPlane: { replicas: 3 } }), {
      objects: [aClusterClass()],
    });
    expect(reconciled.status['controlPlane']).toEqual({});
  });

  it('without its class nothing is written or reported', async () => {
    const reconciled = await reconcileOnce(both(), { objects: providers });
    expect(reconciled.result).toBe(
      'failed to get ClusterClass ns/cls: clusterclasses.cluster.x-k8s.io "cls" not found',
    );
    expect(reconciled.report.status).toBeUndefined();
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.condition('Available')).toBeUndefined();
  });

  it('nothing is written or reported without its class while it waits', async () => {
    const reconciled = await reconcileOnce(managed());
    expect(reconciled.result).toContain('failed to get ClusterClass ns/cls: ');
    expect(reconciled.report.status).toBeUndefined();
  });

  it('reads the class in the namespace that the Cluster names', async () => {
    const cluster = aSettledCluster().withTopology({ class: 'cls', classRef: { name: 'cls', namespace: 'classes' } });
    const reconciled = await reconcileOnce(cluster, { objects: [aClusterClass().in('classes')] });
    expect(reconciled.ask.trips).toEqual([['get ClusterClass classes/cls']]);
    expect(reconciled.result).toBe('done');
  });

  it('does not read a class of a namespace that is not allowed, and waits for the topology', async () => {
    const cluster = aSettledCluster().withTopology({ class: 'cls', classRef: { name: 'cls', namespace: 'classes' } });
    const settings = { classNamespaces: [] };
    const reconciled = await reconcileOnce(cluster, { objects: [aClusterClass().in('classes')], settings });
    expect([reconciled.ask.trips, reconciled.result]).toEqual([[], 'done']);
  });

  it('a single reference is not reconciled', async () => {
    const reconciled = await reconcileOnce(managed().withInfrastructureRef(infraRef), {
      objects: [aClusterClass(), infraOk()],
    });
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.status['phase']).toBe('Provisioning');
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(`False/ObjectDoesNotExist ${topo}`);
    expect(reconciled.result).toBe('done');
  });
});

describe('a managed Cluster', () => {
  it('an upgrade in progress is shown, and the Cluster stays available', async () => {
    const reconciled = await reconcileOnce(
      both().withCondition('TopologyReconciled', { status: 'False', reason: 'ClusterUpgrading', message: upgrading }),
      { objects: [aClusterClass(), ...providers] },
    );
    expect(reconciled.condition('Available')).toBe(
      'True/Available * TopologyReconciled:\n  * Cluster is upgrading to v1.31.0\n' +
        '      * MachineDeployment md1 upgrading to version v1.31.0',
    );
    const reference = { kind: 'Cluster', name: 'c1', uid: 'uid-1', controller: true, blockOwnerDeletion: true };
    expect(reconciled.writes[0]).toContain(
      JSON.stringify([{ apiVersion: 'cluster.x-k8s.io/v1beta2', ...reference }]).slice(1, -1),
    );
    expect(reconciled.writes[1]).toContain('patch FooControlPlane ns/cp1 ');
    expect(reconciled.ask.trips.map(trip => trip.length)).toEqual([7, 2]);
    expect(reconciled.result).toBe('done');
  });

  it('a failed topology is an issue, and gates of the class count', async () => {
    const reconciled = await reconcileOnce(
      both().withCondition('TopologyReconciled', { status: 'False', reason: 'ReconcileFailed', message: 'oops' }),
      {
        objects: [
          aClusterClass().withSpec({ availabilityGates: [{ conditionType: 'Foo', polarity: 'Positive' }] }),
          ...providers,
        ],
      },
    );
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * TopologyReconciled: oops\n* Foo: Condition not yet reported',
    );
    expect(reconciled.result).toBe('done');
    expect(reconciled.writes.map(toTarget)).toEqual(['FooCluster ns/i1', 'FooControlPlane ns/cp1', 'Cluster ns/c1']);
  });
});

describe('availability gates', () => {
  const plain = () => withBothRefs(aSettledCluster());

  it('a missing gate is unknown, a negative one is an issue when True', async () => {
    const cluster = plain()
      .withSpec({
        availabilityGates: [{ conditionType: 'Backup' }, { conditionType: 'NetBroken', polarity: 'Negative' }],
      })
      .withCondition('NetBroken', { status: 'True', reason: 'Cut', message: 'cable cut' });
    const reconciled = await reconcileOnce(cluster, { objects: providers });
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * Backup: Condition not yet reported\n* NetBroken: cable cut',
    );
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('a gate on Available itself cannot be summarized', async () => {
    const cluster = plain().withSpec({ availabilityGates: [{ conditionType: 'Available' }] });
    const reconciled = await reconcileOnce(cluster, { objects: providers });
    expect(reconciled.condition('Available')).toBe(`Unknown/InternalError ${logs}`);
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('the Cluster’s own gates replace those of its class', async () => {
    const cluster = both()
      .withCondition('TopologyReconciled', topologyDone)
      .withSpec({ availabilityGates: [{ conditionType: 'Mine' }] })
      .withCondition('Mine');
    const reconciled = await reconcileOnce(cluster, {
      objects: [aClusterClass().withSpec({ availabilityGates: [{ conditionType: 'Foo' }] }), ...providers],
    });
    expect(reconciled.condition('Available')).toBe('True/Available');
  });
});

/** Converts `patch FooCluster ns/i1 {…}` to `FooCluster ns/i1`. */
function toTarget(write: string): string {
  return write.split(' ').slice(1, 3).join(' ');
}
