import { describe, expect, it } from 'vitest';
import { annotationHold } from '../../../../../shared/topology/upgrade/annotation-hold.ts';
import { upgradeConcurrency } from '../../../../../shared/topology/upgrade/concurrency.ts';
import {
  isBlocking,
  isMarked,
  openBook,
  retryAfterSeconds,
  toBookkeeping,
  withAnswer,
  withMarks,
  withoutMarks,
  withStart,
} from '../../../../../shared/topology/upgrade/hook-book.ts';
import { blockingResponse, goOn, marked, pendingHooks, upgradeStep } from '../../../../support/topology-upgrade.ts';

const a = { name: 'A' };
const b = { name: 'B' };

describe('the book of hooks', () => {
  it('owes nothing when nothing happened', () => {
    expect(toBookkeeping(openBook({ ...marked('A'), other: 'x' }), 'whole')).toEqual({});
  });

  it('adds and removes marks in one value, and keeps those of others', () => {
    const book = withoutMarks(withMarks(openBook(marked('A', 'Z')), b), a);
    expect(toBookkeeping(book, 'whole')).toEqual({ [pendingHooks]: 'B,Z' });
    expect([isMarked(book, a), isMarked(book, b)]).toEqual([false, true]);
  });

  it('takes the annotation off with the last mark', () => {
    expect(toBookkeeping(withoutMarks(openBook(marked('A')), a, b), 'whole')).toEqual({ [pendingHooks]: null });
  });

  it('writes the marks of a step, and the step, only if the pass goes on to start it', () => {
    const book = withStart(withMarks(openBook({}), a), 'v1.31.0', [b]);
    expect(isMarked(book, b)).toBe(true);
    expect(toBookkeeping(book, 'whole')).toEqual({ [pendingHooks]: 'A,B', [upgradeStep]: 'v1.31.0' });
    expect(toBookkeeping(book, 'withoutStart')).toEqual({ [pendingHooks]: 'A' });
  });

  it('does not write a step that is told already', () => {
    const book = withStart(openBook({ ...marked('B'), [upgradeStep]: 'v1.31.0' }), 'v1.31.0', [b]);
    expect(toBookkeeping(book, 'whole')).toEqual({});
  });

  it('keeps how long hooks want to be left alone', () => {
    const blocks = new Map([['A', { until: Date.parse('2026-01-01T00:00:30Z'), message: 'wait' }]]);
    expect(toBookkeeping({ ...openBook({}), blocks }, 'withoutStart')).toEqual({
      'capi-serverless.dev/blocking-hooks': '{"A":{"until":"2026-01-01T00:00:30.000Z","message":"wait"}}',
    });
  });

  it('knows who blocks, and who wants to be called again first', () => {
    const answered = (book = openBook({})) =>
      withAnswer(withAnswer(book, a, { response: blockingResponse('x', 30), waitMs: 29_600 }), b, {
        response: goOn,
        waitMs: 0,
      });
    const book = answered();
    expect([isBlocking(book, a), isBlocking(book, b), isBlocking(book, { name: 'C' })]).toEqual([true, false, false]);
    expect(book.waitsMs.get('A')).toBe(29_600);
    expect(retryAfterSeconds(book)).toBe(30);
    expect(retryAfterSeconds(withAnswer(book, b, { response: blockingResponse('', 5), waitMs: 5000 }))).toBe(5);
    expect(retryAfterSeconds(openBook({}))).toBeUndefined();
  });
});

describe('annotations that hold up an upgrade', () => {
  const prefix = 'before-upgrade.hook.cluster.cluster.x-k8s.io';

  it.each([
    { reason: 'none', keys: ['x/before-upgrade.hook.cluster.cluster.x-k8s.io'], message: undefined },
    { reason: '63 one', keys: [`${prefix}/test`], message: `annotation ${prefix}/test is set` },
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
