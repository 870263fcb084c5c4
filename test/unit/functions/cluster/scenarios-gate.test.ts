// Scenarios of the Cluster's behaviour: finalizer, pause, and the first reconcile of referenced objects.
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
} from './cluster-pass.ts';

const pausedAnnotation = { 'cluster.x-k8s.io/paused': '' };
const notPaused = { status: 'False', reason: 'NotPaused', observedGeneration: 3 } as const;
const paused = { reason: 'Paused', message: 'Cluster spec.paused is set to true', observedGeneration: 3 } as const;

describe('finalizer and pause', () => {
  it('the first reconcile of a new Cluster writes the finalizer and nothing else', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aFreshCluster()));
    expect(reconciled.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"finalizers":["${finalizer}"]}}`]);
    expect(reconciled.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(reconciled.report).toEqual({ events: [], result: { kind: 'again' } });
    expect(reconciled.ask.trips).toEqual([]);
    expect(reconciled.condition('Paused')).toBeUndefined();
  });

  it('keeps the finalizers of others when it adds its own', async () => {
    const reconciled = await reconcileOnce(aFreshCluster().withFinalizers('x/y'));
    expect(reconciled.writes).toEqual([`patch Cluster ns/c1 {"metadata":{"finalizers":["x/y","${finalizer}"]}}`]);
  });

  it('fails without a status when the finalizer is refused', async () => {
    const reconciled = await reconcileOnce(aFreshCluster(), { failures: { 'finalizer:add': { message: 'no' } } });
    expect(reconciled.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: no');
    expect(reconciled.report.status).toBeUndefined();
  });

  it('the second reconcile writes Paused and nothing else', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aFreshCluster().withFinalizers(finalizer)));
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.status).toEqual({
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
    expect(reconciled.result).toBe('again');
    expect(reconciled.ask.trips).toEqual([]);
  });

  it('a paused Cluster shows why, and nothing else is written', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aSettledCluster()).paused().annotated(pausedAnnotation));
    expect(reconciled.condition('Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation',
    );
    expect(Object.keys(reconciled.status)).toEqual(['conditions']);
    expect([reconciled.result, reconciled.writes, reconciled.ask.trips]).toEqual(['done', [], []]);
  });

  it('of a paused Cluster only the generation of Paused changes', async () => {
    const reconciled = await reconcileOnce(
      anUnconnectedCluster().paused().withCondition('Paused', paused).atGeneration(4),
    );
    expect(reconciled.status['conditions']).toEqual([
      {
        type: 'Paused',
        status: 'True',
        ...paused,
        observedGeneration: 4,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
    expect(reconciled.result).toBe('done');
    expect(reconciled.writes).toEqual([]);
  });

  it('stops at a paused Cluster whose condition is current', async () => {
    const ask = { ...fakeReads([]), signer: fakeSigner(), workload: fakeWorkload() };
    const pass = { number: 1, now, signal: new AbortController().signal };
    const cluster = aSettledCluster().paused().withCondition('Paused', paused).build();
    expect(await observe(cluster, ask, { pass, settings: testSettings })).toEqual({ stop: 'paused' });
    expect(ask.trips).toEqual([]);
  });

  it('an unpaused Cluster updates the generation of Paused in the same pass', async () => {
    const cluster = withBothRefs(aSettledCluster()).withEndpoint('h.example').atGeneration(4);
    const reconciled = await reconcileOnce(cluster.withCondition('Paused', notPaused), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(reconciled.generationOf('Paused')).toBe(4);
    expect(reconciled.status['observedGeneration']).toBe(4);
    expect(reconciled.result).toBe('done');
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.condition('Available')).toBe('True/Available');
  });

  it('pausing stops a deletion', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aSettledCluster()).annotated(pausedAnnotation).deleting(), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(reconciled.condition('Paused')).toBe('True/Paused Cluster has the cluster.x-k8s.io/paused annotation');
    expect([reconciled.result, reconciled.writes]).toEqual(['done', []]);
  });
});

describe('what the Cluster names', () => {
  it('objects that do not exist yet are awaited', async () => {
    const reconciled = await reconcileOnce(withBothRefs(anUnconnectedCluster()));
    expect(reconciled.result).toBe('requeueAfter 30000');
    expect(reconciled.condition('RemoteConnectionProbe')).toBe(
      'False/ProbeFailed Remote connection not established yet',
    );
    expect(reconciled.status['phase']).toBe('Provisioning');
    expect(reconciled.status['observedGeneration']).toBe(3);
    expect(reconciled.events).toEqual(['Normal Provisioning Cluster c1 is Provisioning']);
    expect(reconciled.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist FooCluster does not exist');
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(
      'False/ObjectDoesNotExist FooControlPlane does not exist',
    );
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(
      'Unknown/ObjectDoesNotExist FooControlPlane does not exist',
    );
    expect(reconciled.condition('WorkersAvailable')).toBe('True/NoWorkers');
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * RemoteConnectionProbe: Remote connection not established yet\n* InfrastructureReady: FooCluster does not exist\n* ControlPlaneAvailable: FooControlPlane does not exist',
    );
    expect(reconciled.status['deprecated']).toBeUndefined();
    expect(reconciled.status['initialization']).toBeUndefined();
    expect([reconciled.status['controlPlane'], reconciled.status['workers']]).toEqual([{}, {}]);
    expect(reconciled.writes).toEqual([]);
  });

  it('objects without status are marked as the Cluster’s and awaited', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aSettledCluster()), { objects: [i1(), cp1()] });
    const marks =
      '{"metadata":{"ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","name":"c1","uid":"uid-1"}],' +
      '"labels":{"cluster.x-k8s.io/cluster-name":"c1"}}}';
    expect(reconciled.writes).toEqual([`patch FooCluster ns/i1 ${marks}`, `patch FooControlPlane ns/cp1 ${marks}`]);
    expect(reconciled.actions.map(action => action.do === 'patch' && action.resourceVersion)).toEqual(['1', '1']);
    expect(reconciled.condition('InfrastructureReady')).toBe(
      'False/NotReady FooCluster status.initialization.provisioned is false',
    );
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(
      'False/NotAvailable FooControlPlane status.initialization.controlPlaneInitialized is false',
    );
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(
      'False/NotInitialized Control plane not yet initialized',
    );
    expect(reconciled.v1beta1('Ready')).toBe('False/Info/WaitingForControlPlane');
    expect(reconciled.v1beta1('InfrastructureReady')).toBe('False/Info/WaitingForInfrastructure');
    expect(reconciled.v1beta1('ControlPlaneReady')).toBe('False/Info/WaitingForControlPlane');
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBe(
      'False/Info/WaitingForControlPlaneProviderInitialized Waiting for control plane provider to indicate the control plane has been initialized',
    );
    expect(reconciled.result).toBe('done');
  });

  it('a provisioned infrastructure gives endpoint, failure domains and "provisioned"', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aSettledCluster()), { objects: [infraOk(), cp1().adopted()] });
    expect(reconciled.writes).toEqual([
      'patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"h.example","port":6443}}}',
    ]);
    expect(reconciled.actions[0]).toMatchObject({ resourceVersion: '7' });
    expect(reconciled.status['failureDomains']).toEqual([
      { name: 'a', controlPlane: true },
      { name: 'b', controlPlane: false },
    ]);
    expect(reconciled.status['initialization']).toEqual({ infrastructureProvisioned: true });
    expect(reconciled.events).toEqual([
      'Normal InfrastructureReady Cluster c1 InfrastructureProvisioned is now True',
      'Normal Provisioned Cluster c1 is Provisioned',
    ]);
    expect(reconciled.condition('Available')).toBe(
      'False/NotAvailable * ControlPlaneAvailable: FooControlPlane status.initialization.controlPlaneInitialized is false',
    );
    expect(reconciled.result).toBe('done');
  });

  it('with both objects ready the Cluster is available', async () => {
    const reconciled = await reconcileOnce(withBothRefs(aSettledCluster()), { objects: [infraOk(), controlPlaneOk()] });
    expect(reconciled.condition('Available')).toBe('True/Available');
    expect(reconciled.condition('ControlPlaneInitialized')).toBe('True/Initialized');
    expect(reconciled.status['controlPlane']).toEqual({
      desiredReplicas: 3,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 2,
      upToDateReplicas: 3,
    });
    expect(reconciled.status['workers']).toEqual({});
    expect(reconciled.result).toBe('done');
    expect(reconciled.writes).toEqual([endpointWrite]);
  });

  it('a second reconcile writes nothing and records no event', async () => {
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

  it('a Cluster without infrastructure has a control plane, and no infrastructure event', async () => {
    const reconciled = await reconcileOnce(aSettledCluster().withControlPlaneRef(controlPlaneRef), {
      objects: [controlPlaneOk()],
    });
    expect(reconciled.status['initialization']).toEqual({
      infrastructureProvisioned: true,
      controlPlaneInitialized: true,
    });
    expect(reconciled.events).toEqual([
      'Normal ControlPlaneInitialized Cluster c1 ControlPlaneInitialized is now True',
      'Normal Provisioning Cluster c1 is Provisioning',
    ]);
    expect(reconciled.v1beta1('InfrastructureReady')).toBe('True');
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.condition('Available')).toBe(`Unknown/AvailableUnknown * InfrastructureReady: ${logs}`);
    expect([reconciled.result, reconciled.writes]).toEqual(['done', []]);
  });
});
