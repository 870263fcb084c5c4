import { describe, expect, it } from 'vitest';
import { noOutcomes } from '../../../../packages/reconciler/outcomes.ts';
import {
  applied,
  changesAfter,
  concluded,
  inOrder,
  noProgress,
  onlyIf,
  type PassChange,
  reportResult,
  resultOf,
} from '../../../../packages/reconciler/phases.ts';
import type { Action, Outcomes } from '../../../../packages/reconciler/types.ts';

interface Painted extends PassChange {
  readonly colour?: string;
}

const write = (id: string): Action => ({
  id,
  onError: 'continue',
  do: 'run',
  label: id,
  run: async () => undefined,
});
const failed = (...ids: readonly string[]): Outcomes =>
  new Map(ids.map(id => [id, { state: 'failed', failure: { reason: 'Forbidden', message: `no ${id}` } }]));

describe('phases in order', () => {
  it('perform all writes in order, and conclude in the same order', () => {
    const one = { actions: [write('a'), write('b')], steps: [{ change: { colour: 'red' } }] };
    const other = { actions: [write('c')], steps: [{ change: { colour: 'blue' } }] };
    const whole = inOrder<Painted>([one, concluded<Painted>({ errors: ['e'] }, { again: true }), other]);
    expect(whole.actions.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(changesAfter(whole.steps, noOutcomes)).toEqual([
      { colour: 'red' },
      { errors: ['e'] },
      { again: true },
      { colour: 'blue' },
    ]);
  });

  it('have a phase that concludes nothing', () => {
    expect(inOrder([concluded(), concluded()])).toEqual({ actions: [], steps: [] });
  });
});

describe('the change of a step', () => {
  const needs = [
    { id: 'a', problem: 'painting' },
    { id: 'b', problem: undefined },
  ];
  const otherwise: Painted = { colour: 'grey' };

  it.each<{ outcomes: Outcomes; changes: readonly Painted[]; reason: string }>([
    { outcomes: noOutcomes, changes: [{ colour: 'red' }], reason: 'a write without an outcome counts as successful' },
    { outcomes: failed('c'), changes: [{ colour: 'red' }], reason: 'a write that it does not need has no effect' },
    { outcomes: failed('a'), changes: [{ errors: ['painting: no a'] }, otherwise], reason: 'the failure is an error' },
    { outcomes: failed('b'), changes: [{ errors: [] }, otherwise], reason: 'another step reports the failure' },
  ])('$reason', ({ outcomes, changes }) => {
    expect(changesAfter<Painted>([{ change: { colour: 'red' }, needs, otherwise }], outcomes)).toEqual(changes);
  });

  it('is only the errors of failed writes if nothing else is said', () => {
    expect(changesAfter<Painted>([{ change: { colour: 'red' }, needs }], failed('a'))).toEqual([
      { errors: ['painting: no a'] },
    ]);
  });

  it('may depend on outcomes', () => {
    const change = (outcomes: Outcomes): Painted => ({ colour: outcomes.has('c') ? 'grey' : 'red' });
    expect(changesAfter([{ change }], failed('c'))).toEqual([{ colour: 'grey' }]);
    expect(changesAfter([{ change }], noOutcomes)).toEqual([{ colour: 'red' }]);
  });
});

describe('a phase that depends on earlier outcomes', () => {
  const isAllowed = (outcomes: Outcomes) => !outcomes.has('a');
  const own = (outcomes: Outcomes) => !outcomes.has('b');
  const whole = onlyIf<Painted>(isAllowed, {
    actions: [write('c'), { ...write('d'), when: own }],
    steps: [{ change: { colour: 'red' } }, { change: { colour: 'blue' }, when: own }],
  });

  it.each([
    { outcomes: noOutcomes, sent: ['c', 'd'], colours: ['red', 'blue'], reason: 'it is allowed' },
    { outcomes: failed('b'), sent: ['c'], colours: ['red'], reason: 'its own conditions hold as well' },
    { outcomes: failed('a'), sent: [], colours: [], reason: 'it is not allowed' },
  ])('writes $sent and concludes $colours: $reason', ({ outcomes, sent, colours }) => {
    expect(whole.actions.filter(({ when }) => when?.(outcomes) !== false).map(({ id }) => id)).toEqual(sent);
    expect(changesAfter(whole.steps, outcomes)).toEqual(colours.map(colour => ({ colour })));
  });
});

describe('the progress of a pass', () => {
  const event = { type: 'Normal', reason: 'Painted', message: 'm' } as const;

  it('collects errors, requeues and events in order', () => {
    const first = applied(noProgress, { errors: ['a'], requeues: [3], events: [event] });
    const second = applied(first, { errors: ['b'], requeues: [2], events: [{ ...event, message: 'n' }] });
    expect(second).toEqual({
      errors: ['a', 'b'],
      requeues: [3, 2],
      events: [event, { ...event, message: 'n' }],
      again: false,
    });
  });

  it('has the last value of other fields', () => {
    const start = { ...noProgress, colour: 'grey', size: 1 };
    expect(applied(applied(start, { colour: 'red' }), { colour: 'blue' })).toEqual({ ...start, colour: 'blue' });
  });

  it('keeps the request for another pass', () => {
    expect(applied(applied(noProgress, { again: true }), {}).again).toBe(true);
    expect(applied(noProgress, {})).toEqual(noProgress);
  });

  it.each([
    { progress: {}, result: { kind: 'done' }, reason: 'nothing is requested' },
    { progress: { requeues: [9, 4, 7] }, result: { kind: 'requeueAfter', ms: 4 }, reason: 'the shortest requeue' },
    { progress: { requeues: [9], again: true }, result: { kind: 'again' }, reason: 'another pass is sooner' },
    {
      progress: { errors: ['a', 'b', 'a'], requeues: [9], again: true },
      result: { kind: 'failed', error: new Error('[a, b]'), terminal: false },
      reason: 'errors have precedence, without duplicates',
    },
  ])('leads to $result.kind: $reason', ({ progress, result }) => {
    expect(resultOf({ ...noProgress, ...progress })).toEqual(result);
  });
});

it('a reconciler without status reports its result only', () => {
  const steps = [{ change: { requeues: [5] }, needs: [{ id: 'a', problem: 'painting' }] }];
  expect(reportResult({ actions: [], steps }, noOutcomes)).toEqual({
    events: [],
    result: { kind: 'requeueAfter', ms: 5 },
  });
  expect(reportResult({ actions: [], steps }, failed('a')).result).toMatchObject({
    error: new Error('painting: no a'),
  });
});
