// The memory adapter of the clients of workload clusters.
import { describe, expect, it } from 'vitest';
import { createMemoryWorkload } from '../../../shared/kubernetes/memory/memory-workload.ts';
import { isConnectionDown } from '../../../shared/workload/api.ts';
import { countingIds } from '../../support/memory-api.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { workloadApiConformance } from './suite.ts';
import { aPod, expectFailure, expectValue, type HealthySubject, nodeRef, signal } from './world.ts';

function open() {
  const clock = new SteppedClock();
  const { api, writers, cluster } = createMemoryWorkload({ clock, ids: countingIds() });
  const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig: '', version: '1' };
  const world = cluster('uid');
  return { world, api, writers, clock, target, sent: () => world.sent, kubernetes: world.kubernetes };
}

workloadApiConformance('memory', {
  openHealthy: async (): Promise<HealthySubject> => open(),
  openFaulty: async fault => {
    const subject = open();
    const set = (next: typeof fault | undefined): void => {
      subject.world.fault = next;
    };
    set(fault);
    return { ...subject, set };
  },
  close: async () => {},
});

describe('workload clusters in memory', () => {
  it('evict the Pod with the given uid, unless the test refuses it', async () => {
    const { world, api, writers, target } = open();
    const pod = expectValue(await world.kubernetes.create(aPod('p1', 'n1')));
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p1' };
    api.reads(target, signal);
    const writes = writers({ uid: 'uid', namespace: 'ns', name: 'c1' });
    const { uid } = pod.metadata;
    expect(expectFailure(await writes.evict(ref, { uid: 'another' })).reason).toBe('Conflict');
    world.refuseEvictions(ref, { reason: 'TooManyRequests', code: 429, message: 'no' });
    expect(expectFailure(await writes.evict(ref, { uid }))).toMatchObject({ code: 429, message: 'no' });
    world.refuseEvictions(ref, undefined);
    expect(await writes.evict(ref, { uid })).toEqual({ ok: true, value: undefined });
    expect(expectFailure(await writes.evict(ref, { uid })).reason).toBe('NotFound');
  });

  it('end a hanging request after 10 s if the cluster answered before, and then close the gate', async () => {
    const { world, api, writers, target, clock } = open();
    const reads = api.reads(target, signal);
    const writes = writers({ uid: 'uid', namespace: 'ns', name: 'c1' });
    expect(expectValue(await reads.nodes())).toEqual([]);
    world.fault = 'hanging';
    const write = writes.delete(nodeRef('n1'));
    await clock.advance(10_000);
    expect(expectFailure(await write).reason).toBe('UnknownOutcome');
    const sent = world.sent;
    expect(isConnectionDown(expectFailure(await reads.get(nodeRef('n1'))))).toBe(true);
    expect(world.sent).toBe(sent);
  });

  it('are one per Cluster', async () => {
    const { world, api, target } = open();
    world.fault = 'down';
    expect((await api.reads(target, signal).nodes()).ok).toBe(false);
    expect(expectValue(await api.reads({ ...target, cluster: 'other' }, signal).nodes())).toEqual([]);
  });
});
