// The oracle about the ends of Machines, with a memory API of the workload cluster.

import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryWorkload } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import { DeletedMachines } from '../../../simulation/oracles/deleted-machines.ts';
import type { Commit } from '../../../simulation/system/api-server.ts';
import { countingIds } from '../../../support/memory-api.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const meta = (name: string, more: object = {}) => ({ name, namespace: 'ns', uid: name, resourceVersion: '1', ...more });
const machine = (name: string, more: object = {}, spec: object = {}): Unstructured => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: meta(name, more),
  spec: { clusterName: 'c', infrastructureRef: { kind: 'SimulatedMachine', name }, ...spec },
});
const infra = (more: object = {}): Unstructured => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedMachine',
  metadata: meta('m1', more),
  spec: { providerID: 'x://m1' },
});
const cluster = (more: object = {}): Unstructured => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: meta('c', more),
});
const controlPlane = machine('cp', { labels: { 'cluster.x-k8s.io/control-plane': '' } });
const finalizers = ['machine.cluster.x-k8s.io'];
const deletionTimestamp = '2026-01-01T00:00:00Z';

let clock: SteppedClock;
let reports: string[];
let objects: Unstructured[];
let lostAt: number | undefined;
let oracle: DeletedMachines;
let create: (object: Intent) => Promise<void>;

beforeEach(async () => {
  clock = new SteppedClock();
  reports = [];
  lostAt = undefined;
  objects = [cluster(), controlPlane, machine('m1', { finalizers })];
  const { core, kubernetes } = createMemoryWorkload({ clock, ids: countingIds(1) }).cluster('c');
  create = async ({ status, ...object }) => {
    const created = await kubernetes.create(object);
    expect(created.ok).toBe(true);
    const { apiVersion, kind, metadata } = object;
    const ref = { apiVersion, kind, ...metadata };
    if (status !== undefined) {
      expect((await kubernetes.mergePatch(ref, { status }, { subresource: 'status' })).ok).toBe(true);
    }
  };
  oracle = new DeletedMachines({
    scheduler: {
      get now() {
        return clock.now();
      },
    } as never, // true: only the time is read
    api: { objects: () => new Map(objects.map(object => [object.metadata.name + object.kind, object])) } as never, // true: only the objects are read
    workloads: { coreOf: () => core, lostAt: () => lostAt } as never, // true: only these are read
    report: text => reports.push(text),
  });
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: { providerID: 'x://m1' } });
  await clock.advance(65_000);
});

function commit(previous: Unstructured, object: Unstructured, writer = 'machine.1', type: Commit['type'] = 'MODIFIED') {
  oracle.committed({ type, previous, object, writer });
}

const deleting = () => commit(infra(), infra({ deletionTimestamp }));
const pod = (name: string, more: object = {}, spec: object = {}): Intent => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...more },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
});
const job = () => ({
  ...pod('job', { labels: { 'cluster.x-k8s.io/drain': 'WaitCompleted' } }),
  status: { phase: 'Succeeded' },
});

describe('the begin of the deletion of infrastructure', () => {
  it('is fine with an empty Node', () => {
    deleting();
    expect(reports).toEqual([]);
  });

  it('reports a Pod that was not drained, but none that stays or has completed', async () => {
    await create(pod('web'));
    await create(pod('static', { annotations: { 'kubernetes.io/config.mirror': '' } }));
    await create(job());
    await create(pod('elsewhere', {}, { nodeName: 'n2' }));
    deleting();
    expect(reports).toEqual([
      'I9: machine.1 deletes SimulatedMachine m1, and its Node was not drained of Pod default/web',
    ]);
    commit(infra({ deletionTimestamp }), infra({ deletionTimestamp, finalizers: [] }));
    expect(reports).toHaveLength(1);
  });

  it('reports an attached volume, but none of a Pod that stays', async () => {
    for (const name of ['data', 'logs']) {
      await create({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: `${name}-claim` } },
      });
      await create({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name },
        spec: { attacher: 'a', nodeName: 'n1', source: { persistentVolumeName: name } },
        status: { attached: true },
      });
    }
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'logs-claim' } }];
    await create(pod('static', { annotations: { 'kubernetes.io/config.mirror': '' } }, { volumes }));
    deleting();
    expect(reports).toEqual([
      'I9: machine.1 deletes SimulatedMachine m1, and volume data is still attached to its Node',
    ]);
  });

  it.each([
    { reason: 'a user deletes it', writer: 'user', others: [cluster(), controlPlane] },
    { reason: 'the Cluster goes', writer: 'machine.1', others: [cluster({ deletionTimestamp }), controlPlane] },
    { reason: 'the Cluster is gone', writer: 'machine.1', others: [controlPlane] },
    { reason: 'no control plane Machine remains', writer: 'machine.1', others: [cluster()] },
  ])('reports nothing: $reason', async ({ writer, others }) => {
    await create(pod('web'));
    objects = [...others, machine('m1', { finalizers })];
    commit(infra(), infra({ deletionTimestamp }), writer);
    expect(reports).toEqual([]);
  });
});

describe('the release of a Machine', () => {
  const release = (spec: object = {}) => {
    commit(machine('m1', { finalizers }, spec), machine('m1', {}, spec), 'machine.1', 'DELETED');
  };

  it('reports the Node that stays, also if only the infrastructure had its providerID', () => {
    commit(infra(), infra(), 'user');
    release();
    expect(reports).toEqual(['I9: machine.1 released Machine m1, and Node n1 stays']);
  });

  it.each([
    { reason: 'without time limit', seconds: 0, lostMs: 60_000, reported: 1 },
    { reason: 'after ten seconds without connection', seconds: 10, lostMs: 10_000, reported: 0 },
    { reason: 'before', seconds: 10, lostMs: 9_999, reported: 1 },
  ])('reports a Node that was given up $reason: $reported', ({ seconds, lostMs, reported }) => {
    lostAt = clock.now() - lostMs;
    release({ providerID: 'x://m1', deletion: { nodeDeletionTimeoutSeconds: seconds } });
    expect(reports).toHaveLength(reported);
  });

  it('reports no Node of another machine', () => {
    release({ providerID: 'x://m2' });
    expect(reports).toEqual([]);
  });
});
