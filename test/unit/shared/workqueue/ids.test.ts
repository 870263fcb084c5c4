import { describe, expect, it } from 'vitest';
import {
  toDeduplicationId,
  toEventId,
  toGroupId,
  toRecheckId,
  toSpread,
  toTimerId,
} from '../../../../shared/workqueue/ids.ts';
import type { Key, Request } from '../../../../shared/workqueue/message.ts';

const key: Key = {
  managementCluster: '5f0c',
  group: 'cluster.x-k8s.io',
  kind: 'Cluster',
  namespace: 'default',
  name: 'prod',
};
const otherKey: Key = { ...key, name: 'stage' };
const request: Request = { v: 1, reconciler: 'cluster', key, cause: 'event', attempt: 0, trace: 't' };
const otherObject = { ...request, key: otherKey };
const otherReconciler = { ...request, reconciler: 'topology' };

function counter(): () => string {
  let calls = 0;
  return () => `id-${calls++}`;
}

describe('message ids', () => {
  it('are 43 legal characters for a key of any length', () => {
    const long: Key = { ...key, namespace: 'n'.repeat(63), name: 'x'.repeat(253) };
    const target = { reconciler: 'cluster', key: long };
    const timer = { ...target, due: 1000, attempt: 0 };
    const ids = [toGroupId(target), toEventId(target, ['u@1']), toTimerId(timer), toRecheckId(target, counter())];
    for (const id of ids) {
      expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    }
  });

  it('put each object in its own group for each reconciler', () => {
    expect(toGroupId({ ...request, key: { ...key } })).toBe(toGroupId(request));
    expect(toGroupId(otherObject)).not.toBe(toGroupId(request));
    expect(toGroupId(otherReconciler)).not.toBe(toGroupId(request));
  });

  it('identify events by the set of their sources', () => {
    expect(toEventId(request, ['b@2', 'a@1', 'b@2'])).toBe(toEventId(request, ['a@1', 'b@2']));
    expect(toEventId(request, ['a@1'])).not.toBe(toEventId(request, ['a@2']));
    expect(toEventId(request, ['a@1'])).not.toBe(toEventId(otherObject, ['a@1']));
    expect(toEventId(request, ['a@1'])).not.toBe(toEventId(otherReconciler, ['a@1']));
    expect(toEventId(request, ['a@1,b@2'])).not.toBe(toEventId(request, ['a@1', 'b@2']));
  });

  it.each([
    { change: { due: 2000 }, same: false, reason: 'another due time' },
    { change: { reconciler: 'topology' }, same: false, reason: 'another reconciler of the same object' },
    { change: { key: otherKey }, same: false, reason: 'another object' },
    { change: { attempt: 1 }, same: false, reason: 'a retry, which must not merge with a requeue' },
    { change: {}, same: true, reason: 'the same timer' },
  ])('distinguish timers: $reason', ({ change, same }) => {
    const timer = { reconciler: 'cluster', key, due: 1000, attempt: 0 };
    expect(toTimerId({ ...timer, ...change }) === toTimerId(timer)).toBe(same);
  });

  it('merge retries with the same due time and different attempts', () => {
    const timer = { reconciler: 'cluster', key, due: 1000 };
    expect(toTimerId({ ...timer, attempt: 2 })).toBe(toTimerId({ ...timer, attempt: 5 }));
  });
});

const requests: readonly { readonly change: Partial<Request>; readonly merges: boolean; readonly reason: string }[] = [
  { change: { sources: ['a@1'] }, merges: true, reason: 'a watch event' },
  { change: { cause: 'timer', due: 1000 }, merges: true, reason: 'a timer' },
  { change: {}, merges: false, reason: 'an event that names no source' },
  { change: { sources: [] }, merges: false, reason: 'an event with an empty list of sources' },
  { change: { sources: ['a@1', 'many'] }, merges: false, reason: 'more changes than are listed' },
  { change: { cause: 'timer' }, merges: false, reason: 'a timer without a due time' },
  { change: { cause: 'list', sources: ['a@1'] }, merges: false, reason: 'a first list' },
  { change: { cause: 'resync', due: 1000 }, merges: false, reason: 'a resync' },
  { change: { cause: 'deletion', sources: ['a@1'] }, merges: false, reason: 'a deletion' },
];

describe('the deduplication id of a request', () => {
  it.each(requests)('merges: $merges for $reason', ({ change, merges }) => {
    const newId = counter();
    const [first, second] = [1, 2].map(() => toDeduplicationId({ ...request, ...change }, newId));
    expect(first === second).toBe(merges);
  });

  it('contains the reconciler and the key even if it is random', () => {
    const newId = (): string => 'same';
    expect(toRecheckId(request, newId)).not.toBe(toRecheckId(otherObject, newId));
    expect(toRecheckId(request, newId)).not.toBe(toRecheckId(otherReconciler, newId));
  });
});

describe('the spread of keys', () => {
  it('depends only on the key and the use, and fills the range evenly', () => {
    const slots = Array.from({ length: 10 }, () => 0);
    for (let n = 0; n < 10_000; n += 1) {
      const slot = toSpread({ ...key, name: `cluster-${n}` }, 10);
      slots[slot] = (slots[slot] ?? 0) + 1;
    }
    expect(toSpread(key, 600)).toBe(toSpread({ ...key }, 600));
    expect(Math.min(...slots)).toBeGreaterThan(850);
    expect(Math.max(...slots)).toBeLessThan(1150);
  });

  it('is independent for each use, so that keys of one slot fill the range of another use', () => {
    const keys = Array.from({ length: 10_000 }, (_, n) => ({ ...key, name: `cluster-${n}` }));
    const together = keys.filter(one => toSpread(one, 24) === 0);
    expect(new Set(together.map(one => toSpread(one, 12, 'other'))).size).toBe(12);
    expect(new Set(together.map(one => toSpread(one, 12))).size).toBe(1);
  });
});
