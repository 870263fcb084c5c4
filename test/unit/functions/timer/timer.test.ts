import { describe, expect, it } from 'vitest';
import { decideForwardings } from '../../../../functions/timer/timer.ts';
import { toGroupId, toTimerId } from '../../../../shared/workqueue/ids.ts';
import type { Request } from '../../../../shared/workqueue/message.ts';
import { workQueueOf } from '../../../../shared/workqueue/queue-names.ts';
import { furthestDueMs } from '../../../../shared/workqueue/timer-grid.ts';

const now = Date.UTC(2026, 0, 1);
const key = { managementCluster: '5f0c', group: 'g', kind: 'Cluster', namespace: 'default', name: 'prod' };
const timer: Request = { v: 1, reconciler: 'cluster', key, cause: 'timer', attempt: 0, due: now, trace: 't' };

function decide(change: Partial<Request>) {
  const body = JSON.stringify({ ...timer, ...change });
  const [forwarding] = decideForwardings([{ messageId: 'm1', body }], {
    now,
    newId: () => 'new',
    hasQueue: queue => queue === workQueueOf('cluster'),
  });
  return forwarding;
}

describe('a delayed request', () => {
  it.each([
    { due: now + 1, delaySeconds: 1, reason: 'a millisecond early is early' },
    { due: now + 61_000, delaySeconds: 61, reason: 'it fits one more delay' },
    { due: now + 3_600_000, delaySeconds: 900, reason: 'the longest delay of a queue' },
  ])('that is early is delayed again for $delaySeconds s: $reason', ({ due, delaySeconds }) => {
    expect(decide({ due })).toEqual({
      kind: 'send',
      messageId: 'm1',
      queue: 'delay',
      trace: 't',
      message: { body: JSON.stringify({ ...timer, due }), delaySeconds },
    });
  });

  it.each([now, now - 1, now - 3_600_000])('that is due goes to the work queue of its reconciler (%d)', due => {
    expect(decide({ due })).toEqual({
      kind: 'send',
      messageId: 'm1',
      queue: 'work-cluster.fifo',
      trace: 't',
      message: {
        body: JSON.stringify({ ...timer, due }),
        groupId: toGroupId(timer),
        deduplicationId: toTimerId({ reconciler: 'cluster', key, due, attempt: 0 }),
      },
    });
  });

  it('is delayed as long as a timer can be set for', () => {
    expect(decide({ due: now + furthestDueMs })).toMatchObject({ queue: 'delay', message: { delaySeconds: 900 } });
  });

  it.each([
    { due: now + furthestDueMs + 1, reason: 'a millisecond too far' },
    { due: Number.MAX_SAFE_INTEGER, reason: 'it would circulate forever' },
  ])('that no function can have set is enqueued at once, with a problem: $reason', ({ due }) => {
    expect(decide({ due })).toMatchObject({
      queue: 'work-cluster.fifo',
      message: { body: JSON.stringify({ ...timer, due }) },
      problem: expect.stringMatching(/^Request is due more than 36 hours from now, .* queue "delay"$/),
    });
  });

  it('without a due time, such as one of a resync, is due', () => {
    const body = JSON.stringify({ v: 1, reconciler: 'cluster', key, cause: 'resync', attempt: 0, trace: 't' });
    const routing = { now, newId: () => 'new', hasQueue: () => true };
    expect(decideForwardings([{ messageId: 'm1', body }], routing)).toMatchObject([{ queue: 'work-cluster.fifo' }]);
  });

  it('keeps its attempt count', () => {
    expect(decide({ attempt: 7 })).toMatchObject({ message: { body: expect.stringContaining('"attempt":7') } });
  });

  it.each([{ due: now }, { due: now + 60_000 }])('of an unknown reconciler is poison', ({ due }) => {
    expect(decide({ reconciler: 'gone', due })).toEqual({
      kind: 'poison',
      messageId: 'm1',
      reason: 'unknown_reconciler',
      problem: 'Queue "work-gone.fifo" of reconciler "gone" is not known here',
    });
  });

  it.each([{ name: 'c%30' }, { namespace: 'a.b' }])('of a name that no object has is poison: %j', of => {
    expect(decide({ key: { ...key, ...of } })).toEqual({
      kind: 'poison',
      messageId: 'm1',
      reason: 'invalid_name',
      problem: 'Request of reconciler "cluster" has a name that no API server accepts',
    });
  });

  it('that cannot be parsed is poison', () => {
    expect(decide({ attempt: -1 })).toMatchObject({ kind: 'poison', messageId: 'm1', reason: 'unreadable' });
  });
});
