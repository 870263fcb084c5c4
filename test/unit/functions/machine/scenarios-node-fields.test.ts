// Scenarios of the labels and taints that a Machine writes to its Node, and later removes; and of failed evictions.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import {
  aDeletedMachine,
  aRunningMachine,
  changed,
  deletingWorld,
  type PassResult,
  reconcileOnce,
  runningWorld,
} from './machine-pass.ts';
import { aNewNode, nodeOk, now, TestObject } from './scenario-objects.ts';

const tracked = 'cluster.x-k8s.io/labels-from-machine';
const trackedTaints = 'cluster.x-k8s.io/taints-from-machine';
const role = 'node-role.kubernetes.io/w';

function nodePatches({ writes }: PassResult) {
  return writes.map(write => JSON.parse(write.replace('patch Node n1 ', '')));
}

/** The Node after the write of this pass. */
function nodeAfter({ outcomes }: PassResult): Unstructured {
  const [node] = [...outcomes.values()].flatMap(outcome =>
    'object' in outcome && outcome.object?.kind === 'Node' ? [outcome.object] : [],
  );
  if (node === undefined) {
    throw new Error('The pass writes no Node');
  }
  return node;
}

describe('the Node', () => {
  it('loses a label that the Machine has lost, and keeps another one (scenario 52)', async () => {
    const node = nodeOk()
      .labelled({ [role]: '', other: 'x' })
      .annotated({ [tracked]: role });
    const pass = await reconcileOnce(await aRunningMachine(), { ...runningWorld, workload: [node] });
    expect(nodePatches(pass)).toEqual([{ metadata: { labels: { [role]: null }, annotations: { [tracked]: '' } } }]);
  });

  it('gets additional labels whose key matches (scenario 53)', async () => {
    const labels = { 'company.xyz/node.cluster.x-k8s.io': '1', 'team.example/cost-center': '7' };
    const machine = changed(await aRunningMachine(), { metadata: { labels } });
    const settings = { syncsLabel: (key: string) => key.includes('cost-') };
    const pass = await reconcileOnce(machine, { ...runningWorld, settings });
    const copied = 'team.example/cost-center';
    expect(nodePatches(pass)).toEqual([
      { metadata: { labels: { [copied]: '7' }, annotations: { [tracked]: copied } } },
    ]);
  });

  const settings = { propagatesTaints: true };
  const always = { key: 'a', value: '1', effect: 'NoSchedule', propagation: 'Always' };
  const once = { key: 'i', value: '1', effect: 'NoSchedule', propagation: 'OnInitialization' };
  const toTaint = ({ key, value, effect }: typeof always) => ({ key, value, effect });

  async function initialized() {
    const machine = changed(await aRunningMachine(), { spec: { taints: [always, once] } });
    const taints = [{ key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' }];
    const pass = await reconcileOnce(machine, {
      ...runningWorld,
      settings,
      workload: [aNewNode().withSpec({ taints })],
    });
    return { machine, pass, node: nodeAfter(pass) };
  }

  it('gets a taint of the initialization once (scenario 56)', async () => {
    const { machine, pass, node } = await initialized();
    expect(nodePatches(pass)).toMatchObject([
      {
        metadata: { annotations: { [trackedTaints]: 'a:NoSchedule' } },
        spec: { taints: [toTaint(always), toTaint(once)] },
      },
    ]);
    const byHand = changed(node, { spec: { taints: [toTaint(always)] } });
    const second = await reconcileOnce(machine, { ...runningWorld, settings, workload: [byHand] });
    expect(second.writes).toEqual([]);
  });

  it('loses a taint that the Machine has lost (scenario 57)', async () => {
    const { machine, node } = await initialized();
    const without = changed(machine, { spec: { taints: [once] } });
    const pass = await reconcileOnce(without, { ...runningWorld, settings, workload: [node] });
    expect(nodePatches(pass)).toEqual([
      { metadata: { annotations: { [trackedTaints]: '' } }, spec: { taints: [toTaint(once)] } },
    ]);
  });
});

describe('a drain', () => {
  it('names five failed evictions, and counts the Pods of the others (scenario 84)', async () => {
    const failing = Array.from({ length: 7 }, (_, at) => `p${at + 1}`);
    const aPod = (name: string): TestObject =>
      new TestObject({ apiVersion: 'v1', kind: 'Pod', name })
        .in('app')
        .withUid(`${name}-uid`)
        .withSpec({ nodeName: 'n1' })
        .withStatus({ phase: 'Running' });
    const started = timestamp(now);
    const machine = changed(await aDeletedMachine(), { status: { deletion: { nodeDrainStartTime: started } } });
    const pass = await reconcileOnce(machine, {
      ...deletingWorld,
      workload: [nodeOk().withSpec({ unschedulable: true }), ...[...failing, 'p8', 'p9'].map(aPod)],
      failures: Object.fromEntries(failing.map(name => [`evict:app/${name}`, { message: `err ${name}` }])),
    });
    expect(pass.condition('Deleting')).toBe(
      [
        `True/DrainingNode Drain not completed yet (started at ${started}):`,
        '* Pods app/p8, app/p9: deletionTimestamp set, but still not removed from the Node',
        ...failing.slice(0, 5).map(name => `* Pod app/${name}: failed to evict Pod, err ${name}`),
        '* 2 Pods with other issues',
      ].join('\n'),
    );
  });
});
