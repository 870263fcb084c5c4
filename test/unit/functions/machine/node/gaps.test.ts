import { describe, expect, it } from 'vitest';
import { gapWithNodeMs, gapWithoutNodeMs } from '../../../../../functions/machine/phases/node/gaps.ts';
import { now } from './node-fixtures.ts';

const waiting = { now, resyncPeriodMs: 24 * 3_600_000 };
const minutes = (count: number) => count * 60_000;

describe('the gap while a Node does not exist', () => {
  it.each([
    { elapsed: 0, ms: 15_000 },
    { elapsed: minutes(10) - 1, ms: 15_000 },
    { elapsed: minutes(10), ms: minutes(1) },
    { elapsed: minutes(60) - 1, ms: minutes(1) },
    { elapsed: minutes(60), ms: minutes(2) },
    { elapsed: minutes(120), ms: minutes(4) },
    { elapsed: minutes(239), ms: minutes(4) },
    { elapsed: minutes(240), ms: minutes(8) },
  ])('is after $ms ms if the phase is $elapsed ms old', ({ elapsed, ms }) => {
    expect(gapWithoutNodeMs(now - elapsed, waiting)).toBe(ms);
  });

  it('is not later than the resync', () => {
    expect(gapWithoutNodeMs(0, { now, resyncPeriodMs: minutes(10) })).toBe(minutes(10));
  });
});

describe('the gap of a Node', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const condition = (type: string, status: 'True' | 'False' | 'Unknown', since: string) => ({
    type,
    status,
    reason: 'r',
    message: '',
    lastTransitionTime: since,
  });
  const types = ['NodeReady', 'NodeHealthy'];

  it.each([
    {
      reason: 'none while both conditions are True',
      conditions: [condition('NodeReady', 'True', at(now))],
      ms: undefined,
    },
    { reason: 'none without conditions', conditions: [], ms: undefined },
    { reason: 'soon after a change', conditions: [condition('NodeReady', 'False', at(now))], ms: 15_000 },
    {
      reason: 'half of the time since the latest change',
      conditions: [
        condition('NodeReady', 'Unknown', at(now - minutes(20))),
        condition('NodeHealthy', 'False', at(now - minutes(10))),
        condition('Ready', 'False', at(now)),
      ],
      ms: minutes(5),
    },
    { reason: 'soon if the time is not readable', conditions: [condition('NodeReady', 'False', 'x')], ms: 15_000 },
    {
      reason: 'not later than the resync',
      conditions: [condition('NodeReady', 'False', at(0))],
      ms: waiting.resyncPeriodMs,
    },
  ])('$reason', ({ conditions, ms }) => {
    expect(gapWithNodeMs(conditions, types, waiting)).toBe(ms);
  });
});
