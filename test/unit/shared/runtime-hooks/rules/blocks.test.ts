import { describe, expect, it } from 'vitest';
import {
  type Blocks,
  blockingHooksAnnotation,
  forget,
  readBlocks,
  recall,
  remember,
  storeBlocks,
  toBlockingMessage,
} from '../../../../../shared/runtime-hooks/rules/blocks.ts';
import { testStart } from '../../../../support/object-builder.ts';

const hook = { name: 'BeforeClusterCreate' };
const other = { name: 'AfterClusterUpgrade' };
const dayMs = 86_400_000;
const none: Blocks = new Map();

function wait(retryAfterSeconds: number, message = 'wait') {
  return { response: { status: 'Success', message, retryAfterSeconds }, now: testStart };
}

function annotated(value: string) {
  return { [blockingHooksAnnotation]: value };
}

describe('the record of a blocking hook', () => {
  const blocks = remember(none, hook, wait(30));

  it('is returned with the remaining wait', () => {
    expect(recall(blocks, hook, testStart + 10_000)).toEqual({
      response: { status: 'Success', message: 'wait', retryAfterSeconds: 20 },
      remainingMs: 20_000,
    });
  });

  it.each([
    { leftMs: 30_000, seconds: 30, reason: 'all of it' },
    { leftMs: 1500, seconds: 2, reason: 'rounded up' },
    { leftMs: 1499, seconds: 1, reason: 'rounded down' },
    { leftMs: 200, seconds: 1, reason: 'at least one' },
    { leftMs: 1, seconds: 1, reason: 'at least one' },
    { leftMs: 0, seconds: undefined, reason: 'over' },
    { leftMs: -1, seconds: undefined, reason: 'long over' },
  ])('asks for $seconds s with $leftMs ms left ($reason)', ({ leftMs, seconds }) => {
    expect(recall(blocks, hook, testStart + 30_000 - leftMs)?.response.retryAfterSeconds).toBe(seconds);
  });

  it('belongs to one hook', () => {
    expect(recall(blocks, other, testStart)).toBeUndefined();
  });

  it('is replaced by the next response, and removed by one that does not block', () => {
    expect(recall(remember(blocks, hook, wait(5, 'soon')), hook, testStart)?.response.message).toBe('soon');
    expect(remember(blocks, hook, wait(0)).size).toBe(0);
    expect(forget(remember(blocks, other, wait(1)), hook).size).toBe(1);
  });

  it('lasts a day at most, even if the extension requests more', () => {
    const long = remember(none, hook, wait(2_147_483_647));
    expect(recall(long, hook, testStart)?.remainingMs).toBe(dayMs);
    expect(recall(long, hook, testStart + dayMs)).toBeUndefined();
  });

  it('is ignored beyond that, even if it is forged', () => {
    const forged = readBlocks(annotated('{"BeforeClusterCreate":{"until":"2999-01-01T00:00:00.000Z","message":""}}'));
    expect(recall(forged, hook, testStart)).toBeUndefined();
  });

  it('is stored in one annotation and read again, always in the same order', () => {
    const both = remember(remember(none, hook, wait(30)), other, wait(60, 'ü "x"'));
    const turned = remember(remember(none, other, wait(60, 'ü "x"')), hook, wait(30));
    const change = storeBlocks({}, both);
    expect(change).toEqual(
      annotated(
        '{"AfterClusterUpgrade":{"until":"2026-01-01T00:01:00.000Z","message":"ü \\"x\\""},"BeforeClusterCreate":{"until":"2026-01-01T00:00:30.000Z","message":"wait"}}',
      ),
    );
    expect(storeBlocks({}, turned)).toEqual(change);
    expect(readBlocks(annotated(String(change[blockingHooksAnnotation])))).toEqual(
      new Map([...both].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    );
  });

  it('causes no write while it does not change', () => {
    const change = storeBlocks({}, blocks);
    expect(storeBlocks(annotated(String(change[blockingHooksAnnotation])), blocks)).toEqual({});
    expect(storeBlocks({}, none)).toEqual({});
  });

  it('removes the annotation with the last hook', () => {
    const stored = annotated(String(storeBlocks({}, blocks)[blockingHooksAnnotation]));
    expect(storeBlocks(stored, none)).toEqual({ [blockingHooksAnnotation]: null });
  });

  it.each([
    '',
    'nonsense',
    '[]',
    '{"BeforeClusterCreate":5}',
    '{"BeforeClusterCreate":{"until":"soon","message":""}}',
    '{"BeforeClusterCreate":{"until":"2026-01-01T00:00:30.000Z"}}',
  ])('is empty if the annotation holds %s', value => {
    expect(readBlocks(annotated(value)).size).toBe(0);
    expect(storeBlocks(annotated(value), none)).toEqual({});
  });
});

describe('the message about blocking hooks', () => {
  const said = (retryAfterSeconds: number, message: string) => ({ status: 'Success', message, retryAfterSeconds });

  it('names them in the order of their names, with their messages', () => {
    const responses = new Map([
      ['B', said(1, 'b')],
      ['C', said(0, 'does not block')],
      ['A', said(2, '')],
    ]);
    expect(toBlockingMessage('upgrade', responses)).toBe('Following hooks are blocking upgrade: A; B: b');
  });

  it('is empty when none blocks', () => {
    expect(toBlockingMessage('upgrade', new Map([['A', said(0, 'a')]]))).toBe('');
  });
});
