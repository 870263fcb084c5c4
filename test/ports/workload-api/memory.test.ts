// The memory adapter of the clients of workload clusters.

import { toRef } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { createMemoryWorkload } from '../../../shared/kubernetes/memory/memory-workload.ts';
import { isConnectionDown } from '../../../shared/workload/api.ts';
import { countingIds } from '../../support/memory-api.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { expectFailure, expectValue } from '../answers.ts';
import { workloadApiConformance, workloadFaultConformance } from './suite.ts';
import { aPod, type HealthySubject, nodeRef, signal } from './workload-subject.ts';

function open() {
  const clock = new SteppedClock();
  const { api, writers, cluster } = createMemoryWorkload({ clock, ids: countingIds() });
  const target = { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig: '', version: '1' };
  const world = cluster('uid');
  return { world, api, writers, clock, target, sent: () => world.sent, kubernetes: world.kubernetes };
}

workloadApiConformance('memory', {
  openHealthy: async (): Promise<HealthySubject> => open(),
  close: async () => {},
});

workloadFaultConformance('memory', {
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
  it('refuse the evictions that a test names', async () => {
    const { world, api, writers, target } = open();
    const pod = expectValue(await world.kubernetes.create(aPod('p1', 'n1')));
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p1' };
    api.reads(target, signal);
    const writes = writers({ uid: 'uid', namespace: 'ns', name: 'c1' });
    const { uid } = pod.metadata;
    world.refuseEvictions(ref, { reason: 'TooManyRequests', code: 429, message: 'no' });
    expect(expectFailure(await writes.evict(ref, { uid }))).toMatchObject({ code: 429, message: 'no' });
    world.refuseEvictions(ref, undefined);
    expect(await writes.evict(ref, { uid })).toEqual({ ok: true, value: undefined });
  });

  it('keep an evicted Pod for its grace period on request', async () => {
    const { world, api, writers, target } = open();
    const pod = expectValue(await world.kubernetes.create(aPod('p1', 'n1')));
    const reads = api.reads(target, signal);
    const writes = writers({ uid: 'uid', namespace: 'ns', name: 'c1' });
    world.removesEvicted = false;
    expect(await writes.evict(toRef(pod), { uid: pod.metadata.uid })).toEqual({ ok: true, value: undefined });
    expect(expectValue(await reads.get(toRef(pod))).metadata).toHaveProperty('deletionGracePeriodSeconds', 30);
  });

  it('end hanging requests after 10 s if they answered before; a read then closes the gate', async () => {
    const { world, api, writers, target, clock } = open();
    const reads = api.reads(target, signal);
    const writes = writers({ uid: 'uid', namespace: 'ns', name: 'c1' });
    expect(expectValue(await reads.nodes())).toEqual([]);
    world.fault = 'hanging';
    const write = writes.delete(nodeRef('n1'));
    const read = reads.get(nodeRef('n1'));
    await clock.advance(9_999);
    const sent = world.sent;
    await clock.advance(1);
    expect(expectFailure(await write).reason).toBe('UnknownOutcome');
    expect(isConnectionDown(expectFailure(await read))).toBe(true);
    expect(isConnectionDown(expectFailure(await writes.delete(nodeRef('n1'))))).toBe(true);
    expect(world.sent).toBe(sent);
  });

  it('can be the API server of a kubeconfig, where evicted Pods are terminating', async () => {
    const { world, clock, target } = open();
    const coreOf = ({ kubeconfig }: typeof target) => (kubeconfig === 'good' ? world.core : undefined);
    const { api, writers } = createMemoryWorkload({ clock, ids: countingIds(), coreOf });
    const pod = expectValue(await world.kubernetes.create(aPod('p1', 'n1')));
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p1' };
    const reads = api.reads({ ...target, kubeconfig: 'good' }, signal);
    const { evict } = writers({ uid: 'uid', namespace: 'ns', name: 'c1' });
    expect(await evict(ref, { uid: pod.metadata.uid })).toEqual({ ok: true, value: undefined });
    expect(expectValue(await reads.get(ref)).metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    const other = api.reads({ ...target, kubeconfig: 'other', version: '2' }, signal);
    expect(isConnectionDown(expectFailure(await other.get(ref)))).toBe(true);
  });

  it('are one per Cluster', async () => {
    const { world, api, target } = open();
    world.fault = 'down';
    expect((await api.reads(target, signal).nodes()).ok).toBe(false);
    expect(expectValue(await api.reads({ ...target, cluster: 'other' }, signal).nodes())).toEqual([]);
  });
});
