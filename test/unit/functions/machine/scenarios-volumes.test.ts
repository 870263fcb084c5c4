// Scenarios of the volumes of a Machine in deletion.
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../support/object-builder.ts';
import { aDeletedMachine, changed, deletingWorld, reconcileOnce } from './machine-pass.ts';
import { nodeOk, now, TestObject } from './scenario-objects.ts';

const annotated = (annotations: Readonly<Record<string, string>>) => ({ metadata: { annotations } });
const cordoned = () => nodeOk().withSpec({ unschedulable: true });
const started = timestamp(now);
const deletesInfra = ['delete FooMachine ns/i1'];

describe('the volumes of a drained Node', () => {
  const volume = (name: string, handle: string, claim?: string) =>
    new TestObject({ apiVersion: 'v1', kind: 'PersistentVolume', name }).clusterScoped().withSpec({
      csi: { driver: 'd', volumeHandle: handle },
      ...(claim === undefined ? {} : { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'app', name: claim } }),
    });
  const attachment = (name: string, source: object, nodeName = 'n1') =>
    new TestObject({ apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', name })
      .clusterScoped()
      .withSpec({ nodeName, source })
      .withStatus({ attached: true });
  const skippedPod = new TestObject({ apiVersion: 'v1', kind: 'Pod', name: 'skipped' })
    .in('app')
    .annotated({ 'kubernetes.io/config.mirror': 'x' })
    .withSpec({ nodeName: 'n1', volumes: [{ persistentVolumeClaim: { claimName: 'c3' } }, { emptyDir: {} }] });
  const attached = (...names: readonly string[]) =>
    cordoned().withStatus({ volumesAttached: names.map(name => ({ name })) });

  it('are listed by claim, volume and name (scenario 97)', async () => {
    const csi = (handle: string) => `kubernetes.io/csi/d^${handle}`;
    const workload = [
      attached(csi('h1'), csi('h2'), csi('h3'), 'kubernetes.io/aws-ebs/x'),
      volume('pv1', 'h1', 'c1'),
      volume('pv2', 'h2'),
      volume('pv3', 'h3', 'c3'),
      attachment('va', { persistentVolumeName: 'pv-missing' }),
      attachment('elsewhere', { persistentVolumeName: 'pv9' }, 'n9'),
      skippedPod,
    ];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload });
    expect(pass.result).toBe('requeueAfter 20000');
    expect(pass.condition('Deleting')).toBe(
      `True/WaitingForVolumeDetach Waiting for Node volumes to be detached (started at ${started})\n` +
        '* PersistentVolumeClaims: app/c1\n' +
        '* PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim: pv2\n' +
        '* Node with .status.volumesAttached entries not matching a PersistentVolume: kubernetes.io/aws-ebs/x\n' +
        '* VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume: pv-missing',
    );
    expect(pass.v1beta1('VolumeDetachSucceeded')).toBe(
      'False/Info/WaitingForVolumeDetach Waiting for node volumes to be detached',
    );
    expect(pass.v1beta1('DrainingSucceeded')).toBe('True');
    const later = await reconcileOnce(pass.machine, { ...deletingWorld, workload });
    expect(later.events).toEqual([]);
    expect(later.status).toEqual({ ...pass.status, observedGeneration: later.status['observedGeneration'] });
  });

  const aFinishedPod = new TestObject({ apiVersion: 'v1', kind: 'Pod', name: 'job' })
    .in('app')
    .labelled({ 'cluster.x-k8s.io/drain': 'WaitCompleted' })
    .withSpec({ nodeName: 'n1', volumes: [{ persistentVolumeClaim: { claimName: 'c1' } }] });

  it.each(['Succeeded', 'Failed'])(
    'of a Pod that is %s are awaited, although the drain has ended (scenario 130)',
    async phase => {
      const pod = aFinishedPod.withStatus({ phase });
      const workload = [attached('kubernetes.io/csi/d^h1'), volume('pv1', 'h1', 'c1'), pod];
      const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload });
      expect(pass.writes).toEqual([]);
      expect(pass.v1beta1('DrainingSucceeded')).toBe('True');
      expect(pass.condition('Deleting')).toContain('True/WaitingForVolumeDetach');
      expect(pass.condition('Deleting')).toContain('* PersistentVolumeClaims: app/c1');
      const detached = await reconcileOnce(pass.machine, { ...deletingWorld, workload: [cordoned(), pod] });
      expect(detached.writes).toEqual(deletesInfra);
    },
  );

  it('of skipped Pods are not awaited', async () => {
    const workload = [attached('kubernetes.io/csi/d^h3'), volume('pv3', 'h3', 'c3'), skippedPod];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload });
    expect(pass.v1beta1('VolumeDetachSucceeded')).toBe('True');
    expect(pass.writes).toEqual(deletesInfra);
  });

  it('at most five names are shown', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `in-tree-${index}`);
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload: [attached(...names)] });
    expect(pass.condition('Deleting')).toContain(
      'not matching a PersistentVolume: in-tree-0, in-tree-1, in-tree-2, in-tree-3, in-tree-4, ... (2 more)',
    );
  });

  it('volumes that attachments explain are read by name', async () => {
    const workload = [attached(), volume('pv1', 'h1', 'c1'), attachment('va', { persistentVolumeName: 'pv1' })];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload });
    expect(pass.asked).toContain('get PersistentVolume pv1');
    expect(pass.asked).not.toContain('list PersistentVolume ');
    expect(pass.condition('Deleting')).toContain('* PersistentVolumeClaims: app/c1');
  });

  it('an attachment of an inline volume is an error (scenario 98)', async () => {
    const workload = [attached(), attachment('va1', {})];
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload });
    const error = 'spec.source.persistentVolumeName for VolumeAttachment va1 is not set';
    expect(pass.result).toBe(error);
    expect(pass.events.at(-1)).toBe(
      `Warning FailedWaitForVolumeDetach error waiting for node volumes detaching, Machine's node "n1": ${error}`,
    );
    expect(pass.condition('Deleting')).toBe(
      'True/WaitingForVolumeDetach Error waiting for volumes to be detached from Node, please check controller logs for errors',
    );
    const again = await reconcileOnce(pass.machine, { ...deletingWorld, workload });
    expect(again.events).toEqual([]);
  });

  it.each([
    { at: 'list VolumeAttachment ', error: 'failed to list VolumeAttachments: boom' },
    { at: 'list PersistentVolume ', error: 'failed to list PersistentVolumes: boom' },
    { at: 'get PersistentVolume pv1', error: 'failed to list PersistentVolumes: boom' },
  ])('a failure of "$at" is an error', async ({ at, error }) => {
    const workload = [attached('x'), attachment('va', { persistentVolumeName: 'pv1' })];
    const pass = await reconcileOnce(await aDeletedMachine(), {
      ...deletingWorld,
      workload,
      workloadFaults: [{ at, message: 'boom' }],
    });
    expect(pass.result).toBe(error);
  });

  it('Pods that cannot be listed are an error if only the volumes are awaited', async () => {
    const machine = changed(
      await aDeletedMachine(),
      annotated({ 'machine.cluster.x-k8s.io/exclude-node-draining': '' }),
    );
    const pass = await reconcileOnce(machine, {
      ...deletingWorld,
      workload: [attached('x')],
      workloadFaults: [{ at: 'list Pod ', message: 'boom' }],
    });
    expect(pass.result).toBe(
      'failed to find PersistentVolumeClaims from Pods ignored during drain: failed to get Pods for eviction: boom',
    );
  });

  it('are no longer awaited after the timeout (scenario 99)', async () => {
    const machine = changed(await aDeletedMachine(), {
      metadata: { deletionTimestamp: timestamp(now - 3_600_000) },
      spec: { deletion: { nodeVolumeDetachTimeoutSeconds: 600 } },
      status: { deletion: { waitForNodeVolumeDetachStartTime: timestamp(now - 601_000) } },
    });
    const pass = await reconcileOnce(machine, { ...deletingWorld, workload: [attached('x')] });
    expect(pass.asked).toEqual(['get Node n1', 'list Pod ']);
    expect(pass.writes).toEqual(deletesInfra);
    expect(pass.condition('Ready')).toBe(
      'False/NotReady * Deleting: Machine deletion in progress since more than 15m, stage: WaitingForInfrastructureDeletion',
    );
  });

  it('of a Node that does not report are not awaited', async () => {
    const node = attached('x').withCondition('Ready', { status: 'Unknown' });
    const pass = await reconcileOnce(await aDeletedMachine(), { ...deletingWorld, workload: [node] });
    expect(pass.writes).toEqual(deletesInfra);
  });

  it.each([
    { world: { isConnected: false }, error: 'error getting client: connection to the workload cluster is down' },
    { world: { workloadFaults: [{ at: 'get Node n1', message: 'boom' }] }, error: 'unable to get Node n1: boom' },
  ])('need the Node: $error', async ({ world, error }) => {
    const machine = changed(
      await aDeletedMachine(),
      annotated({ 'machine.cluster.x-k8s.io/exclude-node-draining': '' }),
    );
    const pass = await reconcileOnce(machine, { ...deletingWorld, ...world });
    expect(pass.result).toContain(error);
    expect(pass.condition('Deleting')).toContain('True/WaitingForVolumeDetach Error waiting');
  });

  it('and the drain are skipped by annotations (scenario 107)', async () => {
    const machine = changed(
      await aDeletedMachine(),
      annotated({
        'machine.cluster.x-k8s.io/exclude-node-draining': '',
        'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '',
      }),
    );
    const pass = await reconcileOnce(machine, { ...deletingWorld, workload: [nodeOk()] });
    expect(pass.writes).toEqual(deletesInfra);
    expect(pass.asked).toEqual(['get Node n1']);
  });
});
