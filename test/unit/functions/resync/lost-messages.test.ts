// Messages that are lost after the resync stored its result: their objects are reconciled soon, not after a day. Tests
// the whole event path in virtual time, without an event source.
import { afterEach, describe, expect, it } from 'vitest';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { notePurge } from '../../../../functions/resync/note-purge.ts';
import { served } from '../../../support/event-path.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { clusterRef, staticClusterCrd } from '../../../support/static-provider.ts';
import { startVirtualSystem, type VirtualSystem } from '../../../support/virtual-system.ts';
import { createCluster, namespace, resyncFor } from './provisioned-clusters.ts';

let system: VirtualSystem;
/** Every invocation of the Cluster function fails. */
let isBroken: boolean;

async function start(): Promise<void> {
  isBroken = false;
  const reconciler = served(clusterReconciler, { workload: fakeWorkload(), signer: fakeSigner() });
  system = startVirtualSystem({
    reconcilers: [
      {
        ...reconciler,
        serve: (context, messages) =>
          isBroken ? Promise.reject(new Error('broken')) : reconciler.serve(context, messages),
      },
    ],
    crds: [staticClusterCrd],
    requestMs: 2,
    requestSlots: 2,
    sendMs: 5,
    isDeaf: true,
  });
  await system.api.others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await create('first');
  await resync();
}

afterEach(() => system.stop());

const create = (name: string): Promise<void> => createCluster(system, name);

/** The time is longer than the period over which the resync distributes its requests, and than five deliveries. */
const resync = (): Promise<void> => resyncFor(system, 180_000);

/** The queues are purged before the messages of this run are due. */
async function loseMessages(): Promise<void> {
  const resyncing = system.resync();
  await system.api.clock.advance(5_000);
  await resyncing;
  system.queues.purge('delay');
  system.queues.purge('expand');
}

const isReconciled = (name: string): boolean =>
  (system.api.read(clusterRef(namespace, name)).metadata.finalizers ?? []).length > 0;

const aRequest = (name: string): string =>
  JSON.stringify({
    v: 1,
    reconciler: 'cluster',
    key: { managementCluster: 'mgmt', group: 'cluster.x-k8s.io', kind: 'Cluster', namespace, name },
    cause: 'timer',
    attempt: 0,
    trace: 't',
  });

describe('a lost message', () => {
  it('of a function that failed is sent again by the next run, because dead letters rose', async () => {
    await start();
    expect(isReconciled('first')).toBe(true);
    await create('second');
    isBroken = true;
    await resync();
    expect(system.deadLetters()).toBeGreaterThan(0);
    isBroken = false;
    expect(isReconciled('second')).toBe(false);
    await resync();
    expect(isReconciled('second')).toBe(true);
  });

  it('of a purged queue is sent again by the run after the note', async () => {
    await start();
    await create('second');
    await loseMessages();
    await resync();
    expect(isReconciled('second')).toBe(false);
    const options = {
      kubernetes: system.api.others,
      stateNamespace: 'kube-system',
      watchFilter: '',
      log: aRecordingLog(),
    };
    await notePurge(options, 'delay');
    await resync();
    expect(isReconciled('second')).toBe(true);
  });

  it.each([
    { queue: 'delay-dlq', body: aRequest('second') },
    {
      queue: 'expand-dlq',
      body: JSON.stringify({
        v: 1,
        reconciler: 'cluster',
        source: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' },
        trace: 't',
      }),
    },
  ])('that is a dead letter in $queue is sent again after a run without new ones', async ({ queue, body }) => {
    await start();
    await create('second');
    await loseMessages();
    await system.queues.send(queue, [{ body }]);
    await resync();
    expect(isReconciled('second')).toBe(false);
    expect(system.deadLetters()).toBe(1);
    await resync();
    expect(isReconciled('second')).toBe(true);
    expect(system.deadLetters()).toBe(0);
  });
});
