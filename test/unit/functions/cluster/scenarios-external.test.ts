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
} from './cluster-pass.ts';

const both = () => withBothRefs(aSettledCluster());

describe('objects that are missing or cannot be read', () => {
  it('infrastructure that disappears after it was provisioned is an error, and the control plane is reconciled', async () => {
    const reconciled = await reconcileOnce(both().infrastructureProvisioned(), { objects: [controlPlaneOk()] });
    expect(reconciled.result).toBe('FooCluster has been deleted after being provisioned');
    expect(reconciled.condition('InfrastructureReady')).toBe(
      'False/ObjectDeleted FooCluster has been deleted while the cluster still exists',
    );
    expect(reconciled.condition('ControlPlaneAvailable')).toBe('True/Available');
    expect(reconciled.status['initialization']).toEqual({
      infrastructureProvisioned: true,
      controlPlaneInitialized: true,
    });
    expect(reconciled.status['observedGeneration']).toBeUndefined();
    expect(reconciled.writes).toEqual([]);
  });

  it('a control plane that disappears after it was initialized is an error', async () => {
    const reconciled = await reconcileOnce(both().controlPlaneInitialized(), { objects: [infraOk()] });
    expect(reconciled.result).toBe('FooControlPlane has been deleted after being initialized');
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(
      'False/ObjectDeleted FooControlPlane has been deleted while the cluster still exists',
    );
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.writes).toEqual([endpointWrite]);
  });

  it('a control plane that does not exist yet is awaited', async () => {
    const reconciled = await reconcileOnce(both(), { objects: [infraOk()] });
    expect(reconciled.result).toBe('requeueAfter 30000');
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(
      'False/ObjectDoesNotExist FooControlPlane does not exist',
    );
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.v1beta1('Ready')).toBe('True');
    expect(reconciled.writes).toEqual([endpointWrite]);
  });

  it('infrastructure that cannot be read does not stop the control plane', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk()],
      readFaults: [{ at: 'get FooCluster ns/i1', message: 'boom' }],
    });
    expect(reconciled.result).toBe('failed to retrieve FooCluster ns/i1: boom');
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.events).toContain(
      'Normal ControlPlaneInitialized Cluster c1 ControlPlaneInitialized is now True',
    );
    expect(reconciled.writes).toEqual([]);
  });

  it('a kind without definition is an error, not an awaited object', async () => {
    const reconciled = await reconcileOnce(both(), { objects: [infraOk(), controlPlaneOk()], crds: crds.slice(1) });
    expect(reconciled.result).toBe(
      'failed to get object from ref: failed to get CustomResourceDefinition metadata: ' +
        'customresourcedefinitions.apiextensions.k8s.io "fooclusters.infrastructure.cluster.x-k8s.io" not found',
    );
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.writes).toEqual([]);
  });

  it('a definition without contract labels is an error, and the object stays untouched (B17 for providers)', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [i1(), controlPlaneOk()],
      crds: [aCrd(infraRef, {}), ...crds.slice(1)],
    });
    expect(reconciled.result).toContain('cannot find any versions matching contract versions ["v1beta2" "v1beta1"]');
    expect(reconciled.writes.filter(line => line.includes('FooCluster'))).toEqual([]);
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('a definition is read once in a pass, and its failure is reported in the same pass', async () => {
    const crd = 'metadata CustomResourceDefinition foocontrolplanes.controlplane.cluster.x-k8s.io';
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk()],
      readFaults: [{ at: crd, message: 'boom' }],
    });
    expect(reconciled.ask.trips.flat().filter(line => line === crd)).toHaveLength(1);
    expect(reconciled.result).toBe(
      'failed to get object from ref: failed to get CustomResourceDefinition metadata: boom',
    );
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.writes).toEqual([endpointWrite]);
  });

  it('reports each of several errors once', async () => {
    const reconciled = await reconcileOnce(both(), {
      readFaults: [
        { at: 'get FooCluster ns/i1', message: 'boom' },
        { at: 'get FooControlPlane ns/cp1', message: 'bang' },
      ],
    });
    expect(reconciled.result).toBe(
      '[failed to retrieve FooCluster ns/i1: boom, failed to retrieve FooControlPlane ns/cp1: bang]',
    );
  });
});

describe('objects of another contract or form', () => {
  it('infrastructure of contract v1beta1 is read by its own fields', async () => {
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
    const reconciled = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef), {
      objects: [infra],
      crds: [aCrd(infraRef, { 'cluster.x-k8s.io/v1beta1': 'v1' })],
    });
    expect(reconciled.condition('InfrastructureReady')).toBe('True/Ready');
    expect(reconciled.status['failureDomains']).toEqual([
      { name: 'z1', controlPlane: false },
      { name: 'z2', controlPlane: true, attributes: { k: 'v' } },
    ]);
    expect(reconciled.status['deprecated']).toMatchObject({
      v1beta1: {
        failureReason: 'Bad',
        failureMessage:
          'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooCluster with name "i1": it broke',
      },
    });
    expect(reconciled.status['phase']).toBe('Provisioned');
    expect([reconciled.result, reconciled.writes]).toEqual(['requeueAfter 30000', [endpointWrite]]);
  });

  it('treats empty failure fields as absent', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk().withStatus({ failureReason: '', failureMessage: '' }), controlPlaneOk()],
    });
    expect(reconciled.status['deprecated']).toEqual({ v1beta1: { conditions: expect.anything() } });
  });

  it('reports a control plane that is not initialized', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        infraOk(),
        cp1()
          .adopted()
          .withStatus({ initialization: { controlPlaneInitialized: false } }),
      ],
    });
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(
      'False/NotInitialized Control plane not yet initialized',
    );
  });

  it('a control plane of contract v1beta1 gives the endpoint that the infrastructure lacks', async () => {
    const controlPlane = cp1()
      .adopted()
      .withSpec({ replicas: 3, controlPlaneEndpoint: { host: 'cph', port: 1 } })
      .withStatus({ initialized: true, readyReplicas: 2, unavailableReplicas: 1, updatedReplicas: 3 });
    const reconciled = await reconcileOnce(both(), {
      objects: [
        i1()
          .adopted()
          .withStatus({ initialization: { provisioned: true } }),
        controlPlane,
      ],
      crds: [crds[0] ?? i1(), aCrd(controlPlaneRef, { 'cluster.x-k8s.io/v1beta1': 'v1' })],
    });
    expect(reconciled.status['controlPlane']).toEqual({
      desiredReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 3,
    });
    expect(reconciled.writes).toEqual([
      'patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"cph","port":1}}}',
    ]);
    expect(reconciled.condition('ControlPlaneAvailable')).toBe('True/Available');
    expect(reconciled.result).toBe('done');
  });

  it('infrastructure that another controller owns is refused to a Cluster with topology', async () => {
    const rival = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'uid-o', controller: true };
    const infra = infraOk().build();
    const reconciled = await reconcileOnce(both().withTopology({ class: 'cls' }), {
      objects: [
        { ...infra, metadata: { ...infra.metadata, ownerReferences: [rival] } },
        controlPlaneOk(),
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', metadata: { ...infra.metadata, name: 'cls' } },
      ],
    });
    expect(reconciled.result).toBe('Object ns/i1 is already owned by another Other controller o');
    expect(reconciled.writes.filter(line => line.includes('FooCluster'))).toEqual([]);
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('an outdated owner reference to the Cluster is replaced in its place', async () => {
    const other = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'uid-o' };
    const old = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'c1', uid: 'uid-1', controller: true };
    const infra = i1().labelled({ team: 'a' }).build();
    const reconciled = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef), {
      objects: [{ ...infra, metadata: { ...infra.metadata, ownerReferences: [other, old] } }],
    });
    const wanted = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-1' };
    expect(reconciled.writes).toEqual([
      `patch FooCluster ns/i1 ${JSON.stringify({
        metadata: { ownerReferences: [other, wanted], labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      })}`,
    ]);
    expect(reconciled.result).toBe('done');
    expect(reconciled.condition('InfrastructureReady')).toBe(
      'False/NotReady FooCluster status.initialization.provisioned is false',
    );
  });

  it('half an endpoint is cleared when no object reports one', async () => {
    const reconciled = await reconcileOnce(both().withSpec({ controlPlaneEndpoint: { host: 'userhost' } }), {
      objects: [
        i1()
          .adopted()
          .withStatus({ initialization: { provisioned: true } }),
        cp1()
          .adopted()
          .withStatus({ initialization: { controlPlaneInitialized: true } }),
      ],
    });
    expect(reconciled.writes).toEqual(['patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":null}}']);
    expect(reconciled.status['phase']).toBe('Provisioning');
    expect(reconciled.result).toBe('done');
    expect(reconciled.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it.each([
    { half: { host: 'h' }, body: '{"host":"h","port":null}', reason: 'a host without a port' },
    { half: { port: 6443 }, body: '{"host":null,"port":6443}', reason: 'a port without a host' },
  ])('copies $reason as it is reported', async ({ half, body }) => {
    const reconciled = await reconcileOnce(aSettledCluster().withInfrastructureRef(infraRef), {
      objects: [infraOk().withSpec({ controlPlaneEndpoint: half })],
    });
    expect(reconciled.writes).toEqual([`patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":${body}}}`]);
    expect(reconciled.status['phase']).toBe('Provisioning');
  });

  it('conditions that cannot be read are reported as invalid', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk().withStatus({ conditions: [{ type: 'Ready' }] }), controlPlaneOk()],
    });
    expect(reconciled.condition('InfrastructureReady')).toBe(
      'Unknown/InvalidConditionReported failed to convert status.conditions from FooCluster to []metav1.Condition: ' +
        'status must be set for the Ready condition',
    );
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('failure domains of the wrong form are an error, and the infrastructure is not yet provisioned', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk().withStatus({ failureDomains: { a: {} } }), cp1().adopted()],
    });
    expect(reconciled.result).toContain(
      'failed to retrieve status.failureDomains from infrastructure provider for Cluster "c1" in namespace "ns": ' +
        'failed to get .status.failureDomains from object: ',
    );
    expect(reconciled.status['initialization']).toBeUndefined();
    expect(reconciled.v1beta1('InfrastructureReady')).toContain('True');
    expect(reconciled.writes).toHaveLength(1);
    expect(reconciled.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it('a control plane without counters keeps the last counts, but no versions', async () => {
    const stored = { controlPlane: { readyReplicas: 3, versions: [{ version: 'v1.35.0', replicas: 3 }] } };
    const reconciled = await reconcileOnce(both().withStatus(stored), { objects: [infraOk(), cp1().adopted()] });
    expect(reconciled.status['controlPlane']).toEqual({ readyReplicas: 3 });
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(
      'False/NotAvailable FooControlPlane status.initialization.controlPlaneInitialized is false',
    );
  });

  it('a False without reason gets NoReasonReported, and True has precedence in the deprecated summary', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        infraOk().withStatus({ conditions: [{ type: 'Ready', status: 'False', message: 'nope' }] }),
        controlPlaneOk(),
      ],
    });
    expect(reconciled.condition('InfrastructureReady')).toBe('False/NoReasonReported nope');
    expect(reconciled.v1beta1('InfrastructureReady')).toBe('False nope');
    expect(reconciled.v1beta1('Ready')).toBe('True');
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });
});

describe('a later pass', () => {
  it('keeps a valid endpoint that the user set', async () => {
    const reconciled = await reconcileOnce(both().withEndpoint('mine.example', 1), {
      objects: [infraOk(), controlPlaneOk()],
    });
    expect(reconciled.writes).toEqual([]);
  });

  it('keeps "provisioned" when the provider reports false, and clears the failure domains that it no longer reports', async () => {
    const stored = { failureDomains: [{ name: 'a', controlPlane: true }] };
    const reconciled = await reconcileOnce(both().infrastructureProvisioned().withStatus(stored), {
      objects: [i1().adopted(), cp1().adopted()],
    });
    expect(reconciled.status['initialization']).toEqual({ infrastructureProvisioned: true });
    expect(reconciled.status['failureDomains']).toBeUndefined();
    expect(reconciled.condition('InfrastructureReady')).toBe('True/Ready');
    expect(reconciled.events).not.toContain(
      'Normal InfrastructureReady Cluster c1 InfrastructureProvisioned is now True',
    );
  });

  it('keeps the failure domains while the infrastructure is not provisioned', async () => {
    const stored = { failureDomains: [{ name: 'a', controlPlane: true }] };
    const reconciled = await reconcileOnce(both().withStatus(stored), { objects: [i1().adopted(), cp1().adopted()] });
    expect(reconciled.status['failureDomains']).toEqual(stored.failureDomains);
  });

  it('takes only Ready from infrastructure that is being deleted', async () => {
    const reconciled = await reconcileOnce(both(), { objects: [infraOk().deleting(), controlPlaneOk().deleting()] });
    expect(reconciled.status['initialization']).toBeUndefined();
    expect(reconciled.v1beta1('InfrastructureReady')).toBe('True/Ready');
    expect(reconciled.v1beta1('ControlPlaneReady')).toBe('True');
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBeUndefined();
    expect(reconciled.result).toBe('done');
  });

  it('keeps fields of the status that others write', async () => {
    const upgradePlan = [{ version: 'v1.36.0' }];
    const reconciled = await reconcileOnce(
      both().withStatus({ controlPlane: { upgradePlan }, workers: { upgradePlan } }),
      {
        objects: [infraOk(), controlPlaneOk()],
      },
    );
    expect(reconciled.status['controlPlane']).toMatchObject({ upgradePlan, desiredReplicas: 3 });
    expect(reconciled.status['workers']).toEqual({ upgradePlan });
  });

  it('counts no replicas of a missing control plane', async () => {
    const reconciled = await reconcileOnce(both().withStatus({ controlPlane: { replicas: 3, versions: [] } }), {
      objects: [infraOk()],
    });
    expect(reconciled.status['controlPlane']).toEqual({});
  });

  it('keeps deprecated conditions when an object disappears', async () => {
    const reconciled = await reconcileOnce(
      both().infrastructureProvisioned().withV1Beta1Condition('InfrastructureReady', { status: 'True' }),
      { objects: [controlPlaneOk()] },
    );
    expect(reconciled.v1beta1('InfrastructureReady')).toBe('True');
  });
});
