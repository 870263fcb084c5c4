// Scenarios of the Cluster's behaviour: infrastructure and control plane objects that are missing, unreadable or different.
import { describe, expect, it } from 'vitest';
import {
  aCrd,
  aSettledCluster,
  controlPlaneOk,
  controlPlaneRef,
  cp1,
  crds,
  endpointWrite,
  i1,
  infraOk,
  infraRef,
  logs,
  reconcileOnce,
  withBothRefs,
} from './world.ts';

const both = () => withBothRefs(aSettledCluster());

describe('objects that cannot be had', () => {
  it('scenario 20: infrastructure that vanishes after it was provisioned is an error, and the control plane goes on', async () => {
    const told = await reconcileOnce(both().infrastructureProvisioned(), { objects: [controlPlaneOk()] });
    expect(told.result).toBe('FooCluster has been deleted after being provisioned');
    expect(told.condition('InfrastructureReady')).toBe(
      'False/ObjectDeleted FooCluster has been deleted while the cluster still exists',
    );
    expect(told.condition('ControlPlaneAvailable')).toBe('True/Available');
    expect(told.status['initialization']).toEqual({ infrastructureProvisioned: true, controlPlaneInitialized: true });
    expect(told.status['observedGeneration']).toBeUndefined();
    expect(told.writes).toEqual([]);
  });

  it('scenario 21: a control plane that vanishes after it was initialized is an error', async () => {
    const told = await reconcileOnce(both().controlPlaneInitialized(), { objects: [infraOk()] });
    expect(told.result).toBe('FooControlPlane has been deleted after being initialized');
    expect(told.condition('ControlPlaneAvailable')).toBe(
      'False/ObjectDeleted FooControlPlane has been deleted while the cluster still exists',
    );
    expect(told.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.writes).toEqual([endpointWrite]);
  });

  it('scenario 22: a control plane that nobody has created yet is awaited', async () => {
    const told = await reconcileOnce(both(), { objects: [infraOk()] });
    expect(told.result).toBe('requeueAfter 30000');
    expect(told.condition('ControlPlaneAvailable')).toBe('False/ObjectDoesNotExist FooControlPlane does not exist');
    expect(told.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.v1beta1('Ready')).toBe('True');
    expect(told.writes).toEqual([endpointWrite]);
  });

  it('scenario 23: infrastructure that cannot be read does not stop the control plane', async () => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk()],
      readFaults: [{ at: 'get FooCluster ns/i1', message: 'boom' }],
    });
    expect(told.result).toBe('failed to retrieve FooCluster ns/i1: boom');
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.events).toContain('Normal ControlPlaneInitialized Cluster c1 ControlPlaneInitialized is now True');
    expect(told.writes).toEqual([]);
  });

  it('scenario 24: a kind without definition is an error, not an awaited object', async () => {
    const told = await reconcileOnce(both(), { objects: [infraOk(), controlPlaneOk()], crds: crds.slice(1) });
    expect(told.result).toBe(
      'failed to get object from ref: failed to get CustomResourceDefinition metadata: ' +
        'customresourcedefinitions.apiextensions.k8s.io "fooclusters.infrastructure.cluster.x-k8s.io" not found',
    );
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.writes).toEqual([]);
  });

  it('scenario 25: a definition without contract labels is an error, and the object stays untouched (B17 for providers)', async () => {
    const told = await reconcileOnce(both(), {
      objects: [i1(), controlPlaneOk()],
      crds: [aCrd(infraRef, {}), ...crds.slice(1)],
    });
    expect(told.result).toContain('cannot find any versions matching contract versions ["v1beta2" "v1beta1"]');
    expect(told.writes.filter(line => line.includes('FooCluster'))).toEqual([]);
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('scenario 57: a definition is read once a pass, so it fails at once, and the pass is told', async () => {
    const crd = 'metadata CustomResourceDefinition foocontrolplanes.controlplane.cluster.x-k8s.io';
    const told = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk()],
      readFaults: [{ at: crd, message: 'boom' }],
    });
    expect(told.ask.trips.flat().filter(line => line === crd)).toHaveLength(1);
    expect(told.result).toBe('failed to get object from ref: failed to get CustomResourceDefinition metadata: boom');
    expect(told.condition('ControlPlaneAvailable')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.writes).toEqual([endpointWrite]);
  });

  it('tells each of several errors once', async () => {
    const told = await reconcileOnce(both(), {
      readFaults: [
        { at: 'get FooCluster ns/i1', message: 'boom' },
        { at: 'get FooControlPlane ns/cp1', message: 'bang' },
      ],
    });
    expect(told.result).toBe(
      '[failed to retrieve FooCluster ns/i1: boom, failed to retrieve FooControlPlane ns/cp1: bang]',
    );
  });
});

describe('objects of another contract or form', () => {
  it('scenario 27: infrastructure of contract v1beta1', async () => {
    const infra = i1()
      .adopted()
      .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } })
      .withStatus({
        ready: true,
        conditions: [{ type: 'Ready', status: 'True' }],
        failureDomains: { z2: { controlPlane: true, attributes: { k: 'v' } }, z1: {} },
        failureReason: 'Bad',
        failureMessage: 'it broke',
      });
    const told = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef), {
      objects: [infra],
      crds: [aCrd(infraRef, { 'cluster.x-k8s.io/v1beta1': 'v1' })],
    });
    expect(told.condition('InfrastructureReady')).toBe('True/Ready');
    expect(told.status['failureDomains']).toEqual([
      { name: 'z1', controlPlane: false },
      { name: 'z2', controlPlane: true, attributes: { k: 'v' } },
    ]);
    expect(told.status['deprecated']).toMatchObject({
      v1beta1: {
        failureReason: 'Bad',
        failureMessage:
          'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooCluster with name "i1": it broke',
      },
    });
    expect(told.status['phase']).toBe('Provisioned');
    expect([told.result, told.writes]).toEqual(['requeueAfter 30000', [endpointWrite]]);
  });

  it('takes empty failure fields for none', async () => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk().withStatus({ failureReason: '', failureMessage: '' }), controlPlaneOk()],
    });
    expect(told.status['deprecated']).toEqual({ v1beta1: { conditions: expect.anything() } });
  });

  it('tells of a control plane that says it is not initialized', async () => {
    const told = await reconcileOnce(both(), {
      objects: [
        infraOk(),
        cp1()
          .adopted()
          .withStatus({ initialization: { controlPlaneInitialized: false } }),
      ],
    });
    expect(told.condition('ControlPlaneInitialized')).toBe('False/NotInitialized Control plane not yet initialized');
  });

  it('scenario 28: a control plane of contract v1beta1 gives the endpoint that the infrastructure lacks', async () => {
    const controlPlane = cp1()
      .adopted()
      .withSpec({ replicas: 3, controlPlaneEndpoint: { host: 'cph', port: 1 } })
      .withStatus({ initialized: true, readyReplicas: 2, unavailableReplicas: 1, updatedReplicas: 3 });
    const told = await reconcileOnce(both(), {
      objects: [
        i1()
          .adopted()
          .withStatus({ initialization: { provisioned: true } }),
        controlPlane,
      ],
      crds: [crds[0] ?? i1(), aCrd(controlPlaneRef, { 'cluster.x-k8s.io/v1beta1': 'v1' })],
    });
    expect(told.status['controlPlane']).toEqual({
      desiredReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 3,
    });
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"cph","port":1}}}']);
    expect(told.condition('ControlPlaneAvailable')).toBe('True/Available');
    expect(told.result).toBe('done');
  });

  it('scenario 33: infrastructure that another controller owns is refused to a Cluster with topology', async () => {
    const rival = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'uid-o', controller: true };
    const infra = infraOk().build();
    const told = await reconcileOnce(both().withTopology({ class: 'cls' }), {
      objects: [
        { ...infra, metadata: { ...infra.metadata, ownerReferences: [rival] } },
        controlPlaneOk(),
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', metadata: { ...infra.metadata, name: 'cls' } },
      ],
    });
    expect(told.result).toBe('Object ns/i1 is already owned by another Other controller o');
    expect(told.writes.filter(line => line.includes('FooCluster'))).toEqual([]);
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('scenario 34: an outdated owner reference to the Cluster is replaced in its place', async () => {
    const other = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'uid-o' };
    const old = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'c1', uid: 'uid-1', controller: true };
    const infra = i1().labelled({ team: 'a' }).build();
    const told = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef), {
      objects: [{ ...infra, metadata: { ...infra.metadata, ownerReferences: [other, old] } }],
    });
    const wanted = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-1' };
    expect(told.writes).toEqual([
      `patch FooCluster ns/i1 ${JSON.stringify({
        metadata: { ownerReferences: [other, wanted], labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      })}`,
    ]);
    expect(told.result).toBe('done');
    expect(told.condition('InfrastructureReady')).toBe(
      'False/NotReady FooCluster status.initialization.provisioned is false',
    );
  });

  it('scenario 38: half an endpoint is cleared when nobody reports one', async () => {
    const told = await reconcileOnce(both().withSpec({ controlPlaneEndpoint: { host: 'userhost' } }), {
      objects: [
        i1()
          .adopted()
          .withStatus({ initialization: { provisioned: true } }),
        cp1()
          .adopted()
          .withStatus({ initialization: { controlPlaneInitialized: true } }),
      ],
    });
    expect(told.writes).toEqual(['patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":null}}']);
    expect(told.status['phase']).toBe('Provisioning');
    expect(told.result).toBe('done');
    expect(told.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it.each([
    { half: { host: 'h' }, body: '{"host":"h","port":null}', reason: 'a host without a port' },
    { half: { port: 6443 }, body: '{"host":null,"port":6443}', reason: 'a port without a host' },
  ])('copies $reason as it is reported', async ({ half, body }) => {
    const told = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef), {
      objects: [infraOk().withSpec({ controlPlaneEndpoint: half })],
    });
    expect(told.writes).toEqual([`patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":${body}}}`]);
    expect(told.status['phase']).toBe('Provisioning');
  });

  it('scenario 39: conditions that cannot be read are told as such', async () => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk().withStatus({ conditions: [{ type: 'Ready' }] }), controlPlaneOk()],
    });
    expect(told.condition('InfrastructureReady')).toBe(
      'Unknown/InvalidConditionReported failed to convert status.conditions from FooCluster to []metav1.Condition: ' +
        'status must be set for the Ready condition',
    );
    expect([told.result, told.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('scenario 40: failure domains of the wrong form are an error, and the infrastructure is not yet provisioned', async () => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk().withStatus({ failureDomains: { a: {} } }), cp1().adopted()],
    });
    expect(told.result).toContain(
      'failed to retrieve status.failureDomains from infrastructure provider for Cluster "c1" in namespace "ns": ' +
        'failed to get .status.failureDomains from object: ',
    );
    expect(told.status['initialization']).toBeUndefined();
    expect(told.v1beta1('InfrastructureReady')).toContain('True');
    expect(told.writes).toHaveLength(1);
    expect(told.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it('scenario 45: a control plane that stops counting keeps the last counts, but no versions', async () => {
    const stored = { controlPlane: { readyReplicas: 3, versions: [{ version: 'v1.35.0', replicas: 3 }] } };
    const told = await reconcileOnce(both().withStatus(stored), { objects: [infraOk(), cp1().adopted()] });
    expect(told.status['controlPlane']).toEqual({ readyReplicas: 3 });
    expect([told.result, told.writes]).toEqual(['done', [endpointWrite]]);
    expect(told.condition('ControlPlaneAvailable')).toBe(
      'False/NotAvailable FooControlPlane status.initialization.controlPlaneInitialized is false',
    );
  });

  it('scenario 63: a False without reason says so, and loses to True in the deprecated summary', async () => {
    const told = await reconcileOnce(both(), {
      objects: [
        infraOk().withStatus({ conditions: [{ type: 'Ready', status: 'False', message: 'nope' }] }),
        controlPlaneOk(),
      ],
    });
    expect(told.condition('InfrastructureReady')).toBe('False/NoReasonReported nope');
    expect(told.v1beta1('InfrastructureReady')).toBe('False nope');
    expect(told.v1beta1('Ready')).toBe('True');
    expect([told.result, told.writes]).toEqual(['done', [endpointWrite]]);
  });
});

describe('what stays', () => {
  it('keeps a valid endpoint that the user set', async () => {
    const told = await reconcileOnce(both().withEndpoint('mine.example', 1), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(told.writes).toEqual([]);
  });

  it('keeps "provisioned" when the provider changes its mind, and clears the failure domains it no longer reports', async () => {
    const stored = { failureDomains: [{ name: 'a', controlPlane: true }] };
    const told = await reconcileOnce(both().infrastructureProvisioned().withStatus(stored), {
      objects: [i1().adopted(), cp1().adopted()],
    });
    expect(told.status['initialization']).toEqual({ infrastructureProvisioned: true });
    expect(told.status['failureDomains']).toBeUndefined();
    expect(told.condition('InfrastructureReady')).toBe('True/Ready');
    expect(told.events).not.toContain('Normal InfrastructureReady Cluster c1 InfrastructureProvisioned is now True');
  });

  it('keeps the failure domains while the infrastructure is not provisioned', async () => {
    const stored = { failureDomains: [{ name: 'a', controlPlane: true }] };
    const told = await reconcileOnce(both().withStatus(stored), { objects: [i1().adopted(), cp1().adopted()] });
    expect(told.status['failureDomains']).toEqual(stored.failureDomains);
  });

  it('takes nothing but Ready from infrastructure that is being deleted', async () => {
    const told = await reconcileOnce(both(), { objects: [infraOk().deleting(), controlPlaneOk().deleting()] });
    expect(told.status['initialization']).toBeUndefined();
    expect(told.v1beta1('InfrastructureReady')).toBe('True/Ready');
    expect(told.v1beta1('ControlPlaneReady')).toBe('True');
    expect(told.v1beta1('ControlPlaneInitialized')).toBeUndefined();
    expect(told.result).toBe('done');
  });

  it('keeps fields of the status that others write', async () => {
    const upgradePlan = [{ version: 'v1.36.0' }];
    const told = await reconcileOnce(both().withStatus({ controlPlane: { upgradePlan }, workers: { upgradePlan } }), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(told.status['controlPlane']).toMatchObject({ upgradePlan, desiredReplicas: 3 });
    expect(told.status['workers']).toEqual({ upgradePlan });
  });

  it('counts nothing of a control plane that is not there', async () => {
    const told = await reconcileOnce(both().withStatus({ controlPlane: { replicas: 3, versions: [] } }), {
      objects: [infraOk()],
    });
    expect(told.status['controlPlane']).toEqual({});
  });

  it('leaves deprecated conditions as they were when an object vanishes', async () => {
    const told = await reconcileOnce(
      both().infrastructureProvisioned().withV1Beta1Condition('InfrastructureReady', { status: 'True' }),
      { objects: [controlPlaneOk()] },
    );
    expect(told.v1beta1('InfrastructureReady')).toBe('True');
  });
});
