import type { ApiFailure } from '@capi-serverless/apimachinery';
import type { Outcome } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import type { DrainedPod } from '../../../../../functions/machine/phases/deletion/classify-pods.ts';
import { drainMessage } from '../../../../../functions/machine/phases/deletion/drain-stage.ts';
import {
  evictionActions,
  evictionId,
  groupPods,
  isDrained,
  remainderAfter,
} from '../../../../../functions/machine/phases/deletion/evictions.ts';
import type { Pod } from '../../../../../shared/api/pod/reader.ts';
import { delaysIn } from '../../../../../shared/machine-collections/drain-delays.ts';
import { aPod } from './drained-pods.ts';

const target = { uid: 'c', namespace: 'ns', name: 'c1' };
const startedAt = '2026-01-01T12:00:00Z';
const head = `Drain not completed yet (started at ${startedAt}):`;

const cause = { by: 'default' } as const;
const draining = (name: string, order = 0): DrainedPod => ({ pod: aPod(name), behavior: 'Drain', order, cause });
const waiting = (name: string, order = 0): DrainedPod => ({ pod: aPod(name), behavior: 'WaitCompleted', order, cause });
const deleting = (name: string, order = 0): DrainedPod => ({
  pod: aPod(name, { deletedAgoMs: 60_000 }),
  behavior: 'Drain',
  order,
  cause,
});
const skipped = (name: string): DrainedPod => ({ pod: aPod(name), behavior: 'Skip', order: -9, cause });

function namesOf(groups: ReturnType<typeof groupPods>): unknown {
  return Object.fromEntries(
    Object.entries<readonly Pod[]>({ ...groups })
      .filter(([, pods]) => pods.length > 0)
      .map(([group, pods]) => [group, pods.map(({ metadata }) => metadata.name)]),
  );
}

const failed = (failure: ApiFailure): Outcome => ({ state: 'failed', failure });
const done: Outcome = { state: 'done' };

/** What is left after each of these evictions. */
function remainderOf(pods: readonly DrainedPod[], outcomes: Readonly<Record<string, Outcome>> = {}) {
  return remainderAfter(
    groupPods(pods),
    new Map(Object.entries(outcomes).map(([name, outcome]) => [`evict:app/${name}`, outcome])),
  );
}

describe('the Pods of one check', () => {
  it('are evicted in the order of their rules', () => {
    expect(
      namesOf(groupPods([draining('a', 5), draining('b', -5), draining('c'), skipped('s'), waiting('w')])),
    ).toEqual({
      evictNow: ['b'],
      evictLater: ['a', 'c'],
      waitLater: ['w'],
    });
  });

  it('of a higher order wait for a Pod that is being deleted', () => {
    expect(namesOf(groupPods([draining('late', 10), deleting('t'), waiting('w')]))).toEqual({
      evictLater: ['late'],
      waitNow: ['w'],
      terminating: ['t'],
    });
  });

  it('that are waited for are never evicted, also while they are deleted', () => {
    const pods = [{ ...deleting('d'), behavior: 'WaitCompleted' as const }, draining('a')];
    expect(namesOf(groupPods(pods))).toEqual({ evictNow: ['a'], waitNow: ['d'] });
  });

  it('are none if all are skipped', () => {
    expect(namesOf(groupPods([skipped('s')]))).toEqual({});
    expect(isDrained(remainderOf([skipped('s')]))).toBe(true);
  });
});

describe('evictions', () => {
  const groups = groupPods([draining('a'), draining('late', 1)]);

  it('name the Pod, its uid and the workload cluster', () => {
    expect(evictionActions(groups, { target, isUnreachable: false })).toEqual([
      {
        id: evictionId(aPod('a')),
        onError: 'continue',
        do: 'evict',
        pod: { apiVersion: 'v1', kind: 'Pod', namespace: 'app', name: 'a' },
        uid: 'uid-a',
        target,
      },
    ]);
  });

  it('of an unreachable Node have a grace period of one second', () => {
    expect(evictionActions(groups, { target, isUnreachable: true })).toMatchObject([{ gracePeriodSeconds: 1 }]);
  });
});

describe('what is left', () => {
  it.each([
    { reason: 'an evicted Pod', pods: [draining('a')], outcomes: { a: done } },
    {
      reason: 'a Pod whose eviction was not sent',
      pods: [draining('a')],
      outcomes: { a: { state: 'skipped' } as const },
    },
    { reason: 'a Pod without outcome', pods: [draining('a')], outcomes: {} },
    {
      reason: 'a Pod for later',
      pods: [draining('a'), draining('b', 1)],
      outcomes: { a: failed({ reason: 'NotFound', message: '' }) },
    },
    { reason: 'a Pod that completes', pods: [waiting('w')], outcomes: {} },
    { reason: 'a Pod that completes later', pods: [deleting('t'), waiting('w', 1)], outcomes: {} },
    { reason: 'a Pod that is being deleted', pods: [deleting('t')], outcomes: {} },
    {
      reason: 'a Pod that was replaced by another one of its name',
      pods: [draining('a')],
      outcomes: { a: failed({ reason: 'Conflict', message: 'the UID differs' }) },
    },
  ])('keeps the drain from its end: $reason', ({ pods, outcomes }) => {
    expect(isDrained(remainderOf(pods, outcomes))).toBe(false);
  });

  it('is nothing if the Pods are gone', () => {
    expect(isDrained(remainderOf([draining('a')], { a: failed({ reason: 'NotFound', message: 'gone' }) }))).toBe(true);
  });
});

describe('the message', () => {
  const budget = "Cannot evict pod as it would violate the pod's disruption budget.";
  const cause = (type: string, message: string) => ({ type, field: '', message });

  it('names all groups in their order', () => {
    const pods = [
      ...['a1', 'a2', 'ds-orphan'].map(name => draining(name)),
      deleting('b-term'),
      draining('gone'),
      draining('late1', 10),
      ...['latew', 'multi', 'nsterm', 'pdb'].map(name => draining(name)),
      waiting('wait1'),
      waiting('wait2'),
      waiting('wait3', 10),
    ];
    const details = (kind: string, each: ReturnType<typeof cause>) => ({ kind, group: '', causes: [each] });
    const remainder = remainderOf(pods, {
      a1: done,
      a2: done,
      'ds-orphan': done,
      latew: done,
      gone: failed({ reason: 'NotFound', message: 'gone' }),
      multi: failed({
        reason: 'InternalError',
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      }),
      nsterm: failed({
        reason: 'Forbidden',
        message: 'no',
        details: details('pods', cause('NamespaceTerminating', 'x')),
      }),
      pdb: failed({
        reason: 'TooManyRequests',
        message: budget,
        details: details(
          '',
          cause('DisruptionBudget', 'The disruption budget b needs 3 healthy pods and has 2 currently'),
        ),
      }),
    });
    expect(drainMessage(remainder, startedAt)).toBe(
      [
        head,
        '* Pods app/b-term, app/a1, app/a2, ... (2 more): deletionTimestamp set, but still not removed from the Node',
        "* Pod app/pdb: cannot evict pod as it would violate the pod's disruption budget. The disruption budget b needs 3 healthy pods and has 2 currently",
        '* Pod app/nsterm: failed to evict Pod, Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should set deletionTimestamp)',
        '* Pod app/multi: failed to evict Pod, This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        '* Pods app/wait1, app/wait2: waiting for completion',
        'After above Pods have been removed from the Node, the following Pods will be evicted: app/late1',
        'After above Pods have been removed from the Node, waiting for the following Pods to complete without eviction: app/wait3',
      ].join('\n'),
    );
  });

  it('names at most five failures, and counts the Pods of the others', () => {
    const names = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'];
    const outcomes = Object.fromEntries(
      names.map(name => [name, failed({ reason: 'InternalError', message: `err ${name}` })]),
    );
    const all = [...names, 'p8', 'p9'].map(name => draining(name));
    const text = drainMessage(remainderOf(all, { ...outcomes, p8: done, p9: done }), startedAt);
    expect(text.split('\n')).toEqual([
      head,
      '* Pods app/p8, app/p9: deletionTimestamp set, but still not removed from the Node',
      ...names.slice(0, 5).map(name => `* Pod app/${name}: failed to evict Pod, err ${name}`),
      '* 2 Pods with other issues',
    ]);
    const six = drainMessage(remainderOf(all.slice(0, 6), outcomes), startedAt);
    expect(six).toMatch(/\* 1 Pod with other issues$/);
  });

  it.each([
    { reason: 'Forbidden', type: 'Other', text: 'no' },
    { reason: 'InternalError', type: 'NamespaceTerminating', text: 'no' },
  ] as const)('keeps the text of the failure $reason with the cause $type', ({ reason, type, text }) => {
    const details = { kind: 'pods', group: '', causes: [cause(type, 'x')] };
    const outcomes = { a: failed({ reason, message: text, details }) };
    expect(drainMessage(remainderOf([draining('a')], outcomes), startedAt)).toBe(
      `${head}\n* Pod app/a: failed to evict Pod, ${text}`,
    );
  });

  it('names three Pods without a count', () => {
    const text = drainMessage(remainderOf(['a', 'b', 'c'].map(name => waiting(name))), startedAt);
    expect(text).toBe(`${head}\n* Pods app/a, app/b, app/c: waiting for completion`);
  });

  it('joins the Pods of one failure', () => {
    const outcome = failed({ reason: 'Forbidden', message: 'no right' });
    expect(drainMessage(remainderOf([draining('a'), draining('b')], { a: outcome, b: outcome }), startedAt)).toBe(
      `${head}\n* Pods app/a, app/b: failed to evict Pod, no right`,
    );
  });

  it.each([
    { reason: 'without causes', failure: {}, text: budget.replace('C', 'c') },
    { reason: 'with texts of causes only', failure: { causes: ['x', 'y'] }, text: `${budget.replace('C', 'c')} x,y` },
    {
      reason: 'with details and several causes',
      failure: { details: { kind: '', group: '', causes: [cause('', 'x'), cause('', 'y')] } },
      text: `${budget.replace('C', 'c')} x,y`,
    },
  ])('reports a disruption budget $reason', ({ failure, text }) => {
    const outcomes = { a: failed({ reason: 'TooManyRequests', message: budget, ...failure }) };
    expect(drainMessage(remainderOf([draining('a')], outcomes), startedAt)).toBe(`${head}\n* Pod app/a: ${text}`);
  });

  it('names the Pods that were not evicted in this pass', () => {
    expect(drainMessage(remainderOf([draining('a'), draining('b')]), startedAt)).toBe(
      `${head}\n* Pods app/a, app/b: failed to evict Pod, it was not evicted in this pass`,
    );
  });

  it('explains a slow drain', () => {
    const pods = [deleting('p3'), draining('p2'), draining('pdb'), waiting('w')];
    const outcomes = {
      p2: failed({ reason: 'InternalError', message: 'err' }),
      pdb: failed({ reason: 'TooManyRequests', message: budget }),
    };
    expect(delaysIn(drainMessage(remainderOf(pods, outcomes), startedAt))).toEqual([
      'PodDisruptionBudgets',
      'Pods not terminating',
      'Pod eviction errors',
      'Pods not completed yet',
    ]);
    expect(delaysIn('')).toEqual([]);
  });
});
