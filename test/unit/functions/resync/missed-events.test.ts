// The resync finds a change that every event source missed. Tests the whole event path in virtual time.
import { afterEach, describe, expect, it } from 'vitest';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { missedEvents } from '../../../../shared/kernel/metrics.ts';
import { served } from '../../../support/event-path.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import { clusterRef, staticClusterCrd } from '../../../support/static-provider.ts';
import { startVirtualSystem, type VirtualSystem } from '../../../support/virtual-system.ts';
import { createCluster, namespace, resyncFor } from './provisioned-clusters.ts';

let system: VirtualSystem;

function start(isDeaf: boolean): void {
  system = startVirtualSystem({
    reconcilers: [
      served(clusterReconciler, {
        workload: fakeWorkload(),
        signer: fakeSigner(),
      }),
    ],
    crds: [staticClusterCrd],
    requestMs: 2,
    requestSlots: 2,
    sendMs: 5,
    isDeaf,
  });
}

afterEach(() => system.stop());

const create = (name: string): Promise<void> => createCluster(system, name);

/** The time is longer than the period over which the resync distributes its requests. */
const resync = (): Promise<void> => resyncFor(system, 90_000);

const missed = (): number => system.metrics.snapshot().find(({ name }) => name === missedEvents)?.sum ?? 0;

describe('events that no source delivered', () => {
  it('are counted once for each object that the resync found changed', async () => {
    start(true);
    await system.api.others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await create('one');
    await create('two');
    await resync();
    expect(missed()).toBe(2);
    await resync();
    expect(missed()).toBe(2);
    await create('three');
    await resync();
    expect(missed()).toBe(3);
  });

  it('are zero if a source delivers everything, however often the resync runs', async () => {
    start(false);
    await system.api.others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await system.api.clock.advance(1_000);
    await create('one');
    await system.api.clock.advance(20_000);
    await resync();
    await system.api.others.mergePatch(clusterRef(namespace, 'one'), { spec: { paused: true } });
    await system.api.clock.advance(20_000);
    await resync();
    expect(missed()).toBe(0);
    expect(system.metrics.snapshot().find(({ name }) => name === 'workqueue_adds_total')?.sum).toBeGreaterThan(2);
  });
});
