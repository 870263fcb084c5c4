import { describe, expect, it } from 'vitest';
import { annotationHold } from '../../../../../../functions/topology/plan/upgrade/control-plane-version.ts';
import {
  isBlocking,
  isMarked,
  readHookState,
  toBookkeeping,
  withAnswer,
  withMarks,
  withoutMarks,
  withStart,
} from '../../../../../../functions/topology/plan/upgrade/hook-state.ts';
import { upgradeConcurrency } from '../../../../../../functions/topology/plan/upgrade/topology-versions.ts';
import { blockingResponse, goOn, marked, pendingHooks, upgradeStep } from '../../../../../support/topology-upgrade.ts';

const a = { name: 'A' };
const b = { name: 'B' };

describe('the book of hooks', () => {
  it('records no hook call when nothing happened', () => {
    expect(toBookkeeping(readHookState({ ...marked('A'), other: 'x' }), 'whole')).toEqual({});
  });

  it('adds and removes marks in one value, and keeps those of others', () => {
    const hookState = withoutMarks(withMarks(readHookState(marked('A', 'Z')), b), a);
    expect(toBookkeeping(hookState, 'whole')).toEqual({ [pendingHooks]: 'B,Z' });
    expect([isMarked(hookState, a), isMarked(hookState, b)]).toEqual([false, true]);
  });

  it('takes the annotation off with the last mark', () => {
    expect(toBookkeeping(withoutMarks(readHookState(marked('A')), a, b), 'whole')).toEqual({ [pendingHooks]: null });
  });

  it('writes the marks of a step, and the step, only if the pass continues to start it', () => {
    const hookState = withStart(withMarks(readHookState({}), a), 'v1.31.0', [b]);
    expect(isMarked(hookState, b)).toBe(true);
    expect(toBookkeeping(hookState, 'whole')).toEqual({ [pendingHooks]: 'A,B', [upgradeStep]: 'v1.31.0' });
    expect(toBookkeeping(hookState, 'withoutStart')).toEqual({ [pendingHooks]: 'A' });
  });

  it('does not write a step that is stored already', () => {
    const hookState = withStart(readHookState({ ...marked('B'), [upgradeStep]: 'v1.31.0' }), 'v1.31.0', [b]);
    expect(toBookkeeping(hookState, 'whole')).toEqual({});
  });

  it('keeps how long hooks block', () => {
    const blocks = new Map([['A', { until: Date.parse('2026-01-01T00:00:30Z'), message: 'wait' }]]);
    expect(toBookkeeping({ ...readHookState({}), blocks }, 'withoutStart')).toEqual({
      'capi-serverless.dev/blocking-hooks': '{"A":{"until":"2026-01-01T00:00:30.000Z","message":"wait"}}',
    });
  });

  it('records which hooks block, and which one must be called again first', () => {
    const answered = (hookState = readHookState({})) =>
      withAnswer(withAnswer(hookState, a, { response: blockingResponse('x', 30), waitMs: 29_600 }), b, {
        response: goOn,
        waitMs: 0,
      });
    const hookState = answered();
    expect([isBlocking(hookState, a), isBlocking(hookState, b), isBlocking(hookState, { name: 'C' })]).toEqual([
      true,
      false,
      false,
    ]);
    expect(hookState.waitsMs.get('A')).toBe(29_600);
  });
});

describe('annotations that block an upgrade', () => {
  const prefix = 'before-upgrade.hook.cluster.cluster.x-k8s.io';

  it.each([
    { reason: 'none', keys: ['x/before-upgrade.hook.cluster.cluster.x-k8s.io'], message: undefined },
    { reason: 'one', keys: [`${prefix}/test`], message: `annotation ${prefix}/test is set` },
    {
      reason: 'several, sorted',
      keys: [`${prefix}/b`, 'other', `${prefix}/a`],
      message: `annotations ${prefix}/a, ${prefix}/b are set`,
    },
  ])('$reason', ({ keys, message }) => {
    const hold = annotationHold(Object.fromEntries(keys.map(key => [key, ''])));
    expect(hold).toEqual(message === undefined ? undefined : { status: 'Success', message, retryAfterSeconds: 1200 });
  });
});

describe('how many workers upgrade at once', () => {
  it.each([
    { text: undefined, count: 1 },
    { text: '3', count: 3 },
    { text: '+2', count: 2 },
    { text: '0', count: 1 },
    { text: '-4', count: 1 },
    { text: '1.5', count: 1 },
    { text: 'many', count: 1 },
    { text: '', count: 1 },
  ])('$text means $count', ({ text, count }) => {
    const key = 'topology.cluster.x-k8s.io/upgrade-concurrency';
    expect(upgradeConcurrency(text === undefined ? {} : { [key]: text })).toBe(count);
  });
});
