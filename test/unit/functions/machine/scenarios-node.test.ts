// Scenarios of a Machine and its Node: connection, look-up, health, labels, taints.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aRunningMachine, changed, reconcileOnce, runningWorld } from './machine-pass.ts';
import { aCapiCluster, aMachine, aNewNode, bootstrapOk, infraOk, logs, md1, nodeOk, now } from './scenario-objects.ts';

const created = { objects: [bootstrapOk(), infraOk()] };

/** A Cluster whose probes fail since this time. */
const failingSince = (instant: number) =>
  aCapiCluster()
    .annotated({ 'capi-serverless.dev/probe-failing-since': timestamp(instant) })
    .withCondition('RemoteConnectionProbe', {
      status: 'False',
      message: 'Remote connection probe failed',
      lastTransitionTime: timestamp(instant + 50_000),
    });

const neverConnected = aCapiCluster().withCondition('RemoteConnectionProbe', {
  status: 'False',
  message: 'Remote connection not established yet',
});

const minute = 60_000;

describe('a workload cluster that does not answer', () => {
  it('was never connected (scenario 37)', async () => {
    const pass = await reconcileOnce(aMachine(), { ...created, cluster: neverConnected, isConnected: false });
    expect(pass.result).toBe('requeueAfter 15000');
    expect(pass.condition('NodeReady')).toBe('Unknown/ConnectionDown Remote connection not established yet');
    expect(pass.condition('NodeHealthy')).toBe('Unknown/ConnectionDown Remote connection not established yet');
    expect(pass.status['phase']).toBe('Provisioned');
    expect(pass.status['observedGeneration']).toBeUndefined();
    expect(pass.v1beta1('NodeHealthy')).toBeUndefined();
  });

  it('was never connected, and the Machine has no providerID: the condition of the Cluster is used', async () => {
    const pass = await reconcileOnce(aMachine(), { cluster: neverConnected });
    expect(pass.asked).toEqual([]);
    expect(pass.condition('NodeReady')).toBe('Unknown/ConnectionDown Remote connection not established yet');
    expect(pass.status['observedGeneration']).toBeUndefined();
    expect(pass.v1beta1('NodeHealthy')).toBeUndefined();
    expect(pass.result).toBe('requeueAfter 30000');
    const objects = [bootstrapOk(), infraOk().withSpec({ providerID: '' })];
    expect((await reconcileOnce(aMachine(), { cluster: neverConnected, objects })).result).toBe('done');
  });

  it('is lost before the Machine has a providerID: a timer follows the grace period', async () => {
    const objects = [bootstrapOk(), infraOk().withSpec({ providerID: '' })];
    const lost = await reconcileOnce(aMachine(), { objects, cluster: failingSince(now - minute) });
    expect(lost.condition('NodeReady')).toContain(`Last successful probe at ${timestamp(now - minute)}`);
    expect(lost.result).toBe(`requeueAfter ${4 * minute + 1}`);
    const uninitialized = failingSince(now - minute).withCondition('ControlPlaneInitialized', { status: 'False' });
    const waiting = await reconcileOnce(aMachine(), { objects, cluster: uninitialized });
    expect(waiting.v1beta1('NodeHealthy')).toBe('False/Info/WaitingForNodeRef');
    const unprobed = { objects, cluster: failingSince(now - minute), settings: { probesRemote: false } };
    expect((await reconcileOnce(aMachine(), unprobed)).v1beta1('NodeHealthy')).toBe('False/Info/WaitingForNodeRef');
  });

  it('has no kubeconfig', async () => {
    const pass = await reconcileOnce(aMachine(), { ...created, kubeconfig: null });
    expect(pass.result).toBe('requeueAfter 15000');
    expect(pass.condition('NodeReady')).toContain('Unknown/ConnectionDown');
  });

  it('has a kubeconfig that is too large to be parsed', async () => {
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'c1-kubeconfig', namespace: 'ns', uid: 's', resourceVersion: '1' },
      data: { value: Buffer.alloc(100_000, 'x').toString('base64') },
    };
    const pass = await reconcileOnce(aMachine(), { ...created, kubeconfig, workload: [nodeOk()] });
    expect(pass.condition('NodeReady')).toContain('Unknown/ConnectionDown');
  });

  it('answered a minute ago: the conditions stay as they are (scenario 38)', async () => {
    const running = await aRunningMachine();
    const pass = await reconcileOnce(running, {
      ...runningWorld,
      cluster: failingSince(now - minute),
      isConnected: false,
    });
    expect(pass.condition('NodeReady')).toBe('True/NodeReady');
    expect(pass.condition('NodeHealthy')).toBe('True/NodeHealthy');
    expect(pass.condition('Ready')).toBe('True/Ready');
    expect(pass.result).toBe(`requeueAfter ${4 * minute + 1}`);
  });

  it('answered six minutes ago: the conditions become Unknown (scenario 39)', async () => {
    const running = await aRunningMachine();
    const cluster = failingSince(now - 6 * minute);
    const pass = await reconcileOnce(running, { ...runningWorld, cluster, isConnected: false });
    const message = `Last successful probe at ${timestamp(now - 6 * minute)}`;
    expect(pass.condition('NodeReady')).toBe(`Unknown/ConnectionDown ${message}`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/ConnectionDown ${message}`);
    expect(pass.condition('Ready')).toBe(`Unknown/ReadyUnknown * NodeHealthy: ${message}`);
    expect(pass.result).toBe(`requeueAfter ${10 * minute}`);
  });

  it('failed five probes and never succeeded (scenario 40)', async () => {
    const cluster = aCapiCluster().withCondition('RemoteConnectionProbe', {
      status: 'False',
      message: 'Remote connection probe failed',
    });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, cluster, isConnected: false });
    expect(pass.condition('NodeReady')).toBe('Unknown/ConnectionDown');
    expect(pass.condition('Ready')).toBe('Unknown/ReadyUnknown * NodeHealthy: ConnectionDown');
  });

  it('a lost connection costs at most twelve passes an hour', async () => {
    let machine = await aRunningMachine();
    let passes = 0;
    for (let elapsed = 0; elapsed < 60 * minute; passes += 1) {
      // The Machine sees the time through the age of the failure and of its conditions.
      const pass = await reconcileOnce(machine, {
        ...runningWorld,
        cluster: failingSince(now - elapsed),
        isConnected: false,
      });
      const [, ms = '0'] = pass.result.split(' ');
      elapsed += Number(ms);
      const conditions = (pass.machine.status as { conditions: { type: string; lastTransitionTime: string }[] })
        .conditions;
      machine = changed(pass.machine, {
        status: {
          conditions: conditions.map(each =>
            each.type.startsWith('Node')
              ? { ...each, lastTransitionTime: timestamp(Date.parse(each.lastTransitionTime) - Number(ms)) }
              : each,
          ),
        },
      });
    }
    expect(passes).toBeLessThanOrEqual(12);
  });
});

describe('a Cluster that is not ready', () => {
  it('its infrastructure is not provisioned (scenario 41)', async () => {
    const cluster = aCapiCluster().withStatus({ initialization: {} });
    const pass = await reconcileOnce(aMachine(), { ...created, cluster, workload: [nodeOk()] });
    const message = 'Waiting for Cluster status.initialization.infrastructureProvisioned to be true';
    expect(pass.status['nodeRef']).toEqual({ name: 'n1' });
    expect(pass.events).toEqual(['Normal SuccessfulSetNodeRef n1']);
    expect(pass.condition('NodeReady')).toBe(`Unknown/InspectionFailed ${message}`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/InspectionFailed ${message}`);
    expect(pass.v1beta1('NodeHealthy')).toBe('True');
  });

  it('its control plane is not initialized (scenario 42)', async () => {
    const cluster = aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' });
    const pass = await reconcileOnce(aMachine(), { ...created, cluster, isConnected: false });
    const message = 'Waiting for Cluster control plane to be initialized';
    expect(pass.condition('NodeReady')).toBe(`Unknown/InspectionFailed ${message}`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/InspectionFailed ${message}`);
  });

  it('without providerID, the condition of the Cluster reports the state of the connection', async () => {
    const objects = [bootstrapOk(), infraOk().withSpec({ providerID: '' })];
    const cluster = aCapiCluster().withCondition('RemoteConnectionProbe', {
      status: 'False',
      message: 'Remote connection not established yet',
    });
    const probed = await reconcileOnce(aMachine(), { objects, cluster });
    expect(probed.condition('NodeReady')).toBe('Unknown/ConnectionDown Remote connection not established yet');
    const unprobed = await reconcileOnce(aMachine(), { objects, cluster, settings: { probesRemote: false } });
    expect(unprobed.condition('NodeReady')).toBe(
      'Unknown/InspectionFailed Waiting for FooMachine to report spec.providerID',
    );
  });
});

describe('the look-up of the Node', () => {
  it('a Node that is gone is reported, and the next reconcile follows a timer (scenario 43)', async () => {
    const machine = changed(await aRunningMachine(), { metadata: { generation: 9 } });
    const pass = await reconcileOnce(machine, { ...created, workload: [] });
    const message = 'Node n1 has been deleted while the Machine still exists';
    expect(pass.result).toBe('requeueAfter 15000');
    expect(pass.condition('NodeReady')).toBe(`False/NodeDeleted ${message}`);
    expect(pass.condition('NodeHealthy')).toBe(`False/NodeDeleted ${message}`);
    expect(pass.condition('Ready')).toBe(`False/NotReady * NodeHealthy: ${message}`);
    expect(pass.v1beta1('NodeHealthy')).toBe('False/Error/NodeNotFound');
    expect(pass.v1beta1('Ready')).toMatch(/^True/);
    expect(pass.status).toMatchObject({ phase: 'Running', nodeRef: { name: 'n1' }, observedGeneration: 3 });
  });

  it('two Nodes with the same providerID are an error (scenario 44)', async () => {
    const pass = await reconcileOnce(aMachine(), { ...created, workload: [nodeOk('n1'), nodeOk('n2')] });
    const error = 'unexpectedly found more than one Node matching the providerID foo://1';
    expect(pass.result).toBe(error);
    expect(pass.events).toEqual([`Warning Failed to retrieve Node by ProviderID ${error}`]);
    expect(pass.condition('NodeReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/InternalError ${logs}`);
    expect(pass.v1beta1('NodeHealthy')).toBe(
      'Unknown/NodeInspectionFailed Failed to get the Node for this Machine by ProviderID',
    );
    expect(pass.status['nodeRef']).toBeUndefined();
  });

  it.each([{ at: 'get Node n1' }, { at: 'list Node ' }])(
    'a failure of "$at" is an error (scenario 45)',
    async ({ at }) => {
      const machine = at.startsWith('get') ? await aRunningMachine() : aMachine();
      const pass = await reconcileOnce(machine, {
        ...created,
        workload: [nodeOk()],
        workloadFaults: [{ at, message: 'boom' }],
      });
      expect(pass.result).toBe('boom');
      expect(pass.events).toEqual(['Warning Failed to retrieve Node by ProviderID boom']);
      expect(pass.condition('NodeReady')).toBe(`Unknown/InternalError ${logs}`);
    },
  );

  it('a Node is found by a probable name without a list', async () => {
    const pass = await reconcileOnce(aMachine(), { ...created, workload: [aNewNode('i1')] });
    expect(pass.asked).toEqual(['get Node i1']);
    expect(pass.status['nodeRef']).toEqual({ name: 'i1' });
  });

  it('a Node of a probable name may belong to another machine', async () => {
    const pass = await reconcileOnce(aMachine(), {
      ...created,
      workload: [aNewNode('i1').withSpec({ providerID: 'foo://2' }), aNewNode()],
    });
    expect(pass.asked).toEqual(['get Node i1', 'get Node m1', 'list Node ', 'get Node n1']);
    expect(pass.status['nodeRef']).toEqual({ name: 'n1' });
  });

  it('a providerID that moved to another Node is found, and the stored name stays (scenario 50)', async () => {
    const pass = await reconcileOnce(await aRunningMachine(), { ...created, workload: [aNewNode('n2')] });
    expect(pass.writes.map(line => line.slice(0, 14))).toEqual(['patch Node n2 ']);
    expect(pass.status['nodeRef']).toEqual({ name: 'n1' });
  });
});

describe('the health of the Node', () => {
  const withConditions = (conditions: readonly object[]) => changed(nodeOk().build(), { status: { conditions } });

  it('bad conditions are reported (scenario 46)', async () => {
    const node = withConditions([
      {
        type: 'Ready',
        status: 'False',
        message: 'container runtime is down',
        lastTransitionTime: '2026-01-01T20:00:00Z',
      },
      { type: 'MemoryPressure', status: 'Unknown' },
      { type: 'DiskPressure', status: 'False' },
    ]);
    const pass = await reconcileOnce(await aRunningMachine(), { ...created, workload: [node] });
    const lines = [
      '* Node.Ready: container runtime is down',
      '* Node.MemoryPressure: Condition is Unknown',
      '* Node.PIDPressure: Condition not yet reported',
    ];
    expect(pass.condition('NodeReady')).toBe('False/NodeNotReady * Node.Ready: container runtime is down');
    expect(pass.status['conditions']).toContainEqual(
      expect.objectContaining({ type: 'NodeReady', lastTransitionTime: '2026-01-01T20:00:00Z' }),
    );
    expect(pass.condition('NodeHealthy')).toBe(`False/NodeNotHealthy ${lines.join('\n')}`);
    expect(pass.condition('Ready')).toBe(`False/NotReady * NodeHealthy:\n${lines.map(line => `  ${line}`).join('\n')}`);
    expect(pass.v1beta1('NodeHealthy')).toBe(
      'False/Warning/NodeConditionsFailed Node condition Ready is False. Node condition MemoryPressure is Unknown',
    );
  });

  it('four Unknown conditions with one text are one line (scenario 47)', async () => {
    const message = 'Kubelet stopped posting node status.';
    const types = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
    const node = withConditions(types.map(type => ({ type, status: 'Unknown', message })));
    const pass = await reconcileOnce(await aRunningMachine(), { ...created, workload: [node] });
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/NodeHealthyUnknown * Node.AllConditions: ${message}`);
    expect(pass.condition('NodeReady')).toBe(`Unknown/NodeReadyUnknown * Node.Ready: ${message}`);
    expect(pass.v1beta1('NodeHealthy')).toContain('Unknown/NodeConditionsFailed');
  });

  it('a Node without conditions is healthy in the deprecated family only (scenario 48)', async () => {
    const pass = await reconcileOnce(aMachine(), { ...created, workload: [withConditions([])] });
    const types = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
    const lines = types.map(type => `* Node.${type}: Condition not yet reported`);
    expect(pass.condition('NodeHealthy')).toBe(`Unknown/NodeHealthyUnknown ${lines.join('\n')}`);
    expect(pass.v1beta1('NodeHealthy')).toBe('True');
  });

  it('the Node of a healthy Machine needs no timer', async () => {
    const pass = await reconcileOnce(await aRunningMachine(), { ...created, workload: [nodeOk()] });
    expect(pass.result).toBe('done');
  });
});

describe('the write to the Node', () => {
  it('a conflict is an error, and the status is stored (scenario 49)', async () => {
    const message = 'Operation cannot be fulfilled on nodes "n1"';
    const pass = await reconcileOnce(aMachine(), {
      ...created,
      workload: [aNewNode()],
      failures: { 'node:patch': { message } },
    });
    expect(pass.result).toBe(`failed to reconcile Node n1: ${message}`);
    expect(pass.status).toMatchObject({ nodeRef: { name: 'n1' }, phase: 'Running' });
    expect(pass.condition('Ready')).toBe('True/Ready');
    expect(pass.status['observedGeneration']).toBeUndefined();
    expect(pass.v1beta1('NodeHealthy')).toBeUndefined();
  });

  it('gives the Node labels, annotations and taints, and settles (scenario 51)', async () => {
    const machine = changed(await aRunningMachine(), {
      metadata: {
        labels: {
          'node-role.kubernetes.io/w': '',
          'foo.node.cluster.x-k8s.io/a': '1',
          'gpu-node.cluster.x-k8s.io/a': '1',
        },
        annotations: { 'node.cluster.x-k8s.io/x': 'y' },
      },
    });
    const machineDeployment = md1().annotated({ 'machinedeployment.clusters.x-k8s.io/revision': '2' });
    const objects = [bootstrapOk(), infraOk().withStatus({ interruptible: true })];
    const taints = [
      { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' },
      { key: 'k', effect: 'NoExecute' },
    ];
    const pass = await reconcileOnce(machine, {
      objects,
      machineDeployment,
      workload: [nodeOk().withSpec({ taints })],
    });
    const [write = ''] = pass.writes;
    expect(JSON.parse(write.replace('patch Node n1 ', ''))).toEqual({
      metadata: {
        labels: {
          'cluster.x-k8s.io/interruptible': '',
          'foo.node.cluster.x-k8s.io/a': '1',
          'node-role.kubernetes.io/w': '',
        },
        annotations: {
          'node.cluster.x-k8s.io/x': 'y',
          'cluster.x-k8s.io/labels-from-machine':
            'cluster.x-k8s.io/interruptible,foo.node.cluster.x-k8s.io/a,node-role.kubernetes.io/w',
          'cluster.x-k8s.io/annotations-from-machine': 'node.cluster.x-k8s.io/x',
        },
      },
      spec: {
        taints: [
          expect.objectContaining({ key: 'k', effect: 'NoExecute' }),
          expect.objectContaining({ key: 'node.cluster.x-k8s.io/outdated-revision', effect: 'PreferNoSchedule' }),
        ],
      },
    });
    expect(pass.events).toEqual(['Normal SuccessfulSetInterruptibleNodeLabel n1']);
    const node = [...pass.outcomes.values()].flatMap(outcome =>
      'object' in outcome && outcome.object ? [outcome.object] : [],
    )[0];
    const second = await reconcileOnce(machine, {
      objects,
      machineDeployment,
      workload: node === undefined ? [] : [node],
    });
    expect(second.writes).toEqual([]);
  });

  it('an interruptible field of a wrong type is an error', async () => {
    const objects = [bootstrapOk(), infraOk().withStatus({ interruptible: 'yes' })];
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, objects });
    expect(pass.result).toBe(
      'failed to get status interruptible from infra machine ns/i1: failed to get .status.interruptible from object: .status.interruptible is a string, expected a boolean',
    );
  });

  it('an unreadable infrastructure machine keeps the interruptible label', async () => {
    const node = nodeOk()
      .labelled({ 'cluster.x-k8s.io/interruptible': '' })
      .annotated({ 'cluster.x-k8s.io/labels-from-machine': 'cluster.x-k8s.io/interruptible' });
    const readFaults = [{ at: 'get FooMachine ns/i1', message: 'boom' }];
    const unreadable = await reconcileOnce(await aRunningMachine(), { ...created, workload: [node], readFaults });
    expect(unreadable.writes).toEqual([]);
    const readable = await reconcileOnce(await aRunningMachine(), { ...created, workload: [node] });
    expect(readable.writes).toHaveLength(1);
  });

  it('a Machine without controller needs no write to its Node (scenario 54)', async () => {
    const node = nodeOk().build();
    const annotations = { 'cluster.x-k8s.io/owner-kind': null, 'cluster.x-k8s.io/owner-name': null };
    const machine = await aRunningMachine(each => each.owners());
    const pass = await reconcileOnce(machine, { ...created, workload: [changed(node, { metadata: { annotations } })] });
    expect(pass.writes).toEqual([]);
  });

  it('an unreadable revision is an error (scenario 55)', async () => {
    const machineDeployment = md1().annotated({ 'machinedeployment.clusters.x-k8s.io/revision': 'x' });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, machineDeployment });
    expect(pass.result).toBe(
      'failed to reconcile Node n1: failed to check if Node n1 is outdated: strconv.ParseInt: parsing "x": invalid syntax',
    );
    expect(pass.writes).toEqual([]);
  });
});
