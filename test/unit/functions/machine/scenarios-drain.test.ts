// Scenarios of the drain of a Node.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aDeletedMachine, changed, deletingWorld, reconcileOnce } from './machine-pass.ts';
import {
  aMachine,
  aNewNode,
  bootstrapOk,
  controlPlaneMachine,
  infraOk,
  nodeOk,
  now,
  TestObject,
} from './scenario-objects.ts';

const started = timestamp(now);
const header = `Drain not completed yet (started at ${started}):`;
const cordoned = () => nodeOk().withSpec({ unschedulable: true });
const stopped = 'Error draining Node, please check controller logs for errors';

function aPod(name: string): TestObject {
  return new TestObject({ apiVersion: 'v1', kind: 'Pod', name })
    .in('app')
    .withUid(`${name}-uid`)
    .withSpec({ nodeName: 'n1' })
    .withStatus({ phase: 'Running' });
}

function aRule(name: string, spec: Readonly<Record<string, unknown>>): TestObject {
  return new TestObject({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDrainRule', name }).withSpec(spec);
}

const ofPods = (app: string) => [{ selector: { matchLabels: { app } } }];
const ofDaemonSet = (pod: TestObject, name: string) =>
  pod.owners({ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: name, controller: true });

const withPods = (...workload: readonly TestObject[]) => ({ ...deletingWorld, workload: [cordoned(), ...workload] });

/** A Machine whose drain began now. */
const aDrainedMachine = async () =>
  changed(await aDeletedMachine(), { status: { deletion: { nodeDrainStartTime: started } } });

describe('a drain', () => {
  it('stores its start before it cordons the Node, then evicts (scenarios 78 and 79)', async () => {
    const world = { ...deletingWorld, workload: [nodeOk(), aPod('p1')] };
    const first = await reconcileOnce(await aDeletedMachine(), world);
    expect(first.writes).toEqual(['patch Node n1 {"spec":{"unschedulable":true}}']);
    expect(first.actions.find(({ id }) => id === 'node:cordon')).toMatchObject({
      afterStatus: true,
      target: { name: 'c1' },
    });
    expect(first.status['deletion']).toEqual({ nodeDrainStartTime: started });
    expect(first.v1beta1('DrainingSucceeded')).toBe('False/Info/Draining Draining the node before deletion');
    expect(first.result).toBe('again');
    expect(first.asked).toEqual(['get Node n1']);
    const second = await reconcileOnce(first.machine, withPods(aPod('p1')));
    const message = `${header}\n* Pod app/p1: deletionTimestamp set, but still not removed from the Node`;
    expect(second.writes).toEqual(['evict Pod app/p1']);
    expect(second.actions.find(({ id }) => id === 'evict:app/p1')).toMatchObject({ uid: 'p1-uid' });
    expect(second.result).toBe('requeueAfter 20000');
    expect(second.condition('Deleting')).toBe(`True/DrainingNode ${message}`);
    expect(second.v1beta1('DrainingSucceeded')).toBe(`False/Info/Draining ${message}`);
    expect(second.v1beta1('Ready')).toBe(`False/Info/Draining ${message}`);
    expect(second.condition('Ready')).toBe(
      'False/NotReady * Deleting: Machine deletion in progress, stage: DrainingNode',
    );
    const third = await reconcileOnce(second.machine, withPods());
    expect(third.events).toEqual([
      'Normal SuccessfulDrainNode success draining Machine\'s node "n1"',
      'Normal NodeVolumesDetached success waiting for node volumes detaching Machine\'s node "n1"',
    ]);
    expect(third.v1beta1('DrainingSucceeded')).toBe('True');
    expect(third.v1beta1('VolumeDetachSucceeded')).toBe('True');
    expect(third.writes).toEqual(['delete FooMachine ns/i1']);
    expect((await reconcileOnce(third.machine, withPods())).events).toEqual([]);
  });

  it('cordons the Node before the status if the start is stored', async () => {
    const pass = await reconcileOnce(await aDrainedMachine(), { ...deletingWorld, workload: [nodeOk()] });
    expect(pass.actions.find(({ id }) => id === 'node:cordon')).not.toHaveProperty('afterStatus');
  });

  it('treats each Pod by its kind, labels and rules (scenario 83)', async () => {
    const labelled = (name: string, value: string) => aPod(name).labelled({ 'cluster.x-k8s.io/drain': value });
    const pods = [
      ...['a1', 'a2', 'gone', 'latew', 'pdb', 'nsterm', 'multi'].map(aPod),
      ofDaemonSet(aPod('ds-orphan'), 'missing'),
      aPod('b-term').deleting(now - 1000),
      aPod('mirror').annotated({ 'kubernetes.io/config.mirror': '' }),
      labelled('skipped', 'Skip'),
      labelled('wait1', 'Wait-Completed'),
      labelled('wait2', 'WaitCompleted').withStatus({ phase: 'Succeeded' }),
      aPod('late1').labelled({ app: 'late' }),
    ];
    const rule = aRule('late', { pods: ofPods('late'), drain: { behavior: 'Drain', order: 10 } });
    const failures = {
      'evict:app/gone': { message: 'pods "gone" not found', reason: 'NotFound' as const },
      'evict:app/pdb': {
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        reason: 'TooManyRequests' as const,
      },
      'evict:app/multi': {
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
      'evict:app/nsterm': { message: 'namespace is terminating' },
    };
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...withPods(...pods),
      objects: [...(deletingWorld.objects ?? []), rule],
      failures,
      settings: { waitsForFinishedPods: true },
    });
    expect(pass.writes).toEqual(
      ['a1', 'a2', 'ds-orphan', 'gone', 'latew', 'multi', 'nsterm', 'pdb'].map(name => `evict Pod app/${name}`),
    );
    expect(pass.condition('Deleting')).toBe(
      `True/DrainingNode ${[
        header,
        '* Pods app/b-term, app/a1, app/a2, ... (2 more): deletionTimestamp set, but still not removed from the Node',
        "* Pod app/pdb: cannot evict pod as it would violate the pod's disruption budget.",
        '* Pod app/multi: failed to evict Pod, This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        '* Pod app/nsterm: failed to evict Pod, namespace is terminating',
        '* Pods app/wait1, app/wait2: waiting for completion',
        'After above Pods have been removed from the Node, the following Pods will be evicted: app/late1',
      ].join('\n')}`,
    );
  });

  it('that takes long names the likely reasons (scenario 85)', async () => {
    const machine = changed(await aDeletedMachine(), {
      metadata: { deletionTimestamp: timestamp(now - 16 * 60_000) },
      status: { deletion: { nodeDrainStartTime: timestamp(now - 6 * 60_000) } },
    });
    const pods = [
      aPod('pdb'),
      aPod('p2'),
      aPod('p3').deleting(now - 1000),
      aPod('w').labelled({ 'cluster.x-k8s.io/drain': 'WaitCompleted' }),
    ];
    const failures = {
      'evict:app/pdb': {
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        reason: 'TooManyRequests' as const,
      },
      'evict:app/p2': { message: 'boom' },
    };
    const pass = await reconcileOnce(machine, { ...withPods(...pods), failures });
    expect(pass.condition('Ready')).toBe(
      'False/NotReady * Deleting: Machine deletion in progress since more than 15m, stage: DrainingNode, ' +
        'delay likely due to PodDisruptionBudgets, Pods not terminating, Pod eviction errors, Pods not completed yet',
    );
  });

  it('follows the first matching rule and the order of rules (scenarios 86 and 87)', async () => {
    const rules = [
      aRule('a', { pods: ofPods('x'), drain: { behavior: 'Skip' } }),
      aRule('b', { pods: ofPods('x'), drain: { behavior: 'Drain', order: 5 } }),
      aRule('c', { pods: ofPods('late'), drain: { behavior: 'Drain', order: 10 } }),
      aRule('d', { pods: ofPods('early'), drain: { behavior: 'Drain', order: -5 } }),
    ];
    const pods = ['x', 'late', 'early'].map(name => aPod(name).labelled({ app: name }));
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...withPods(...pods, aPod('t').deleting(now - 1000)),
      objects: [...(deletingWorld.objects ?? []), ...rules],
    });
    expect(pass.writes).toEqual(['evict Pod app/early']);
    expect(pass.condition('Deleting')).toBe(
      `True/DrainingNode ${header}\n` +
        '* Pods app/t, app/early: deletionTimestamp set, but still not removed from the Node\n' +
        'After above Pods have been removed from the Node, the following Pods will be evicted: app/late',
    );
  });

  const ofManyDaemonSets = Array.from({ length: 10_000 }, (_, index) => ofDaemonSet(aPod(`p${index}`), `o${index}`));

  it('10,000 Pods of as many DaemonSets cost one list', async () => {
    const daemonSet = new TestObject({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'o1' }).in('app');
    const pass = await reconcileOnce(await aDrainedMachine(), withPods(...ofManyDaemonSets, daemonSet));
    expect(pass.asked.filter(line => line.includes('DaemonSet'))).toEqual(['list DaemonSet ']);
    expect(pass.asked.length).toBeLessThan(10);
    const evicted = pass.actions.filter(action => action.do === 'evict').map(({ pod }) => pod.name);
    expect(evicted).toHaveLength(9999);
    expect(evicted).not.toContain('p1');
    const message = pass.condition('Deleting') ?? '';
    expect(message).toContain('(9996 more)');
    expect(message.length).toBeLessThan(500);
  });

  it('the error about 10,000 Pods is short', async () => {
    const workloadFaults = [{ at: 'list DaemonSet ', reason: 'Unavailable', message: 'boom' }] as const;
    const pass = await reconcileOnce(await aDrainedMachine(), { ...withPods(...ofManyDaemonSets), workloadFaults });
    expect(pass.actions.filter(action => action.do === 'evict')).toHaveLength(0);
    expect(pass.result).toContain(
      'Pods with error "boom": app/p0, app/p1, app/p10, app/p100, app/p1000, ... (9995 more)',
    );
    expect(pass.result.length).toBeLessThan(500);
  });

  it('reads each DaemonSet once, and evicts finished Pods of DaemonSets (scenario 88)', async () => {
    const daemonSet = new TestObject({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'o1' }).in('app');
    const pods = [
      ofDaemonSet(aPod('ds1'), 'o1'),
      ofDaemonSet(aPod('ds2'), 'o1').withStatus({ phase: 'Failed' }),
      ofDaemonSet(aPod('ds3'), 'o1'),
    ];
    const pass = await reconcileOnce(await aDrainedMachine(), withPods(...pods, daemonSet));
    expect(pass.writes).toEqual(['evict Pod app/ds2']);
    expect(pass.asked.filter(line => line === 'get DaemonSet app/o1')).toHaveLength(1);
  });

  it.each([
    {
      at: 'get DaemonSet app/o1',
      error: 'failed to get Pods for eviction: Pods with error "boom": app/ds1',
      reason: 'scenario 89',
    },
    { at: 'list Pod ', error: 'failed to get Pods for eviction: boom', reason: 'Pods' },
  ])('evicts nothing if "$at" fails ($reason)', async ({ at, error }) => {
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...withPods(ofDaemonSet(aPod('ds1'), 'o1')),
      workloadFaults: [{ at, message: 'boom' }],
    });
    expect(pass.result).toBe(error);
    expect(pass.writes).toEqual([]);
    expect(pass.condition('Deleting')).toBe(`True/DrainingNode ${stopped}`);
    expect(pass.v1beta1('DrainingSucceeded')).toBe(`False/Warning/DrainingFailed ${error}`);
    expect(pass.events).toEqual([`Warning FailedDrainNode error draining Machine's node "n1": ${error}`]);
    const again = await reconcileOnce(pass.machine, {
      ...withPods(ofDaemonSet(aPod('ds1'), 'o1')),
      workloadFaults: [{ at, message: 'boom' }],
    });
    expect(again.events).toEqual([]);
  });

  it('evicts nothing if MachineDrainRules cannot be listed', async () => {
    const readFaults = [{ at: 'list MachineDrainRule ns', message: 'boom' }];
    const pass = await reconcileOnce(await aDrainedMachine(), { ...withPods(aPod('p1')), readFaults });
    expect(pass.result).toBe(
      'failed to get Pods for eviction: failed to get matching MachineDrainRules: failed to list MachineDrainRules: boom',
    );
  });

  it('ends at its timeout (scenario 90)', async () => {
    const machine = changed(await aDeletedMachine(), {
      spec: { deletion: { nodeDrainTimeoutSeconds: 600 } },
      status: { deletion: { nodeDrainStartTime: timestamp(now - 601_000) } },
    });
    const pass = await reconcileOnce(machine, { ...deletingWorld, workload: [nodeOk(), aPod('p1')] });
    expect(pass.writes).toEqual(['delete FooMachine ns/i1']);
    expect(pass.v1beta1('DrainingSucceeded')).toBeUndefined();
  });

  it('has no timeout before it', async () => {
    const machine = changed(await aDeletedMachine(), {
      spec: { deletion: { nodeDrainTimeoutSeconds: 600 } },
      status: { deletion: { nodeDrainStartTime: timestamp(now - 599_000) } },
    });
    expect((await reconcileOnce(machine, withPods(aPod('p1')))).writes).toEqual(['evict Pod app/p1']);
  });

  it('of a Node that does not report is forced (scenario 91)', async () => {
    const node = cordoned().withCondition('Ready', { status: 'Unknown' });
    const pods = [aPod('old').deleting(now - 5000), aPod('p1')];
    const pass = await reconcileOnce(await aDrainedMachine(), { ...deletingWorld, workload: [node, ...pods] });
    expect(pass.writes).toEqual(['evict Pod app/p1 in 1 s']);
    expect(pass.condition('Deleting')).not.toContain('app/old');
    expect(pass.result).toBe('requeueAfter 20000');
  });

  it('ends at once if the Node is gone (scenario 92)', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload: [] });
    expect(pass.events).toHaveLength(2);
    expect(pass.writes).toEqual(['delete FooMachine ns/i1']);
    expect(pass.condition('NodeReady')).toBe('False/NodeDeleted Node n1 has been deleted');
    expect(pass.condition('NodeHealthy')).toBe('False/NodeDeleted Node n1 has been deleted');
    expect(pass.condition('Ready')).toBe(
      'False/NotReady * Deleting: Machine deletion in progress, stage: WaitingForInfrastructureDeletion',
    );
    expect(pass.asked[0]).toBe('get Node n1');
    expect(pass.asked).not.toContain('list Pod ');
  });

  it('needs a connection, and counts its time without one (scenario 93)', async () => {
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, isConnected: false });
    const error = 'failed to drain Node n1: error getting client: connection to the workload cluster is down';
    expect(pass.result).toBe(error);
    expect(pass.status['deletion']).toEqual({ nodeDrainStartTime: started });
    expect(pass.condition('Deleting')).toBe(`True/DrainingNode ${stopped}`);
    expect(pass.events).toEqual([`Warning FailedDrainNode error draining Machine's node "n1": ${error}`]);
    expect(pass.v1beta1('DrainingSucceeded')).toBe(`False/Warning/DrainingFailed ${error}`);
  });

  it('needs the Node', async () => {
    const workloadFaults = [{ at: 'get Node n1', message: 'boom' }];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workloadFaults });
    expect(pass.result).toBe('[boom, unable to get Node n1: boom]');
  });

  it('stops if the Node cannot be cordoned (scenario 94)', async () => {
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...deletingWorld,
      workload: [nodeOk(), aPod('p1')],
      failures: { 'node:cordon': { message: 'boom' } },
    });
    expect(pass.result).toBe('failed to cordon Node n1: failed to cordon Node: boom');
    expect(pass.asked).toEqual(['get Node n1']);
    expect(pass.condition('Deleting')).toBe(`True/DrainingNode ${stopped}`);
    expect(pass.v1beta1('DrainingSucceeded')).toContain('False/Warning/DrainingFailed failed to cordon Node n1');
  });

  it('is refused by a rule with an invalid selector, also if it is for other Machines (scenario 95)', async () => {
    const rule = aRule('bad', {
      machines: [{ selector: { matchLabels: { other: 'x' } } }],
      pods: [{ selector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } }],
      drain: { behavior: 'Skip' },
    });
    const pass = await reconcileOnce(await aDrainedMachine(), {
      ...withPods(aPod('p1')),
      objects: [...(deletingWorld.objects ?? []), rule],
    });
    expect(pass.result).toContain(
      'failed to get Pods for eviction: failed to get matching MachineDrainRules: invalid selectors in MachineDrainRule bad: spec.pods[0].selector: Invalid value: ',
    );
    expect(pass.result).toContain('"Foo" is not a valid label selector operator');
  });

  describe('with rules for Namespaces', () => {
    const rule = aRule('ns', {
      pods: [{ namespaceSelector: { matchLabels: { tier: 'system' } } }],
      drain: { behavior: 'Skip' },
    });
    const aNamespace = (name: string, tier: string) =>
      new TestObject({ apiVersion: 'v1', kind: 'Namespace', name }).clusterScoped().labelled({ tier });
    const objects = [...(deletingWorld.objects ?? []), rule];

    it('reads the Namespaces of the Pods', async () => {
      const pods = [aPod('p1'), aPod('p2').in('kube-system')];
      const pass = await reconcileOnce(await aDrainedMachine(), {
        ...withPods(...pods, aNamespace('app', 'user'), aNamespace('kube-system', 'system')),
        objects,
      });
      expect(pass.writes).toEqual(['evict Pod app/p1']);
      expect(pass.asked).toEqual(expect.arrayContaining(['get Namespace app', 'get Namespace kube-system']));
    });

    it('lists them if there are many', async () => {
      const names = Array.from({ length: 11 }, (_, index) => `ns${index}`);
      const pods = names.map(name => aPod('p').in(name));
      const pass = await reconcileOnce(await aDrainedMachine(), {
        ...withPods(...pods, ...names.map(name => aNamespace(name, name === 'ns3' ? 'system' : 'user'))),
        objects,
      });
      expect(pass.asked).toContain('list Namespace ');
      expect(pass.writes).toHaveLength(10);
    });

    it('a Namespace that does not exist is an error (scenario 96)', async () => {
      const pass = await reconcileOnce(await aDrainedMachine(), { ...withPods(aPod('p1'), aPod('p2')), objects });
      expect(pass.result).toBe(
        'failed to get Pods for eviction: Pods with error "Pod Namespace does not exist": app/p1, app/p2',
      );
    });

    it.each([{ many: false }, { many: true }])(
      'a Namespace that cannot be read is an error (many: $many)',
      async ({ many }) => {
        const pods = Array.from({ length: many ? 11 : 1 }, (_, index) => aPod('p').in(`ns${index}`));
        const workloadFaults = [{ at: many ? 'list Namespace ' : 'get Namespace ns0', message: 'boom' }];
        const pass = await reconcileOnce(await aDrainedMachine(), { ...withPods(...pods), objects, workloadFaults });
        expect(pass.result).toBe('failed to get Pods for eviction: failed to list Namespaces: boom');
      },
    );
  });

  it('checks again if all Pods disappeared before they were evicted', async () => {
    const failures = { 'evict:app/p1': { message: 'not found', reason: 'NotFound' as const } };
    const pass = await reconcileOnce(await aDrainedMachine(), { ...withPods(aPod('p1')), failures });
    expect(pass.result).toBe('again');
  });

  it('concerns a Node that the Machine did not name before (scenario 108)', async () => {
    const machine = changed(
      aMachine()
        .deleting(now - 60_000)
        .build(),
      { spec: { providerID: 'foo://1' } },
    );
    const world = {
      objects: [bootstrapOk(), infraOk(), controlPlaneMachine],
      workload: [aNewNode().withSpec({ unschedulable: true })],
    };
    const pass = await reconcileOnce(machine, world);
    expect(pass.status['nodeRef']).toEqual({ name: 'n1' });
    expect(pass.events).toContain('Normal SuccessfulSetNodeRef n1');
    expect(pass.writes.at(-1)).toBe('delete FooMachine ns/i1');
  });
});
