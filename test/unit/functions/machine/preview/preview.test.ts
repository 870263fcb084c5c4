// The deletion of a Machine as `plan machine` shows it before it begins, over fake clusters.
import { describe, expect, it } from 'vitest';
import { toPlanText } from '../../../../../cli/plan/report.ts';
import { mostPods } from '../../../../../functions/machine/preview/deletion-preview.ts';
import { aRunningMachine, changed, deletingWorld, runningWorld, type ScenarioWorld } from '../machine-pass.ts';
import { aCapiCluster, aCrd, aMachine, crds, nodeOk, now, TestObject } from '../scenario-objects.ts';
import { aPod, budget, hooked, linesOf, planOf, pods, world } from './previewed-deletion.ts';

const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'FooControlPlane', name: 'cp1' };

const controlPlane = () =>
  new TestObject({ apiVersion: 'controlplane.cluster.x-k8s.io/v1', kind: 'FooControlPlane', name: 'cp1' });

/** Without Machines of the control plane. */
const withControlPlane = (object: TestObject): ScenarioWorld => ({
  ...runningWorld,
  objects: [...(runningWorld.objects ?? []), object],
  cluster: aCapiCluster().withControlPlaneRef(controlPlaneRef),
  crds: [...crds, aCrd(controlPlaneRef)],
});

describe('a Machine that is not being deleted', () => {
  it('shows each step of its deletion, and why each Pod is evicted, blocked or skipped', async () => {
    const machine = changed(await aRunningMachine(), hooked);
    const { report, asked } = await planOf(machine, world(...pods, budget));
    expect(report).toMatchObject({ writes: 0, preview: { title: 'What a deletion of Machine ns/m1 would do now' } });
    expect(report.preview?.lines).toEqual([
      '  1. pre-drain hooks: waits until these annotations are removed from the Machine',
      '       pre-drain.delete.hook.machine.cluster.x-k8s.io/backup, of backup-controller',
      '  2. drain of the Node: cordons n1, then removes its Pods (time limit 600 s)',
      '     evicts, order 0:',
      '       app/ending: no MachineDrainRule applies; it is being deleted already',
      '       app/web-1: no MachineDrainRule applies; blocked now by PodDisruptionBudget app/web, which allows no disruption (1 healthy, 1 required)',
      '     waits for completion, without eviction:',
      '       app/job-1: label cluster.x-k8s.io/drain',
      '     evicts, order 10, after the Pods above are gone:',
      '       app/late-1: MachineDrainRule late',
      '     skips:',
      '       app/ds-1: DaemonSet app/ds',
      '       app/static: static Pod',
      '  3. volumes of the Node: none is attached',
      '  4. pre-terminate hooks: waits until these annotations are removed from the Machine',
      '       pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd',
      '  5. deletion of the infrastructure machine: FooMachine i1',
      '  6. deletion of the bootstrap config: FooConfig b1',
      '  7. deletion of the Node: n1, tried for 10 s',
    ]);
    expect(toPlanText(report)).toContain(report.preview?.lines.join('\n'));
    expect(report.preview?.data).toMatchObject({
      deletion: {
        isDeleting: false,
        node: 'n1',
        drain: {
          timeoutSeconds: 600,
          rounds: [
            { order: 0, evict: [{ pod: 'app/ending', terminating: true }, { pod: 'app/web-1' }] },
            { order: 10, evict: [{ pod: 'app/late-1', because: 'MachineDrainRule late' }] },
          ],
        },
      },
    });
    expect(asked.filter(line => line.startsWith('list PodDisruptionBudget'))).toEqual(['list PodDisruptionBudget app']);
  });

  it('shows volumes that would be waited for, without those of skipped Pods', async () => {
    const volume = (name: string, claim: string) =>
      new TestObject({ apiVersion: 'v1', kind: 'PersistentVolume', name }).clusterScoped().withSpec({
        csi: { driver: 'd', volumeHandle: name },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'app', name: claim },
      });
    const names = ['kubernetes.io/csi/d^pv1', 'kubernetes.io/csi/d^pv2', 'x'];
    const node = nodeOk().withStatus({ volumesAttached: names.map(name => ({ name })) });
    const skipped = aPod('static')
      .annotated({ 'kubernetes.io/config.mirror': '' })
      .withSpec({ nodeName: 'n1', volumes: [{ persistentVolumeClaim: { claimName: 'c2' } }] });
    const lines = await linesOf(await aRunningMachine(), {
      ...deletingWorld,
      workload: [node, skipped, volume('pv1', 'c1'), volume('pv2', 'c2')],
    });
    expect(lines.slice(1, 7)).toEqual([
      '  2. drain of the Node: cordons n1, then removes its Pods (no time limit)',
      '     no Pod to evict',
      '     skips:',
      '       app/static: static Pod',
      '  3. volumes of the Node: waits until these are detached (no time limit)',
      '       PersistentVolumeClaim app/c1',
    ]);
    expect(lines[7]).toBe('       volume x');
  });

  it.each([
    {
      reason: 'by annotation',
      change: { metadata: { annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } } },
      given: world(),
      line: '  2. drain of the Node: skipped: annotation machine.cluster.x-k8s.io/exclude-node-draining',
    },
    {
      reason: 'with its Cluster',
      change: {},
      given: { ...world(), cluster: aCapiCluster().deleting(now - 1000) },
      line: '  2. drain of the Node: skipped: its Cluster is being deleted',
    },
    {
      reason: 'without control plane Machines',
      change: {},
      given: { ...world(), objects: deletingWorld.objects?.slice(0, 2) ?? [] },
      line: '  2. drain of the Node: skipped: the Cluster has no control plane Machine, or all of them are being deleted',
    },
    {
      reason: 'as the last control plane Machine',
      change: { metadata: { labels: { 'cluster.x-k8s.io/control-plane': '' } } },
      given: { ...world(), objects: deletingWorld.objects?.slice(0, 2) ?? [] },
      line: '  2. drain of the Node: skipped: no other control plane Machine remains, so no API server would answer',
    },
    {
      reason: 'with infrastructure that is gone',
      change: {},
      given: { ...world(), objects: deletingWorld.objects?.filter((_, index) => index !== 1) ?? [] },
      line: '  2. drain of the Node: skipped: the infrastructure machine is gone or being deleted',
    },
    {
      reason: 'with its control plane',
      change: {},
      given: withControlPlane(
        controlPlane()
          .deleting(now - 1000)
          .withFinalizers('x'),
      ),
      line: '  2. drain of the Node: skipped: the control plane is being deleted',
    },
    {
      reason: 'with a control plane without Machines',
      change: {},
      given: withControlPlane(controlPlane()),
      line: '  2. drain of the Node: skipped: the Cluster has no control plane Machine, or all of them are being deleted',
    },
    {
      reason: 'with infrastructure that cannot be read',
      change: {},
      given: { ...world(), readFaults: [{ at: 'get FooMachine ns/i1', message: 'boom' }] },
      line: '  2. drain of the Node: waits, and what it would do is not known: FooMachine i1 cannot be read (no time limit)',
    },
    {
      reason: 'with Machines that cannot be listed',
      change: {},
      given: { ...world(), readFaults: [{ at: 'list Machine ns', message: 'boom' }] },
      line: '  2. drain of the Node: waits, and what it would do is not known: failed to check if Kubernetes Node deletion is allowed: failed to list machines: boom (no time limit)',
    },
    {
      reason: 'with a Node that cannot be read',
      change: {},
      given: { ...world(), workloadFaults: [{ at: 'get Node n1', message: 'boom' }] },
      line: '  2. drain of the Node: waits, and what it would do is not known: boom (no time limit)',
    },
    {
      reason: 'without Node',
      change: {},
      given: { ...world(), workload: [] },
      line: '  2. drain of the Node: skipped: Node n1 is gone, or it belongs to another machine',
    },
    {
      reason: 'without connection',
      change: hooked,
      given: { ...world(), isConnected: false },
      line: '  2. drain of the Node: waits, and what it would do is not known: connection to the workload cluster is down (time limit 600 s)',
    },
    {
      reason: 'with Pods that cannot be listed',
      change: {},
      given: { ...world(), workloadFaults: [{ at: 'list Pod ', message: 'boom' }] },
      line: '  2. drain of the Node: waits, and what it would do is not known: failed to get Pods for eviction: boom (no time limit)',
    },
    {
      reason: 'with budgets that cannot be listed',
      change: {},
      given: { ...world(...pods), workloadFaults: [{ at: 'list PodDisruptionBudget app', message: 'forbidden' }] },
      line: '     PodDisruptionBudgets are not known: forbidden',
    },
    {
      reason: 'with PersistentVolumes that cannot be listed',
      change: {},
      given: {
        ...deletingWorld,
        workload: [nodeOk().withStatus({ volumesAttached: [{ name: 'x' }] })],
        workloadFaults: [{ at: 'list PersistentVolume ', message: 'boom' }],
      },
      line: '  3. volumes of the Node: waits, and what it would do is not known: boom (no time limit)',
    },
    {
      reason: 'with volumes that cannot be listed',
      change: {},
      given: { ...world(), workloadFaults: [{ at: 'list VolumeAttachment ', message: 'boom' }] },
      line: '  3. volumes of the Node: waits, and what it would do is not known: boom (no time limit)',
    },
  ])('is not drained, or the drain is not known: $reason', async ({ change, given, line }) => {
    expect(await linesOf(changed(await aRunningMachine(), change), given)).toContain(line);
  });

  it('does not wait for finished Pods, or for Pods that an unreachable kubelet does not end', async () => {
    const job = aPod('job-1')
      .labelled({ 'cluster.x-k8s.io/drain': 'wait-completed' })
      .withStatus({ phase: 'Succeeded' });
    expect(await linesOf(await aRunningMachine(), world(job))).toContain('       app/job-1: it is finished');
    const lost = nodeOk().withCondition('Ready', { status: 'Unknown' });
    expect(
      await linesOf(await aRunningMachine(), { ...deletingWorld, workload: [lost, aPod('p').deleting(now - 5000)] }),
    ).toContain('       app/p: the kubelet of the Node does not report; it is being deleted already');
  });

  it.each([{ nodeDeletionTimeoutSeconds: 0 }, { nodeDeletionTimeoutSeconds: null }])(
    'has its Node deleted without time limit: $nodeDeletionTimeoutSeconds',
    async deletion => {
      const machine = changed(await aRunningMachine(), { spec: { deletion } });
      expect(await linesOf(machine, world())).toContain('  7. deletion of the Node: n1, tried without time limit');
    },
  );

  it('does not wait for volumes of a Node whose kubelet does not report', async () => {
    const node = nodeOk()
      .withCondition('Ready', { status: 'Unknown' })
      .withStatus({ volumesAttached: [{ name: 'x' }] });
    expect(await linesOf(await aRunningMachine(), { ...deletingWorld, workload: [node] })).toContain(
      '  3. volumes of the Node: skipped: the kubelet of the Node does not report',
    );
  });

  it('has no Node before it has a providerID', async () => {
    const { report, asked } = await planOf(aMachine().build(), { ...world(), objects: [] });
    expect(report.preview?.lines).toContain('  7. deletion of the Node: skipped: no Node of the Machine is known');
    expect(asked).toEqual([]);
  });

  it('shows 20 Pods of a list, and 1,000 in all', async () => {
    const many = Array.from({ length: mostPods + 5 }, (_, index) => aPod(`p${String(index).padStart(4, '0')}`));
    const { report } = await planOf(await aRunningMachine(), world(...many));
    const lines = report.preview?.lines ?? [];
    expect(lines.filter(line => line.includes('app/p'))).toHaveLength(20);
    expect(lines).toContain('       980 more');
    expect(lines).toContain('     5 more Pods');
  });

  it('lists the budgets of all namespaces at once if there are many', async () => {
    const many = Array.from({ length: 11 }, (_, index) => aPod('p', `app-${index}`).withUid(`p${index}`));
    const { asked } = await planOf(await aRunningMachine(), world(...many));
    expect(asked.filter(line => line.startsWith('list PodDisruptionBudget'))).toEqual(['list PodDisruptionBudget ']);
  });
});
