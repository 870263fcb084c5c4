import { describe, expect, it } from 'vitest';
import type { ProbeTarget } from '../../../../shared/workload/port.ts';
import { rememberProbes } from '../../../../shared/workload/remember.ts';
import { fakeWorkload, probeFailed } from '../../../support/fake-remote.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const target: ProbeTarget = { cluster: 'uid-1', origin: 'in Secret ns/c1', kubeconfig: 'k', version: '1' };
const signal = new AbortController().signal;

function aWorld() {
  const clock = new SteppedClock();
  const inner = fakeWorkload();
  return { clock, inner, workload: rememberProbes(inner, clock) };
}

describe('repeated probes', () => {
  it('share one result within ten seconds, even during the probe', async () => {
    const { inner, workload, clock } = aWorld();
    await Promise.all([workload.probe(target, signal), workload.probe(target, signal)]);
    await clock.advance(9_999);
    expect(await workload.probe(target, signal)).toEqual({ ok: true });
    expect(inner.targets).toHaveLength(1);
    await clock.advance(1);
    await workload.probe(target, signal);
    expect(inner.targets).toHaveLength(2);
  });

  it.each([
    { other: { version: '2' }, reason: 'another kubeconfig' },
    { other: { cluster: 'uid-2' }, reason: 'another Cluster' },
  ])('are not shared for $reason', async ({ other }) => {
    const { inner, workload } = aWorld();
    await workload.probe(target, signal);
    await workload.probe({ ...target, ...other }, signal);
    expect(inner.targets).toHaveLength(2);
  });

  it('return a failure with the time of the last success', async () => {
    const { inner, workload, clock } = aWorld();
    const succeededAt = clock.now();
    await workload.probe(target, signal);
    inner.answer = probeFailed();
    for (const _ of [1, 2]) {
      await clock.advance(10_000);
      expect(await workload.probe(target, signal)).toEqual(probeFailed(succeededAt));
    }
  });

  it('report no last success if there was none', async () => {
    const { inner, workload } = aWorld();
    inner.answer = probeFailed();
    expect(await workload.probe(target, signal)).toEqual(probeFailed());
  });

  it.each([
    { leftMs: 5000, sent: true },
    { leftMs: 4999, sent: false },
  ])('are sent with $leftMs ms until the deadline: $sent', async ({ leftMs, sent }) => {
    const { inner, workload, clock } = aWorld();
    const probe = await workload.probe(target, signal, clock.now() + leftMs);
    expect(probe).toEqual(sent ? { ok: true } : { ok: false, error: 'no time is left for a probe', postponed: true });
    expect(inner.targets).toHaveLength(sent ? 1 : 0);
  });

  it('share a result of the last ten seconds also if no time is left', async () => {
    const { inner, workload, clock } = aWorld();
    await workload.probe(target, signal);
    expect(await workload.probe(target, signal, clock.now())).toEqual({ ok: true });
    expect(inner.targets).toHaveLength(1);
  });

  it('do not count an abort of the invocation as a failure of the workload cluster', async () => {
    const { inner, workload } = aWorld();
    const ended = new AbortController();
    ended.abort();
    inner.answer = probeFailed();
    await workload.probe(target, ended.signal);
    inner.answer = { ok: true };
    expect(await workload.probe(target, signal)).toEqual({ ok: true });
  });

  it('are removed, oldest first, beyond a thousand Clusters', async () => {
    const { inner, workload } = aWorld();
    for (let number = 0; number <= 1000; number += 1) {
      await workload.probe({ ...target, cluster: `uid-${number}` }, signal);
    }
    await workload.probe({ ...target, cluster: 'uid-1' }, signal);
    expect(inner.targets).toHaveLength(1001);
    await workload.probe({ ...target, cluster: 'uid-0' }, signal);
    expect(inner.targets).toHaveLength(1002);
  });
});
