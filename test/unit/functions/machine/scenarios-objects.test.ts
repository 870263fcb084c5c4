// Scenarios of the bootstrap config and the infrastructure machine of a Machine.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aRunningMachine, changed, reconcileOnce, runningWorld } from './machine-pass.ts';
import {
  aCapiCluster,
  aCrd,
  aMachine,
  aNewNode,
  bootstrapOk,
  crds,
  infraAdopted,
  infraOk,
  logs,
  machineOwner,
  ms1,
  nodeOk,
  now,
} from './scenario-objects.ts';

describe('fields of the status', () => {
  it('a phase without a guard of its own stays', async () => {
    const first = await reconcileOnce(aMachine());
    const second = await reconcileOnce(first.machine);
    expect(second.status).toMatchObject({ phase: 'Pending', lastUpdated: timestamp(now) });
  });

  it('an unchanged phase has no new time, and without one the wait for the Node begins now', async () => {
    const stored = aMachine().withSpec({ providerID: 'foo://1' }).withStatus({ phase: 'Provisioned' });
    const pass = await reconcileOnce(stored, { objects: [bootstrapOk(), infraOk()] });
    expect(pass.status).not.toHaveProperty('lastUpdated');
    expect(pass.result).toBe('requeueAfter 15000');
    const old = stored.withStatus({ lastUpdated: timestamp(now - 20 * 60_000) });
    expect((await reconcileOnce(old, { objects: [bootstrapOk(), infraOk()] })).result).toBe('requeueAfter 60000');
  });

  it('an empty failure domain removes the stored one', async () => {
    const pass = await reconcileOnce(aMachine().withStatus({ failureDomain: 'z0' }), {
      objects: [bootstrapOk(), infraOk().withStatus({ failureDomain: '' })],
    });
    expect(pass.status['failureDomain']).toBeUndefined();
  });

  it('without deprecated conditions, the section stays absent', async () => {
    const machine = aMachine().withSpec({ providerID: 'foo://1' });
    const pass = await reconcileOnce(machine, { isConnected: false });
    expect(pass.status['deprecated']).toBeUndefined();
  });

  it('a Machine without infrastructure reference cannot be reported', async () => {
    const machine = changed(aMachine().build(), { spec: { infrastructureRef: null } });
    expect((await reconcileOnce(machine)).condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    const deleting = changed(machine, { metadata: { deletionTimestamp: timestamp(now) } });
    expect((await reconcileOnce(deleting)).writes).toEqual(['patch Machine ns/m1 {"metadata":{"finalizers":null}}']);
  });
});

describe('the ownership of objects', () => {
  it('a MachineSet owns the object only until the Machine does (scenario 19)', async () => {
    const other = { apiVersion: 'example.com/v1', kind: 'Other', name: 'o', uid: 'o' };
    const set = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineSet',
      name: 'ms1',
      uid: 'ms',
      controller: true,
    };
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infraOk().owners(set, other)] });
    expect(pass.writes[0]).toBe(
      `patch FooMachine ns/i1 {"metadata":{"ownerReferences":${JSON.stringify([other, machineOwner])}}}`,
    );
  });

  it('a control plane object owns the objects of its Machines only until the Machine does', async () => {
    const owner = { apiVersion: 'controlplane.cluster.x-k8s.io/v1', kind: 'FooControlPlane', name: 'cp', uid: 'cp' };
    const cluster = aCapiCluster().withControlPlaneRef({
      apiGroup: 'controlplane.cluster.x-k8s.io',
      kind: 'FooControlPlane',
      name: 'cp',
    });
    const world = { cluster, objects: [bootstrapOk(), infraOk().owners(owner, machineOwner)] };
    const worker = await reconcileOnce(aMachine(), world);
    expect(worker.writes.filter(line => line.includes('FooMachine'))).toEqual([]);
    const member = await reconcileOnce(aMachine().labelled({ 'cluster.x-k8s.io/control-plane': '' }), world);
    expect(member.writes[0]).toBe(
      `patch FooMachine ns/i1 {"metadata":{"ownerReferences":${JSON.stringify([machineOwner])}}}`,
    );
  });

  it('an object of another controller is refused, and the other object is used (scenario 20)', async () => {
    const other = { apiVersion: 'example.com/v1', kind: 'Other', name: 'o', uid: 'o', controller: true };
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infraOk().owners(other)] });
    expect(pass.result).toBe('Object ns/i1 is already owned by another Other controller o');
    expect(pass.writes.filter(line => line.includes('FooMachine'))).toEqual([]);
    expect(pass.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(pass.status['phase']).toBe('Provisioning');
  });

  it('a refused owner reference keeps the values of the object out of the Machine', async () => {
    const failures = { 'own:infrastructure': { message: 'boom' } };
    const pass = await reconcileOnce(aMachine(), {
      objects: [bootstrapOk(), infraOk().owners()],
      workload: [aNewNode()],
      failures,
    });
    expect(pass.result).toBe('failed to patch FooMachine ns/i1: boom');
    expect(pass.machine.spec).not.toHaveProperty('providerID');
    expect(pass.writes.filter(line => line.includes('Node'))).toEqual([]);
    expect(pass.status['nodeRef']).toBeUndefined();
    expect(pass.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('a kind without definition is an error (scenario 21)', async () => {
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infraOk()], crds: crds.slice(0, 1) });
    expect(pass.result).toContain('failed to get object from ref: failed to get CustomResourceDefinition metadata: ');
    expect(pass.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });
});

describe('the fields of the objects', () => {
  it('contract v1beta1 has its own path (scenario 22)', async () => {
    const crd = aCrd(
      { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine' },
      { 'cluster.x-k8s.io/v1beta1': 'v1' },
    );
    const infra = infraAdopted().withSpec({ providerID: 'foo://1' }).withStatus({ ready: true });
    const pass = await reconcileOnce(aMachine(), {
      objects: [bootstrapOk(), infra],
      workload: [nodeOk()],
      crds: [...crds.slice(0, 1), crd],
    });
    expect(pass.condition('InfrastructureReady')).toBe('True/Ready');
    expect(pass.v1beta1('InfrastructureReady')).toBe('True');
    expect(pass.status['phase']).toBe('Running');
  });

  it.each([
    {
      status: { initialization: { dataSecretCreated: true } },
      error: 'failed to read dataSecretName from FooConfig ns/b1: path .status.dataSecretName: field not found',
    },
    {
      status: { initialization: { dataSecretCreated: true }, dataSecretName: '' },
      error: 'got empty status.dataSecretName field from FooConfig ns/b1',
    },
    {
      status: { initialization: { dataSecretCreated: true }, dataSecretName: 1 },
      error:
        'failed to read dataSecretName from FooConfig ns/b1: failed to get .status.dataSecretName from object: .status.dataSecretName is a number, expected a string',
    },
    {
      status: { initialization: { dataSecretCreated: 'yes' } },
      error:
        'failed to get .status.initialization.dataSecretCreated from object: .status.initialization.dataSecretCreated is a string, expected a boolean',
    },
  ])('a bootstrap config is an error: $error (scenarios 23 and 24)', async ({ status, error }) => {
    const config = bootstrapOk().withStatus({ dataSecretName: undefined, ...status });
    const pass = await reconcileOnce(aMachine(), { objects: [config, infraOk()], workload: [nodeOk()] });
    expect(pass.result).toBe(error);
    expect(pass.status).toMatchObject({ phase: 'Running', nodeRef: { name: 'n1' } });
    expect(pass.status['initialization']).toEqual({ infrastructureProvisioned: true });
    expect(pass.status['observedGeneration']).toBeUndefined();
  });

  it('an inline data secret sets no flag (scenario 25)', async () => {
    const inline = changed(aMachine().build(), { spec: { bootstrap: { configRef: null, dataSecretName: 's9' } } });
    const world = { objects: [infraAdopted()] };
    const pass = await reconcileOnce(inline, world);
    expect(pass.status['phase']).toBe('Pending');
    expect(pass.condition('BootstrapConfigReady')).toBe('True/DataSecretProvided');
    expect(pass.status['initialization']).toBeUndefined();
    expect(pass.v1beta1('Ready')).toBe('False/Info/WaitingForInfrastructure 0 of 2 completed');
    const counted = await reconcileOnce(inline, { ...world, settings: { countsInlineDataSecret: true } });
    expect(counted.status['initialization']).toEqual({ bootstrapDataSecretCreated: true });
    expect(counted.status['phase']).toBe('Provisioning');
  });

  it.each([
    {
      change: { status: { initialization: { provisioned: 'yes' } } },
      error:
        'failed to get .status.initialization.provisioned from object: .status.initialization.provisioned is a string, expected a boolean',
    },
    {
      change: { spec: { providerID: 1 } },
      error:
        'failed to read spec.providerID from FooMachine ns/i1: failed to get .spec.providerID from object: .spec.providerID is a number, expected a string',
    },
    {
      change: { status: { addresses: 'x' } },
      error:
        'failed to read addresses from FooMachine ns/i1: failed to get .status.addresses from object: .status.addresses is a string, expected a list',
    },
    {
      change: { spec: { failureDomain: 1 } },
      error:
        'failed to read spec.failureDomain from FooMachine ns/i1: failed to get .spec.failureDomain from object: .spec.failureDomain is a number, expected a string',
    },
    {
      change: { status: { failureDomain: 1 } },
      error:
        'failed to read status.failureDomain from FooMachine ns/i1: failed to get .status.failureDomain from object: .status.failureDomain is a number, expected a string',
    },
  ])('an infrastructure machine is an error: $error (scenarios 26 and 27)', async ({ change, error }) => {
    const infra = changed(infraOk().build(), change);
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infra], workload: [nodeOk()] });
    expect(pass.result).toBe(error);
    expect(pass.status['initialization']).toEqual({ bootstrapDataSecretCreated: true });
    expect(pass.machine.spec).not.toHaveProperty('providerID');
    expect(pass.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it('the deprecated failure domain replaces the one of the Machine (scenario 28)', async () => {
    const pass = await reconcileOnce(aMachine(), {
      objects: [bootstrapOk(), infraOk().withSpec({ failureDomain: 'old' })],
    });
    expect(pass.machine.spec).toMatchObject({ failureDomain: 'old' });
    expect(pass.status['failureDomain']).toBe('z1');
  });

  it('without reported addresses, the stored ones stay, and an empty list removes them', async () => {
    const running = await aRunningMachine();
    const infra = (addresses: unknown) => changed(infraOk().build(), { status: { addresses } });
    const absent = await reconcileOnce(running, { ...runningWorld, objects: [bootstrapOk(), infra(null)] });
    expect(absent.status['addresses']).toEqual([{ type: 'InternalIP', address: '10.0.0.1' }]);
    const empty = await reconcileOnce(running, { ...runningWorld, objects: [bootstrapOk(), infra([])] });
    expect(empty.status['addresses']).toBeUndefined();
  });

  it('an unhealthy machine is reported (scenarios 29 and 30)', async () => {
    const conditions = (ready: object) =>
      changed(infraOk().build(), {
        status: { conditions: [{ type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z', ...ready }] },
      });
    const bad = await reconcileOnce(aMachine(), {
      objects: [bootstrapOk(), conditions({ status: 'False', message: 'nope', severity: 'Warning' })],
      workload: [nodeOk()],
    });
    expect(bad.condition('InfrastructureReady')).toBe('False/NoReasonReported nope');
    expect(bad.condition('Ready')).toBe('False/NotReady * InfrastructureReady: nope');
    expect(bad.v1beta1('InfrastructureReady')).toBe('False/Warning nope');
    expect(bad.v1beta1('Ready')).toBe('False/Warning nope');
    expect(bad.status['phase']).toBe('Running');
    const good = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), conditions({ status: 'True' })] });
    expect(good.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it('conditions that cannot be read are reported', async () => {
    const infra = changed(infraOk().build(), { status: { conditions: [{ type: 'Ready', status: 1 }] } });
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infra] });
    expect(pass.condition('InfrastructureReady')).toContain('Unknown/InvalidConditionReported ');
  });

  it('failure fields are copied and change nothing else (scenario 31)', async () => {
    const infra = infraOk().withStatus({ failureReason: 'Bad', failureMessage: 'it broke' });
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infra], workload: [nodeOk()] });
    expect(pass.status['deprecated']).toMatchObject({
      v1beta1: {
        failureReason: 'Bad',
        failureMessage:
          'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooMachine with name "i1": it broke',
      },
    });
    expect(pass.status['phase']).toBe('Running');
    expect(pass.condition('Ready')).toBe('True/Ready');
    const unreadable = await reconcileOnce(aMachine(), {
      objects: [bootstrapOk(), infraOk().withStatus({ failureReason: 1 })],
    });
    expect(unreadable.result).toContain(
      'failed to determine failureReason on infrastructure.cluster.x-k8s.io/v1, Kind=FooMachine "i1": ',
    );
    expect(unreadable.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });
});

describe('the objects of a running Machine', () => {
  it('the infrastructure machine disappears (scenario 32)', async () => {
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, objects: [bootstrapOk()] });
    expect(pass.result).toBe('could not find FooMachine ns/i1 for Machine ns/m1');
    expect(pass.condition('InfrastructureReady')).toBe(
      'False/ObjectDeleted FooMachine has been deleted while the Machine still exists',
    );
    expect(pass.status['deprecated']).toMatchObject({
      v1beta1: {
        failureReason: 'InvalidConfiguration',
        failureMessage:
          'Machine infrastructure resource FooMachine ns/i1 has been deleted after provisioning was completed',
      },
    });
    expect(pass.status['phase']).toBe('Running');
    expect(pass.v1beta1('NodeHealthy')).toBe('False/Info/Deleting');
  });

  it('the bootstrap config disappears (scenario 33)', async () => {
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, objects: [infraOk()] });
    expect(pass.result).toBe('requeueAfter 30000');
    expect(pass.condition('BootstrapConfigReady')).toBe('False/ObjectDoesNotExist FooConfig does not exist');
    expect(pass.condition('Ready')).toBe('False/NotReady * BootstrapConfigReady: FooConfig does not exist');
  });

  it('the infrastructure machine cannot be read (scenario 34)', async () => {
    const readFaults = [{ at: 'get FooMachine ns/i1', message: 'boom' }];
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, readFaults });
    expect(pass.result).toBe('failed to retrieve FooMachine ns/i1: boom');
    expect(pass.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(pass.condition('Ready')).toBe(`Unknown/ReadyUnknown * InfrastructureReady: ${logs}`);
    expect(pass.status['initialization']).toEqual({
      infrastructureProvisioned: true,
      bootstrapDataSecretCreated: true,
    });
    expect(pass.v1beta1('InfrastructureReady')).toBe('True/Ready');
  });

  it('a late pass keeps what is stored about objects that were not read', async () => {
    const readFaults = [{ at: 'get FooMachine ns/i1', message: 'boom' }];
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, readFaults, late: true });
    expect(pass.condition('InfrastructureReady')).toBe('True/Ready');
  });

  it('the infrastructure machine is being deleted, and its values are not copied (scenario 35)', async () => {
    const infra = infraOk().deleting().withFinalizers('x/y').withSpec({ providerID: 'foo://2' });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, objects: [bootstrapOk(), infra] });
    expect(pass.writes).toEqual([]);
    expect(pass.condition('InfrastructureReady')).toBe('True/Ready');
    expect(pass.v1beta1('NodeHealthy')).toBe('False/Info/Deleting');
    expect(pass.condition('Ready')).toBe('True/Ready');
  });

  it('values are copied although the infrastructure is no longer provisioned (scenario 36)', async () => {
    const infra = infraOk().withStatus({
      initialization: { provisioned: false },
      addresses: [{ type: 'InternalIP', address: '10.0.0.9', note: 'dropped' }],
    });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, objects: [bootstrapOk(), infra] });
    expect(pass.status['addresses']).toEqual([{ type: 'InternalIP', address: '10.0.0.9' }]);
    expect(pass.status['initialization']).toMatchObject({ infrastructureProvisioned: true });
  });

  it('a MachineSet without MachineDeployment needs no further read', async () => {
    const machineSet = ms1().onlyLabelled({});
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, machineSet });
    expect(pass.ask.trips.flat().filter(line => line.includes('MachineDeployment'))).toEqual([]);
  });
});
