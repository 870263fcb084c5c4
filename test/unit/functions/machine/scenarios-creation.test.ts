// Scenarios of a Machine until it runs: gate, owner, bootstrap config, infrastructure machine.
import { describe, expect, it } from 'vitest';
import { createMachineReconciler } from '../../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../../functions/machine/settings.ts';
import { aRunningMachine, changed, reconcileOnce, runningWorld } from './machine-pass.ts';
import {
  aCapiCluster,
  aFreshMachine,
  aMachine,
  aNewNode,
  b1,
  bootstrapOk,
  clusterOwner,
  finalizer,
  i1,
  infraAdopted,
  infraOk,
  machineOwner,
} from './scenario-objects.ts';

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

  it('costs seven if its process has just read the definitions of its objects, and nine again a minute later', async () => {
    const reconciler = createMachineReconciler(defaultSettings);
    const machine = await aRunningMachine();
    await reconcileOnce(machine, { ...runningWorld, reconciler });
    const costs: number[] = [];
    for (const afterMs of [59_999, 60_000]) {
      const { ask } = await reconcileOnce(machine, { ...runningWorld, reconciler, afterMs });
      costs.push(ask.trips.flat().length + 1);
    }
    expect(costs).toEqual([7, 9]);
  });
});
