// The Nodes and Pods of a simulated workload cluster over time.

import { toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it, vi } from 'vitest';
import type { SimulatedNode } from '../../../../../local/provider/workload/simulated-node.ts';
import { nodesOfMachines, nodesOfPools } from '../../../../../local/provider/workload/simulated-node.ts';
import {
  createWorkloadCore,
  simulateWorkloadCluster,
} from '../../../../../local/provider/workload/simulated-workload-cluster.ts';
import { countingIds } from '../../../../support/memory-api.ts';
import { conditionIn, conditionText } from '../../../../support/result-text.ts';
import { aSimulatedMachine } from '../../../../support/simulated-machine.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';
import { refusalOf } from '../../../packages/apiserver/core/core-with-widgets.ts';

const start = '2026-01-01T00:00:00Z';

function aMachine(annotations: Readonly<Record<string, string>> = {}, startsAt = start): Unstructured {
  const machine = aSimulatedMachine('m1', { startsAt, version: 'v1.36.0' });
  const prefixed = Object.entries(annotations).map(([key, value]) => [`simulated.capi-serverless.dev/${key}`, value]);
  return { ...machine, metadata: { ...machine.metadata, annotations: Object.fromEntries(prefixed) } };
}

function open() {
  const clock = new SteppedClock();
  const now = (): number => clock.now();
  const core = createWorkloadCore({ now, ids: countingIds() });
  const cluster = simulateWorkloadCluster(core, now);
  const list = (apiVersion: string, kind: string): readonly Unstructured[] =>
    core.list(core.registry.endpointOfKind(apiVersion, kind), {}).items;
  const podAt = (name: string) => ({ endpoint: core.registry.endpointOfKind('v1', 'Pod'), namespace: 'default', name });
  return {
    clock,
    core,
    follow: (...machines: readonly Unstructured[]) => cluster.follow(nodesOfMachines(machines, now())),
    followNodes: (...nodes: readonly SimulatedNode[]) => cluster.follow(nodes),
    list,
    names: (kind: string, apiVersion = 'v1') => list(apiVersion, kind).map(({ metadata }) => metadata.name),
    ready: () => conditionText(conditionIn(toRecord(list('v1', 'Node')[0]?.status)['conditions'], 'Ready')),
    podAt,
    deleteNode: () => core.delete({ endpoint: core.registry.endpointOfKind('v1', 'Node'), namespace: '', name: 'm1' }),
  };
}

describe('a machine', () => {
  it('of a pool gets another Node of the same name when it is upgraded', () => {
    const { followNodes, list } = open();
    const versions = () =>
      list('v1', 'Node').map(({ status }) => toRecord(toRecord(status)['nodeInfo'])['kubeletVersion']);
    const pool = (version: string): Unstructured => ({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedMachinePool',
      metadata: { name: 'p1', namespace: 'ns', uid: 'p', resourceVersion: '1' },
      status: { instances: [{ version, replicas: 1 }] },
    });
    followNodes(...nodesOfPools([pool('v1.35.0')]));
    expect(versions()).toEqual(['v1.35.0']);
    followNodes(...nodesOfPools([pool('v1.36.0')]));
    expect(versions()).toEqual(['v1.36.0']);
    followNodes();
    expect(versions()).toEqual([]);
  });

  it('registers no Node before it has a providerID, because a Node is registered once', () => {
    const { follow, names } = open();
    const machine = aMachine();
    follow({ ...machine, spec: {} });
    expect(names('Node')).toEqual([]);
    follow(machine);
    expect(names('Node')).toEqual(['m1']);
  });

  it('registers its Node when it has started, once', async () => {
    const { clock, follow, names, list, deleteNode } = open();
    const machine = aMachine({}, '2026-01-01T00:00:05Z');
    follow(machine);
    expect(names('Node')).toEqual([]);
    await clock.advance(5000);
    follow(machine);
    expect(list('v1', 'Node')).toMatchObject([
      {
        metadata: { name: 'm1' },
        spec: { providerID: 'simulated://ns/m1', taints: [{ key: 'node.cluster.x-k8s.io/uninitialized' }] },
        status: { nodeInfo: { kubeletVersion: 'v1.36.0' } },
      },
    ]);
    expect(names('Pod').toSorted()).toEqual(['kube-proxy-m1', 'web-m1']);
    deleteNode();
    follow(machine);
    expect([names('Node'), names('Pod')]).toEqual([[], []]);
  });

  it('writes nothing more while nothing changes', async () => {
    const { clock, core, follow } = open();
    follow(aMachine());
    follow(aMachine());
    const before = core.resourceVersion();
    await clock.advance(60_000);
    follow(aMachine());
    expect(core.resourceVersion()).toBe(before);
  });

  it('is not examined again while it and its Node are the same', () => {
    const { core, follow } = open();
    const machines = Array.from({ length: 50 }, (_, index) => {
      const machine = aMachine();
      return { ...machine, metadata: { ...machine.metadata, name: `m${index}`, uid: `uid-${index}` } };
    });
    // The second call examines the Nodes that the first one has changed.
    follow(...machines);
    follow(...machines);
    const reads = vi.spyOn(core, 'get');
    const lists = vi.spyOn(core, 'list');
    follow(...machines);
    // The list is that of PodDisruptionBudgets.
    expect([reads.mock.calls.length, lists.mock.calls.length]).toEqual([0, 1]);
  });

  it('reports the health of its annotations', () => {
    const { follow, ready } = open();
    follow(aMachine());
    expect(ready()).toBe('True/KubeletReady kubelet is posting ready status');
    follow(aMachine({ 'fail-node': 'disk is full' }));
    expect(ready()).toBe('False/KubeletNotReady disk is full');
    follow(aMachine({ 'lose-node': '' }));
    expect(ready()).toMatch(/^Unknown\/NodeStatusUnknown/);
    follow(aMachine());
    expect(ready()).toMatch(/^True/);
  });

  it('leaves its Node behind when it is gone', () => {
    const { follow, names, ready } = open();
    follow(aMachine());
    follow();
    expect(names('Node')).toEqual(['m1']);
    expect(ready()).toMatch(/^Unknown/);
  });

  it('has a volume on request', () => {
    const { follow, list, names } = open();
    follow(aMachine({ volume: '' }));
    expect(names('PersistentVolume')).toEqual(['m1-data']);
    expect(list('storage.k8s.io/v1', 'VolumeAttachment')).toMatchObject([
      { spec: { nodeName: 'm1', source: { persistentVolumeName: 'm1-data' } }, status: { attached: true } },
    ]);
    expect(list('v1', 'Node')).toMatchObject([
      { status: { volumesAttached: [{ name: 'kubernetes.io/csi/csi.simulated.example^m1-data' }] } },
    ]);
    follow(aMachine());
    expect([names('PersistentVolume'), names('VolumeAttachment', 'storage.k8s.io/v1')]).toEqual([[], []]);
    expect(list('v1', 'Node')).toMatchObject([{ status: { volumesAttached: [] } }]);
  });
});

describe('an evicted Pod', () => {
  it('ends after its grace period', async () => {
    const { clock, core, follow, names, podAt } = open();
    follow(aMachine());
    core.evict(podAt('web-m1'));
    await clock.advance(4999);
    follow(aMachine());
    expect(names('Pod')).toContain('web-m1');
    await clock.advance(1);
    follow(aMachine());
    expect(names('Pod')).not.toContain('web-m1');
  });

  it('does not end without a kubelet', async () => {
    const { clock, core, follow, names, podAt } = open();
    follow(aMachine());
    core.evict(podAt('web-m1'));
    await clock.advance(10_000);
    follow(aMachine({ 'lose-node': '' }));
    expect(names('Pod')).toContain('web-m1');
  });

  it.each([
    { spec: { minAvailable: 1 }, allowed: 0, reason: 'the only Pod is needed' },
    { spec: { minAvailable: '100%' }, allowed: 0, reason: 'all Pods are needed' },
    { spec: { minAvailable: 0 }, allowed: 1, reason: 'no Pod is needed' },
    { spec: { maxUnavailable: 1 }, allowed: 1, reason: 'one Pod may be absent' },
    { spec: { maxUnavailable: 0 }, allowed: 0, reason: 'no Pod may be absent' },
  ])('is counted by budgets: $reason', ({ spec, allowed }) => {
    const { core, follow, list, podAt } = open();
    const endpoint = core.registry.endpointOfKind('policy/v1', 'PodDisruptionBudget');
    const metadata = { name: 'web' };
    const selector = { matchLabels: { app: 'web' } };
    const kind = 'PodDisruptionBudget';
    core.create(endpoint, 'default', { apiVersion: 'policy/v1', kind, metadata, spec: { selector, ...spec } });
    follow(aMachine());
    expect(list('policy/v1', kind)).toMatchObject([
      { status: { observedGeneration: 1, expectedPods: 1, currentHealthy: 1, disruptionsAllowed: allowed } },
    ]);
    if (allowed === 0) {
      expect(refusalOf(() => core.evict(podAt('web-m1'))).code).toBe(429);
    } else {
      core.evict(podAt('web-m1'));
      follow(aMachine());
      expect(list('policy/v1', kind)).toMatchObject([{ status: { currentHealthy: 0, disruptionsAllowed: 0 } }]);
    }
  });
});
