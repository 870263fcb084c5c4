import { describe, expect, it } from 'vitest';
import { planNode } from '../../../../../functions/machine/phases/node/node-patch.ts';
import { aNode, aNodeMachine, aSync, nodeSettings, settledAnnotations } from './node-fixtures.ts';

const withRevision = (revision: string | undefined) => ({
  metadata: revision === undefined ? {} : { annotations: { 'machinedeployment.clusters.x-k8s.io/revision': revision } },
});

function patchOf(...given: Parameters<typeof planNode>): unknown {
  const planned = planNode(...given);
  return planned.ok ? planned.value.patch : planned.error;
}

describe('labels and annotations', () => {
  it('names the Machine and its owner on a new Node', () => {
    const planned = planNode(aNode({ annotations: {} }), aSync());
    expect(planned).toEqual({
      ok: true,
      value: { patch: { metadata: { annotations: settledAnnotations } }, addsInterruptible: false },
    });
  });

  it('needs no write for a settled Node', () => {
    expect(patchOf(aNode(), aSync())).toBeUndefined();
  });

  it('removes the owner of a Machine that has none, once', () => {
    const machine = aNodeMachine({ metadata: { ownerReferences: [] } });
    const removed = { 'cluster.x-k8s.io/owner-kind': null, 'cluster.x-k8s.io/owner-name': null };
    expect(patchOf(aNode(), aSync({ machine }))).toEqual({ metadata: { annotations: removed } });
    const { 'cluster.x-k8s.io/owner-kind': _, 'cluster.x-k8s.io/owner-name': __, ...annotations } = settledAnnotations;
    expect(patchOf(aNode({ annotations }), aSync({ machine }))).toBeUndefined();
  });

  it('ignores owners that are not the controller', () => {
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'c' };
    const machine = aNodeMachine({ metadata: { ownerReferences: [owner] } });
    expect(patchOf(aNode({ annotations: {} }), aSync({ machine }))).not.toHaveProperty([
      'metadata',
      'annotations',
      'cluster.x-k8s.io/owner-kind',
    ]);
  });

  it.each([
    { key: 'node-role.kubernetes.io/w', synced: true, reason: 'the domain of roles' },
    { key: 'x.node-role.kubernetes.io/w', synced: false, reason: 'no subdomain of roles' },
    { key: 'node-restriction.kubernetes.io/a', synced: true, reason: 'the domain of restrictions' },
    { key: 'a.node-restriction.kubernetes.io/a', synced: true, reason: 'a subdomain of restrictions' },
    { key: 'node.cluster.x-k8s.io/a', synced: true, reason: 'the domain of Cluster API' },
    { key: 'foo.node.cluster.x-k8s.io/a', synced: true, reason: 'a subdomain of it' },
    { key: 'gpu-node.cluster.x-k8s.io/a', synced: false, reason: 'another domain with the same end' },
    { key: 'company.xyz/node.cluster.x-k8s.io', synced: false, reason: 'the domain is before the slash' },
    { key: 'node.cluster.x-k8s.io', synced: true, reason: 'a key without slash is its own domain' },
    { key: 'team.example/cost-center', synced: true, reason: 'an additional key' },
    { key: 'plain', synced: false, reason: 'any other key' },
  ])('label $key of the Machine: $reason', ({ key, synced }) => {
    const machine = aNodeMachine({ metadata: { labels: { [key]: '1' } } });
    const settings = { ...nodeSettings, syncsLabel: (label: string) => label.includes('cost-') };
    expect(patchOf(aNode(), aSync({ machine, settings }))).toEqual(
      synced
        ? { metadata: { labels: { [key]: '1' }, annotations: { 'cluster.x-k8s.io/labels-from-machine': key } } }
        : undefined,
    );
  });

  it('copies annotations of the domain of Cluster API and additional ones, sorted', () => {
    const annotations = {
      'node.cluster.x-k8s.io/x': 'y',
      'a.node.cluster.x-k8s.io/x': 'z',
      'team.example/a': '1',
      'node-role.kubernetes.io/w': '',
    };
    const machine = aNodeMachine({ metadata: { annotations } });
    const settings = { ...nodeSettings, syncsAnnotation: (key: string) => key === 'team.example/a' };
    expect(patchOf(aNode(), aSync({ machine, settings }))).toEqual({
      metadata: {
        annotations: {
          'node.cluster.x-k8s.io/x': 'y',
          'a.node.cluster.x-k8s.io/x': 'z',
          'team.example/a': '1',
          'cluster.x-k8s.io/annotations-from-machine':
            'a.node.cluster.x-k8s.io/x,node.cluster.x-k8s.io/x,team.example/a',
        },
      },
    });
  });

  it('copies no annotation in which the keys of the Machine are stored', () => {
    const annotations = { 'cluster.x-k8s.io/labels-from-machine': 'kubernetes.io/hostname' };
    const machine = aNodeMachine({ metadata: { annotations } });
    const settings = { ...nodeSettings, syncsAnnotation: () => true };
    expect(patchOf(aNode(), aSync({ machine, settings }))).toBeUndefined();
  });

  it('removes what the Machine lost, and keeps what it never set', () => {
    const annotations = {
      ...settledAnnotations,
      'cluster.x-k8s.io/labels-from-machine': 'node-role.kubernetes.io/gone,node-role.kubernetes.io/w',
      'cluster.x-k8s.io/annotations-from-machine': 'node.cluster.x-k8s.io/x,cluster.x-k8s.io/labels-from-machine',
      'node.cluster.x-k8s.io/x': '1',
      'own.example/a': '1',
    };
    const node = aNode({ labels: { 'node-role.kubernetes.io/w': '', other: 'x' }, annotations });
    expect(patchOf(node, aSync())).toEqual({
      metadata: {
        labels: { 'node-role.kubernetes.io/w': null },
        annotations: {
          'node.cluster.x-k8s.io/x': null,
          'cluster.x-k8s.io/labels-from-machine': '',
          'cluster.x-k8s.io/annotations-from-machine': '',
        },
      },
    });
  });

  it('stores a key that already has the value, so that it can be removed later', () => {
    const machine = aNodeMachine({ metadata: { labels: { 'node-role.kubernetes.io/w': '' } } });
    expect(patchOf(aNode({ labels: { 'node-role.kubernetes.io/w': '' } }), aSync({ machine }))).toEqual({
      metadata: { annotations: { 'cluster.x-k8s.io/labels-from-machine': 'node-role.kubernetes.io/w' } },
    });
  });
});

describe('the label of interruptible Nodes', () => {
  const label = 'cluster.x-k8s.io/interruptible';
  const labelled = aNode({
    labels: { [label]: '' },
    annotations: { ...settledAnnotations, 'cluster.x-k8s.io/labels-from-machine': label },
  });

  it('is added if the infrastructure is interruptible', () => {
    expect(planNode(aNode(), aSync({ isInterruptible: true }))).toEqual({
      ok: true,
      value: {
        patch: {
          metadata: { labels: { [label]: '' }, annotations: { 'cluster.x-k8s.io/labels-from-machine': label } },
        },
        addsInterruptible: true,
      },
    });
    expect(patchOf(labelled, aSync({ isInterruptible: true }))).toBeUndefined();
  });

  it('is removed if the infrastructure is not interruptible', () => {
    expect(planNode(labelled, aSync())).toMatchObject({
      value: { patch: { metadata: { labels: { [label]: null } } }, addsInterruptible: false },
    });
  });

  it('stays while the infrastructure cannot be read', () => {
    expect(patchOf(labelled, aSync({ isInterruptible: undefined }))).toBeUndefined();
  });

  it('is not added while the infrastructure cannot be read', () => {
    expect(patchOf(aNode(), aSync({ isInterruptible: undefined }))).toBeUndefined();
  });
});

describe('taints', () => {
  const uninitialized = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };
  const outdated = { key: 'node.cluster.x-k8s.io/outdated-revision', effect: 'PreferNoSchedule' };
  const foreign = { key: 'k', effect: 'NoExecute', value: 'v', timeAdded: '2026-01-01T00:00:00Z' };
  const owners = (older: string | undefined, newest: string | undefined) => ({
    machineSet: withRevision(older),
    machineDeployment: withRevision(newest),
  });

  it('removes the taint of Nodes without labels, and keeps all others with all fields', () => {
    const taints = [{ ...uninitialized, value: 'any' }, foreign, { ...uninitialized, effect: 'NoExecute', value: '' }];
    const kept = [foreign, { ...uninitialized, effect: 'NoExecute' }];
    expect(patchOf(aNode({ spec: { taints } }), aSync())).toEqual({ spec: { taints: kept } });
  });

  it.each([
    { older: '1', newest: '2', taints: [], becomes: [outdated], reason: 'older' },
    { older: '1', newest: '2', taints: [outdated], becomes: undefined, reason: 'older and tainted' },
    { older: '1', newest: '2', taints: [{ ...outdated, value: 'x' }], becomes: [outdated], reason: 'another value' },
    { older: '2', newest: '2', taints: [outdated, foreign], becomes: [foreign], reason: 'newest' },
    { older: undefined, newest: undefined, taints: [], becomes: undefined, reason: 'without revisions' },
    { older: undefined, newest: '1', taints: [], becomes: [outdated], reason: 'an absent revision is 0' },
    { older: '9007199254740992', newest: '9007199254740993', taints: [], becomes: [outdated], reason: '64 bits' },
    { older: '+1', newest: '-1', taints: [], becomes: undefined, reason: 'signs' },
  ])('of the revision $older of $newest: $reason', ({ older, newest, taints, becomes }) => {
    const patch = patchOf(aNode({ spec: { taints } }), aSync(owners(older, newest)));
    expect(patch).toEqual(becomes === undefined ? undefined : { spec: { taints: becomes } });
  });

  it('of a Machine without MachineDeployment: removes the taint of an older revision', () => {
    const sync = aSync({ machineSet: withRevision('1') });
    expect(patchOf(aNode({ spec: { taints: [outdated] } }), sync)).toEqual({ spec: { taints: [] } });
  });

  it.each([
    { older: 'x', newest: '1', why: '"x": invalid syntax' },
    { older: '1x', newest: '1', why: '"1x": invalid syntax' },
    { older: 'x1', newest: '1', why: '"x1": invalid syntax' },
    { older: '1', newest: '', why: '"": invalid syntax' },
    { older: '9223372036854775808', newest: '1', why: '"9223372036854775808": value out of range' },
    { older: '1', newest: '-9223372036854775809', why: '"-9223372036854775809": value out of range' },
  ])('refuses the revisions $older and $newest', ({ older, newest, why }) => {
    expect(patchOf(aNode({ annotations: {} }), aSync(owners(older, newest)))).toBe(
      `failed to check if Node n1 is outdated: strconv.ParseInt: parsing ${why}`,
    );
  });

  it.each(['9223372036854775807', '-9223372036854775808'])('accepts the revision %s', revision => {
    expect(patchOf(aNode(), aSync(owners(revision, revision)))).toBeUndefined();
  });
});

describe('taints of the Machine', () => {
  const settings = { ...nodeSettings, propagatesTaints: true };
  const stored = 'cluster.x-k8s.io/taints-from-machine';
  const always = { key: 'a', value: '1', effect: 'NoSchedule', propagation: 'Always' };
  const initial = { key: 'i', value: '1', effect: 'NoSchedule', propagation: 'OnInitialization' };
  const onNode = ({ propagation: _, ...taint }: typeof always) => taint;

  interface Row {
    readonly reason: string;
    readonly machine: readonly (typeof always)[];
    readonly node: readonly object[];
    readonly before: string | undefined;
    /** Absent: no change. */
    readonly taints?: readonly object[];
    readonly after?: string;
  }

  it.each<Row>([
    {
      reason: 'both kinds are set on a new Node',
      machine: [always, initial],
      node: [],
      before: undefined,
      taints: [onNode(always), onNode(initial)],
      after: 'a:NoSchedule',
    },
    {
      reason: 'an initial taint is not set again',
      machine: [always, initial],
      node: [onNode(always)],
      before: 'a:NoSchedule',
    },
    {
      reason: 'a kept taint is set again',
      machine: [always],
      node: [],
      before: 'a:NoSchedule',
      taints: [onNode(always)],
    },
    {
      reason: 'another value is replaced in place',
      machine: [always],
      node: [{ ...onNode(always), value: '0' }, onNode(initial)],
      before: 'a:NoSchedule',
      taints: [onNode(always), onNode(initial)],
    },
    {
      reason: 'a removed taint is removed',
      machine: [],
      node: [onNode(always)],
      before: 'a:NoSchedule',
      taints: [],
      after: '',
    },
    {
      reason: 'another effect replaces the taint',
      machine: [{ ...always, effect: 'NoExecute' }],
      node: [onNode(always)],
      before: 'a:NoSchedule',
      taints: [{ ...onNode(always), effect: 'NoExecute' }],
      after: 'a:NoExecute',
    },
    {
      reason: 'a taint that becomes initial stays',
      machine: [{ ...always, propagation: 'OnInitialization' }],
      node: [onNode(always)],
      before: 'a:NoSchedule',
      after: '',
    },
    {
      reason: 'an initial taint that is to be kept is set',
      machine: [{ ...initial, propagation: 'Always' }],
      node: [],
      before: '',
      taints: [onNode(initial)],
      after: 'i:NoSchedule',
    },
    { reason: 'an initial taint that was added later is ignored', machine: [initial], node: [], before: '' },
    { reason: 'empty entries are skipped', machine: [], node: [onNode(always)], before: ',,', after: '' },
    {
      reason: 'stored taints are sorted',
      machine: [{ ...always, key: 'b' }, always],
      node: [],
      before: undefined,
      taints: [{ ...onNode(always), key: 'b' }, onNode(always)],
      after: 'a:NoSchedule,b:NoSchedule',
    },
    {
      reason: 'an unknown propagation sets nothing',
      machine: [{ ...always, propagation: 'Never' }],
      node: [],
      before: '',
    },
  ])('$reason', ({ machine: taints, node, before, ...expected }) => {
    const annotations = { ...settledAnnotations, ...(before === undefined ? {} : { [stored]: before }) };
    const sync = aSync({ machine: aNodeMachine({ spec: { taints } }), settings });
    const patch = patchOf(aNode({ annotations, spec: { taints: node } }), sync);
    const { after } = expected;
    const wanted = {
      ...(after === undefined ? {} : { metadata: { annotations: { [stored]: after } } }),
      ...(expected.taints === undefined ? {} : { spec: { taints: expected.taints } }),
    };
    expect(patch).toEqual(Object.keys(wanted).length === 0 ? undefined : wanted);
  });

  it.each(['a', 'a:b:c'])('refuses the stored entry %s', entry => {
    const annotations = { ...settledAnnotations, [stored]: `k:NoSchedule,${entry}` };
    expect(patchOf(aNode({ annotations }), aSync({ settings }))).toBe(
      `failed to propagate Machine taints to Node n1: invalid taint format: "${entry}"`,
    );
  });

  it('are not read while the feature gate is off', () => {
    const annotations = { ...settledAnnotations, [stored]: 'malformed' };
    const machine = aNodeMachine({ spec: { taints: [always] } });
    expect(patchOf(aNode({ annotations }), aSync({ machine }))).toBeUndefined();
  });
});
