// Scenarios of a Machine until it runs: gate, owner, bootstrap config, infrastructure machine.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import {
  aCapiCluster,
  aCrd,
  aFreshMachine,
  aMachine,
  aNewNode,
  aRunningMachine,
  b1,
  bootstrapOk,
  changed,
  clusterOwner,
  crds,
  finalizer,
  i1,
  infraAdopted,
  infraOk,
  logs,
  machineOwner,
  ms1,
  nodeOk,
  now,
  reconcileOnce,
  runningWorld,
} from './world.ts';

const created = { objects: [bootstrapOk(), infraOk()], workload: [aNewNode()] };
const waitingForProviderID = 'Waiting for FooMachine to report spec.providerID';

describe('before the phases of a Machine run', () => {
  it('a missing Cluster is an error, and nothing is written (scenario 2)', async () => {
    const pass = await reconcileOnce(aMachine(), { cluster: null });
    expect(pass.result).toBe('failed to get Cluster ns/c1: clusters.cluster.x-k8s.io "c1" not found');
    expect(pass.writes).toEqual([]);
    expect(pass.report.status).toBeUndefined();
  });

  it('a missing owner is an error, and nothing is written (scenarios 3 and 4)', async () => {
    const withoutSet = await reconcileOnce(aMachine(), { machineSet: null });
    expect(withoutSet.result).toBe(
      'failed to retrieve owner MachineSet for Machine ns/m1: machinesets.cluster.x-k8s.io "ms1" not found',
    );
    const withoutDeployment = await reconcileOnce(aMachine(), { machineDeployment: null });
    expect(withoutDeployment.result).toBe(
      'failed to retrieve owner MachineDeployment for MachineSet ns/ms1: machinedeployments.cluster.x-k8s.io "md1" not found',
    );
    for (const pass of [withoutSet, withoutDeployment]) {
      expect(pass.writes).toEqual([]);
      expect(pass.report.status).toBeUndefined();
    }
  });

  it('the finalizer is the first write (scenario 5)', async () => {
    const pass = await reconcileOnce(aFreshMachine(), created);
    expect(pass.writes).toEqual([`patch Machine ns/m1 {"metadata":{"finalizers":["${finalizer}"]}}`]);
    expect(pass.report.status).toBeUndefined();
    expect(pass.result).toBe('again');
    expect(pass.ask.trips).toEqual([['get Cluster ns/c1']]);
  });

  it('a finalizer that is refused is an error', async () => {
    const pass = await reconcileOnce(aFreshMachine(), { failures: { 'finalizer:add': { message: 'boom' } } });
    expect(pass.result).toBe('failed to patch Machine ns/m1: boom');
  });

  it('the condition Paused is the second write (scenario 6)', async () => {
    const pass = await reconcileOnce(aFreshMachine().withFinalizers(finalizer), created);
    expect(pass.writes).toEqual([]);
    expect(pass.status).toEqual({ conditions: [expect.objectContaining({ type: 'Paused', observedGeneration: 2 })] });
    expect(pass.condition('Paused')).toBe('False/NotPaused');
    expect(pass.result).toBe('again');
  });

  it('a pause by Cluster and annotation writes only the condition, also during deletion (scenarios 8 and 9)', async () => {
    const running = await aRunningMachine();
    const annotated = changed(running, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    const cluster = aCapiCluster().withSpec({ paused: true });
    const pass = await reconcileOnce(annotated, { ...runningWorld, cluster });
    expect(pass.condition('Paused')).toBe(
      'True/Paused Cluster spec.paused is set to true, Machine has the cluster.x-k8s.io/paused annotation',
    );
    expect(pass.status).toEqual({ ...(running.status as object), conditions: expect.anything() });
    expect(pass.result).toBe('done');
    const deleting = changed(running, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const paused = await reconcileOnce(deleting, { ...runningWorld, cluster });
    expect(paused.condition('Paused')).toBe('True/Paused Cluster spec.paused is set to true');
    expect(paused.writes).toEqual([]);
  });

  it('a paused Machine costs one read and stops', async () => {
    const paused = changed(await aRunningMachine(), { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    const { machine } = await reconcileOnce(paused, runningWorld);
    await expect(reconcileOnce(machine, runningWorld)).rejects.toThrow('observe stopped: paused');
  });
});

describe('the owner and the label of a Machine', () => {
  it('is the Cluster if nothing else owns the Machine (scenario 10)', async () => {
    const standAlone = aMachine().owners().onlyLabelled({ 'cluster.x-k8s.io/cluster-name': 'c1' });
    const pass = await reconcileOnce(standAlone, created);
    expect(pass.machine.metadata.ownerReferences).toEqual([clusterOwner]);
    expect(pass.writes[0]).toContain('"ownerReferences":[{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster"');
  });

  it.each([
    { label: 'cluster.x-k8s.io/set-name' },
    { label: 'cluster.x-k8s.io/pool-name' },
    { label: 'cluster.x-k8s.io/control-plane-name' },
  ])('stays empty with the label $label of another owner (scenario 11)', async ({ label }) => {
    const labels = { 'cluster.x-k8s.io/cluster-name': 'c1', [label]: 'x' };
    const pass = await reconcileOnce(aMachine().owners().onlyLabelled(labels), created);
    expect(pass.machine.metadata.ownerReferences).toEqual([]);
  });

  it('an owner reference to a Cluster is not renewed', async () => {
    const old = { ...clusterOwner, uid: 'old' };
    const pass = await reconcileOnce(
      aMachine().owners(old).onlyLabelled({ 'cluster.x-k8s.io/cluster-name': 'c1' }),
      created,
    );
    expect(pass.machine.metadata.ownerReferences).toEqual([old]);
  });

  it('a lost label returns, and UpToDate is left to the control plane provider (scenario 12)', async () => {
    const owner = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1',
      kind: 'FooControlPlane',
      name: 'cp',
      uid: 'cp',
      controller: true,
    };
    const pass = await reconcileOnce(
      aMachine().owners(owner).onlyLabelled({ 'cluster.x-k8s.io/control-plane': '' }),
      created,
    );
    expect(pass.machine.metadata.labels).toEqual({
      'cluster.x-k8s.io/control-plane': '',
      'cluster.x-k8s.io/cluster-name': 'c1',
    });
    expect(pass.machine.metadata.ownerReferences).toEqual([owner]);
    expect(pass.condition('UpToDate')).toBeUndefined();
  });

  it('a refused patch of the Machine is an error, and the status is reported', async () => {
    const pass = await reconcileOnce(aMachine(), { ...created, failures: { 'machine:patch': { message: 'boom' } } });
    expect(pass.result).toBe('failed to patch Machine ns/m1: boom');
    expect(pass.status['observedGeneration']).toBeUndefined();
  });
});

describe('the objects of a Machine', () => {
  it('that do not exist yet are awaited (scenario 7)', async () => {
    const pass = await reconcileOnce(aMachine());
    expect(pass.result).toBe('requeueAfter 30000');
    expect(pass.status['phase']).toBe('Pending');
    expect(pass.condition('BootstrapConfigReady')).toBe('False/ObjectDoesNotExist FooConfig does not exist');
    expect(pass.condition('InfrastructureReady')).toBe('False/ObjectDoesNotExist FooMachine does not exist');
    expect(pass.condition('NodeReady')).toBe(`Unknown/InspectionFailed ${waitingForProviderID}`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/InspectionFailed ${waitingForProviderID}`);
    expect(pass.condition('Deleting')).toBe('False/NotDeleting');
    expect(pass.condition('Updating')).toBe('False/NotUpdating');
    expect(pass.condition('UpToDate')).toBe('True/UpToDate');
    expect(pass.condition('Ready')).toBe(
      'False/NotReady * BootstrapConfigReady: FooConfig does not exist\n' +
        '* InfrastructureReady: FooMachine does not exist\n' +
        `* NodeHealthy: ${waitingForProviderID}`,
    );
    expect(pass.condition('Available')).toBe('False/NotReady');
    expect(pass.v1beta1('NodeHealthy')).toBe('False/Info/WaitingForNodeRef');
    expect(pass.v1beta1('Ready')).toBeUndefined();
    expect(pass.asked).toEqual([]);
  });

  it('get owner and label (scenario 13)', async () => {
    const pass = await reconcileOnce(aMachine(), { objects: [b1(), i1()] });
    const metadata = JSON.stringify({
      ownerReferences: [machineOwner],
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
    });
    expect(pass.writes).toEqual([
      `patch FooMachine ns/i1 {"metadata":${metadata}}`,
      `patch FooConfig ns/b1 {"metadata":${metadata}}`,
    ]);
    expect(pass.status['phase']).toBe('Pending');
    expect(pass.condition('BootstrapConfigReady')).toBe(
      'False/NotReady FooConfig status.initialization.dataSecretCreated is false',
    );
    expect(pass.condition('InfrastructureReady')).toBe(
      'False/NotReady FooMachine status.initialization.provisioned is false',
    );
    expect(pass.v1beta1('BootstrapReady')).toBe('False/Info/WaitingForDataSecret');
    expect(pass.v1beta1('InfrastructureReady')).toBe('False/Info/WaitingForInfrastructure');
    expect(pass.v1beta1('Ready')).toBe('False/Info/WaitingForInfrastructure 0 of 2 completed');
  });

  it('the bootstrap data is there, the infrastructure is not (scenario 14)', async () => {
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infraAdopted()] });
    expect(pass.writes).toEqual(['patch Machine ns/m1 {"spec":{"bootstrap":{"dataSecretName":"s1"}}}']);
    expect(pass.status['initialization']).toEqual({ bootstrapDataSecretCreated: true });
    expect(pass.status['phase']).toBe('Provisioning');
    expect(pass.condition('Ready')).toBe(
      'False/NotReady * InfrastructureReady: FooMachine status.initialization.provisioned is false\n' +
        `* NodeHealthy: ${waitingForProviderID}`,
    );
    expect(pass.v1beta1('Ready')).toBe('False/Info/WaitingForInfrastructure 1 of 2 completed');
  });

  it('a provisioned machine without providerID is awaited, and nothing is copied (scenario 15)', async () => {
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infraOk().withSpec({ providerID: '' })] });
    expect(pass.result).toBe('done');
    expect(pass.status['phase']).toBe('Provisioning');
    expect(pass.status['initialization']).toEqual({ bootstrapDataSecretCreated: true });
    expect(pass.status['addresses']).toBeUndefined();
    expect(pass.condition('InfrastructureReady')).toBe('True/Ready');
    expect(pass.condition('Ready')).toBe(`Unknown/ReadyUnknown * NodeHealthy: ${waitingForProviderID}`);
  });

  it('a provisioned machine waits for its Node (scenario 16)', async () => {
    const pass = await reconcileOnce(aMachine(), { objects: [bootstrapOk(), infraOk()] });
    const waiting = 'Waiting for a Node with spec.providerID foo://1 to exist';
    expect(pass.result).toBe('requeueAfter 15000');
    expect(pass.status).toMatchObject({
      phase: 'Provisioned',
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      failureDomain: 'z1',
    });
    expect(pass.writes).toEqual([
      'patch Machine ns/m1 {"spec":{"providerID":"foo://1","bootstrap":{"dataSecretName":"s1"}}}',
    ]);
    expect(pass.condition('NodeReady')).toBe(`Unknown/InspectionFailed ${waiting}`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/InspectionFailed ${waiting}`);
    expect(pass.condition('Ready')).toBe(`Unknown/ReadyUnknown * NodeHealthy: ${waiting}`);
    expect(pass.v1beta1('NodeHealthy')).toBe(
      'False/Warning/NodeProvisioning Waiting for a node with matching ProviderID to exist',
    );
  });

  it('a Machine runs as soon as its Node exists (scenario 17)', async () => {
    const pass = await reconcileOnce(aMachine(), created);
    expect(pass.result).toBe('done');
    expect(pass.events).toEqual(['Normal SuccessfulSetNodeRef n1']);
    expect(pass.writes[1]).toBe(
      'patch Node n1 {"metadata":{"annotations":{"cluster.x-k8s.io/cluster-name":"c1","cluster.x-k8s.io/cluster-namespace":"ns",' +
        '"cluster.x-k8s.io/machine":"m1","cluster.x-k8s.io/owner-kind":"MachineSet","cluster.x-k8s.io/owner-name":"ms1",' +
        '"cluster.x-k8s.io/labels-from-machine":"","cluster.x-k8s.io/annotations-from-machine":""}}}',
    );
    expect(pass.actions.find(({ id }) => id === 'node:patch')).toMatchObject({
      resourceVersion: '1',
      target: { uid: 'uid-1', namespace: 'ns', name: 'c1' },
    });
    expect(pass.status).toMatchObject({
      phase: 'Running',
      nodeRef: { name: 'n1' },
      nodeInfo: { kubeletVersion: 'v1.31.0', architecture: '' },
      initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
      observedGeneration: 3,
    });
    for (const [type, expected] of Object.entries({
      NodeReady: 'True/NodeReady',
      NodeHealthy: 'True/NodeHealthy',
      Ready: 'True/Ready',
      Available: 'True/Available',
    })) {
      expect(pass.condition(type)).toBe(expected);
    }
    expect(['Ready', 'InfrastructureReady', 'NodeHealthy'].map(type => pass.v1beta1(type)?.slice(0, 4))).toEqual([
      'True',
      'True',
      'True',
    ]);
  });

  it('settles in the third pass (scenario 18)', async () => {
    const first = await reconcileOnce(aMachine(), created);
    const second = await reconcileOnce(first.machine, runningWorld);
    expect(second.writes).toEqual([]);
    expect(first.v1beta1('BootstrapReady')).toBe('True/Ready');
    expect(second.v1beta1('BootstrapReady')).toBe('True');
    const third = await reconcileOnce(second.machine, runningWorld);
    expect(third.writes).toEqual([]);
    expect(JSON.stringify(third.machine)).toBe(JSON.stringify(second.machine));
  });

  it('a settled worker costs nine requests to the management cluster and one to the workload cluster', async () => {
    const pass = await reconcileOnce(await aRunningMachine(), runningWorld);
    // The Machine itself is the ninth read.
    expect(pass.ask.trips.flat()).toHaveLength(8);
    expect(pass.asked).toEqual(['get Node n1']);
  });
});

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
