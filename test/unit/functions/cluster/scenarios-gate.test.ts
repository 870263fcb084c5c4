// Scenarios of the Cluster's behaviour: finalizer, pause, and the first look at what it names.
import { describe, expect, it } from 'vitest';
import { observe } from '../../../../functions/cluster/observe.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import {
  aFreshCluster,
  anUnconnectedCluster,
  aSettledCluster,
  controlPlaneOk,
  controlPlaneRef,
  cp1,
  endpointWrite,
  finalizer,
  i1,
  infraOk,
  logs,
  now,
  reconcileOnce,
  testSettings,
  withBothRefs,
} from './world.ts';

const pausedAnnotation = { 'cluster.x-k8s.io/paused': '' };
const notPaused = { status: 'False', reason: 'NotPaused', observedGeneration: 3 } as const;
const paused = { reason: 'Paused', message: 'Cluster spec.paused is set to true', observedGeneration: 3 } as const;

describe('finalizer and pause', () => {
  it('scenario 2: the first reconcile of a new Cluster writes the finalizer and nothing else', async () => {
    const told = await reconcileOnce(withBothRefs(aFreshCluster()));
    expect(told.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"finalizers":["${finalizer}"]}}`]);
    expect(told.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(told.report).toEqual({ events: [], result: { kind: 'again' } });
    expect(told.ask.trips).toEqual([]);
    expect(told.condition('Paused')).toBeUndefined();
  });

  it('keeps the finalizers of others when it adds its own', async () => {
    const told = await reconcileOnce(aFreshCluster().withFinalizers('x/y'));
    expect(told.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"finalizers":["x/y","${finalizer}"]}}`]);
  });

  it('fails without a status when the finalizer is refused', async () => {
    const told = await reconcileOnce(aFreshCluster(), { failures: { 'finalizer:add': { message: 'no' } } });
    expect(told.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: no');
    expect(told.report.status).toBeUndefined();
  });

  it('scenario 3: the second reconcile writes Paused and nothing else', async () => {
    const told = await reconcileOnce(withBothRefs(aFreshCluster().withFinalizers(finalizer)));
    expect(told.writes).toEqual([]);
    expect(told.status).toEqual({
      conditions: [
        {
          type: 'Paused',
          status: 'False',
          reason: 'NotPaused',
          message: '',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T01:00:00Z',
        },
      ],
    });
    expect(told.result).toBe('again');
    expect(told.ask.trips).toEqual([]);
  });

  it('scenario 5: a paused Cluster says why, and nothing else happens', async () => {
    const told = await reconcileOnce(withBothRefs(aSettledCluster()).paused().annotated(pausedAnnotation));
    expect(told.condition('Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation',
    );
    expect(Object.keys(told.status)).toEqual(['conditions']);
    expect([told.result, told.writes, told.ask.trips]).toEqual(['done', [], []]);
  });

  it('scenario 6: of a paused Cluster only the generation of Paused moves on', async () => {
    const told = await reconcileOnce(anUnconnectedCluster().paused().withCondition('Paused', paused).atGeneration(4));
    expect(told.status['conditions']).toEqual([
      {
        type: 'Paused',
        status: 'True',
        ...paused,
        observedGeneration: 4,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
    expect(told.result).toBe('done');
    expect(told.writes).toEqual([]);
  });

  it('stops at a paused Cluster that says so already', async () => {
    const ask = { ...fakeReads([]), signer: fakeSigner(), workload: fakeWorkload() };
    const pass = { number: 1, now, signal: new AbortController().signal };
    const cluster = aSettledCluster().paused().withCondition('Paused', paused).build();
    expect(await observe(cluster, ask, { pass, settings: testSettings })).toEqual({ stop: 'paused' });
    expect(ask.trips).toEqual([]);
  });

  it('scenario 7: an unpaused Cluster carries the generation of Paused along in one pass', async () => {
    const cluster = withBothRefs(aSettledCluster()).withEndpoint('h.example').atGeneration(4);
    const told = await reconcileOnce(cluster.withCondition('Paused', notPaused), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(told.generationOf('Paused')).toBe(4);
    expect(told.status['observedGeneration']).toBe(4);
    expect(told.result).toBe('done');
    expect(told.writes).toEqual([]);
    expect(told.condition('Available')).toBe('True/Available');
  });

  it('scenario 62: pausing stops a deletion', async () => {
    const told = await reconcileOnce(withBothRefs(aSettledCluster()).annotated(pausedAnnotation).deleting(), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(told.condition('Paused')).toBe('True/Paused Cluster has the cluster.x-k8s.io/paused annotation');
    expect([told.result, told.writes]).toEqual(['done', []]);
  });
});

describe('what the Cluster names', () => {
  it('scenario 4: objects that nobody has created yet are awaited', async () => {
    const told = await reconcileOnce(withBothRefs(anUnconnectedCluster()));
    expect(told.result).toBe('requeueAfter 30000');
    expect(told.condition('RemoteConnectionProbe')).toBe('False/ProbeFailed Remote connection not established yet');
    expect(told.status['phase']).toBe('Provisioning');
    expect(told.status['observedGeneration']).toBe(3);
    expect(told.events).toEqual(['Normal Provisioning Cluster c1 is Provisioning']);
    expect(told.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist FooCluster does not exist');
    expect(told.condition('ControlPlaneAvailable')).toBe('False/ObjectDoesNotExist FooControlPlane does not exist');
    expect(told.condition('ControlPlaneInitialized')).toBe('Unknown/ObjectDoesNotExist FooControlPlane does not exist');
    expect(told.condition('WorkersAvailable')).toBe('True/NoWorkers');
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * RemoteConnectionProbe: Remote connection not established yet\n* InfrastructureReady: FooCluster does not exist\n* ControlPlaneAvailable: FooControlPlane does not exist',
    );
    expect(told.status['deprecated']).toBeUndefined();
    expect(told.status['initialization']).toBeUndefined();
    expect([told.status['controlPlane'], told.status['workers']]).toEqual([{}, {}]);
    expect(told.writes).toEqual([]);
  });

  it('scenario 8: objects without status are marked as the Cluster’s and awaited', async () => {
    const told = await reconcileOnce(withBothRefs(aSettledCluster()), { objects: [i1(), cp1()] });
    const marks =
      '{"metadata":{"ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","name":"c1","uid":"uid-1"}],' +
      '"labels":{"cluster.x-k8s.io/cluster-name":"c1"}}}';
    expect(told.writes).toEqual([`patch FooCluster ns/i1 ${marks}`, `patch FooControlPlane ns/cp1 ${marks}`]);
    expect(told.actions.map(action => action.do === 'patch' && action.resourceVersion)).toEqual(['1', '1']);
    expect(told.condition('InfrastructureReady')).toBe(
      'False/NotReady FooCluster status.initialization.provisioned is false',
    );
    expect(told.condition('ControlPlaneAvailable')).toBe(
      'False/NotAvailable FooControlPlane status.initialization.controlPlaneInitialized is false',
    );
    expect(told.condition('ControlPlaneInitialized')).toBe('False/NotInitialized Control plane not yet initialized');
    expect(told.v1beta1('Ready')).toBe('False/Info/WaitingForControlPlane');
    expect(told.v1beta1('InfrastructureReady')).toBe('False/Info/WaitingForInfrastructure');
    expect(told.v1beta1('ControlPlaneReady')).toBe('False/Info/WaitingForControlPlane');
    expect(told.v1beta1('ControlPlaneInitialized')).toBe(
      'False/Info/WaitingForControlPlaneProviderInitialized Waiting for control plane provider to indicate the control plane has been initialized',
    );
    expect(told.result).toBe('done');
  });

  it('scenario 9: a provisioned infrastructure gives endpoint, failure domains and the milestone', async () => {
    const told = await reconcileOnce(withBothRefs(aSettledCluster()), { objects: [infraOk(), cp1().adopted()] });
    expect(told.writes).toEqual([
      'patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"h.example","port":6443}}}',
    ]);
    expect(told.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(told.status['failureDomains']).toEqual([
      { name: 'a', controlPlane: true },
      { name: 'b', controlPlane: false },
    ]);
    expect(told.status['initialization']).toEqual({ infrastructureProvisioned: true });
    expect(told.events).toEqual([
      'Normal InfrastructureReady Cluster c1 InfrastructureProvisioned is now True',
      'Normal Provisioned Cluster c1 is Provisioned',
    ]);
    expect(told.condition('Available')).toBe(
      'False/NotAvailable * ControlPlaneAvailable: FooControlPlane status.initialization.controlPlaneInitialized is false',
    );
    expect(told.result).toBe('done');
  });

  it('scenario 10: with both done the Cluster is available', async () => {
    const told = await reconcileOnce(withBothRefs(aSettledCluster()), { objects: [infraOk(), controlPlaneOk()] });
    expect(told.condition('Available')).toBe('True/Available');
    expect(told.condition('ControlPlaneInitialized')).toBe('True/Initialized');
    expect(told.status['controlPlane']).toEqual({
      desiredReplicas: 3,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 2,
      upToDateReplicas: 3,
    });
    expect(told.status['workers']).toEqual({});
    expect(told.result).toBe('done');
    expect(told.writes).toEqual([endpointWrite]);
  });

  it('scenario 10: a second reconcile finds nothing to write and nothing to tell', async () => {
    const objects = [infraOk(), controlPlaneOk()];
    const first = await reconcileOnce(withBothRefs(aSettledCluster()), { objects });
    const after = withBothRefs(aSettledCluster()).withEndpoint('h.example').atGeneration(4).withStatus(first.status);
    const second = await reconcileOnce(after, { objects });
    expect(second.writes).toEqual([]);
    expect(second.events).toEqual([]);
    expect(second.status).toEqual(first.status);
    expect(second.ask.trips.map(trip => trip.length)).toEqual([7, 2]);
    expect(second.result).toBe('done');
    expect(second.condition('Available')).toBe('True/Available');
  });

  it('scenario 12: without infrastructure there is a control plane, and no infrastructure event', async () => {
    const told = await reconcileOnce(aSettledCluster().withControlPlaneRef(controlPlaneRef), {
      objects: [controlPlaneOk()],
    });
    expect(told.status['initialization']).toEqual({ infrastructureProvisioned: true, controlPlaneInitialized: true });
    expect(told.events).toEqual([
      'Normal ControlPlaneInitialized Cluster c1 ControlPlaneInitialized is now True',
      'Normal Provisioning Cluster c1 is Provisioning',
    ]);
    expect(told.v1beta1('InfrastructureReady')).toBe('True');
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.condition('Available')).toBe(`Unknown/AvailableUnknown * InfrastructureReady: ${logs}`);
    expect([told.result, told.writes]).toEqual(['done', []]);
  });
});
