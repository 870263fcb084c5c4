import { describe, expect, test } from 'vitest';
import type { ConditionStatus } from '../../../../../packages/cluster-api/conditions/condition.ts';
import {
  defaultPriorityOf,
  mergeState,
  ownerOf,
  type Polarity,
} from '../../../../../packages/cluster-api/conditions/merge-state.ts';
import { aCondition, anObject, t0, t1 } from './builders.ts';

describe('the owner of a condition', () => {
  const meta = anObject().metadata;
  const label = { 'cluster.x-k8s.io/control-plane': '' };
  test.each([
    { kind: 'Machine', labels: label, isControlPlaneMachine: true, reason: 'labelled, with any value' },
    { kind: 'Machine', labels: {}, isControlPlaneMachine: false, reason: 'not labelled' },
    { kind: 'Machine', labels: undefined, isControlPlaneMachine: false, reason: 'no labels at all' },
    { kind: 'MachineSet', labels: label, isControlPlaneMachine: false, reason: 'labelled, but no Machine' },
  ])('$kind $reason: control plane machine $isControlPlaneMachine', ({ kind, labels, isControlPlaneMachine }) => {
    const metadata = labels === undefined ? meta : { ...meta, labels };
    expect(ownerOf(anObject({ kind, metadata }))).toEqual({ kind, name: 'i1', isControlPlaneMachine });
  });

  test('an item of a typed list takes the kind of the list', () => {
    const item = anObject({ kind: '', metadata: { ...meta, labels: label } });
    expect(ownerOf(item, 'Machine')).toEqual({ kind: 'Machine', name: 'i1', isControlPlaneMachine: true });
    expect(ownerOf(item).kind).toBe('');
  });
});

describe('the default priority', () => {
  const elsewhere = 'Odd' as ConditionStatus; // a provider can report a status that the type excludes
  test.each([
    { type: 'Good', status: 'True', priority: 'Info' },
    { type: 'Good', status: 'False', priority: 'Issue' },
    { type: 'Good', status: 'Unknown', priority: 'Unknown' },
    { type: 'Good', status: elsewhere, priority: 'Unknown' },
    { type: 'Bad', status: 'True', priority: 'Issue' },
    { type: 'Bad', status: 'False', priority: 'Info' },
    { type: 'Bad', status: 'Unknown', priority: 'Unknown' },
  ] as const)('of $type $status is $priority (Bad has negative polarity)', ({ type, status, priority }) => {
    expect(defaultPriorityOf(['Bad'])(aCondition({ type, status }))).toBe(priority);
  });

  test('treats types as positive by default', () => {
    expect(defaultPriorityOf()(aCondition({ type: 'Bad', status: 'False' }))).toBe('Issue');
  });
});

describe('status and reason of merged conditions', () => {
  const owner = { kind: 'Machine', name: 'm1', isControlPlaneMachine: false };
  const merge = (statuses: readonly ConditionStatus[], targetPolarity: Polarity) =>
    mergeState(
      statuses.map(status => ({ owner, condition: aCondition({ type: 'Ready', status }) })),
      { order: ['Ready'], priorityOf: defaultPriorityOf(), targetPolarity },
    );

  test.each([
    { statuses: ['True', 'Unknown', 'False'], positive: 'False', negative: 'True', reason: 'IssuesReported' },
    { statuses: ['True', 'Unknown'], positive: 'Unknown', negative: 'Unknown', reason: 'UnknownReported' },
    { statuses: ['True', 'True'], positive: 'True', negative: 'False', reason: 'InfoReported' },
  ] as const)('$statuses → $reason', ({ statuses, positive, negative, reason }) => {
    expect(merge(statuses, 'positive')).toMatchObject({ ok: true, value: { status: positive, reason } });
    expect(merge(statuses, 'negative')).toMatchObject({ ok: true, value: { status: negative, reason } });
  });

  test('nothing cannot be merged', () => {
    expect(merge([], 'positive')).toEqual({ ok: false, error: "can't merge an empty list of conditions" });
  });

  test('orders by the last position of the type, then oldest first, then as given', () => {
    const given = [
      { type: 'B', lastTransitionTime: t1, message: '1' },
      { type: 'B', lastTransitionTime: t0, message: '2' },
      { type: 'B', lastTransitionTime: t0, message: '3' },
      { type: 'A', lastTransitionTime: t1, message: '4' },
      { type: 'A', lastTransitionTime: '', message: '5' },
    ];
    const merged = mergeState(
      given.map(fields => ({ owner, condition: aCondition(fields) })),
      { order: ['A', 'B', 'A'], priorityOf: () => 'Info', targetPolarity: 'positive' },
    );
    expect(merged.ok && merged.value.ranked.map(({ condition }) => condition.message)).toEqual([
      '2',
      '3',
      '1',
      '5',
      '4',
    ]);
  });
});
