import { describe, expect, it } from 'vitest';
import { nextSteps, resolve, type Sized } from '../../../../../local/provider/machines/rollout.ts';

const set = (name: string, replicas: number, available = replicas): Sized => ({ name, replicas, available });
const safe = { desired: 3, maxSurge: 1, maxUnavailable: 0 };

describe('a rolling update', () => {
  it.each([
    { current: set('new', 3), old: [], limits: safe, steps: [], reason: 'all is as wanted' },
    { current: set('new', 1), old: [], limits: safe, steps: ['new 3'], reason: 'nothing else is there' },
    { current: set('new', 5), old: [], limits: safe, steps: ['new 3'], reason: 'there are too many' },
    { current: set('new', 0), old: [set('old', 3)], limits: safe, steps: ['new 1'], reason: 'one more than wanted' },
    {
      current: set('new', 1, 0),
      old: [set('old', 3)],
      limits: safe,
      steps: [],
      reason: 'the new one is not there yet',
    },
    { current: set('new', 1), old: [set('old', 3)], limits: safe, steps: ['old 2'], reason: 'the new one takes over' },
    { current: set('new', 1), old: [set('old', 2)], limits: safe, steps: ['new 2'], reason: 'the next one' },
    { current: set('new', 3), old: [set('old', 1)], limits: safe, steps: ['old 0'], reason: 'the last old one' },
    {
      current: set('new', 0),
      old: [set('old', 3)],
      limits: { ...safe, maxSurge: 0, maxUnavailable: 1 },
      steps: ['old 2'],
      reason: 'one less than wanted, none more',
    },
    {
      current: set('new', 1, 0),
      old: [set('old', 3, 2)],
      limits: safe,
      steps: ['old 2'],
      reason: 'what is not available is given up at once',
    },
    {
      current: set('new', 1),
      old: [set('older', 1), set('old', 2)],
      limits: safe,
      steps: ['older 0'],
      reason: 'the oldest go first',
    },
    {
      current: set('new', 2),
      old: [set('old', 2)],
      limits: { ...safe, desired: 0 },
      steps: ['new 0', 'old 0'],
      reason: 'none are wanted',
    },
  ])('continues: $reason', ({ current, old, limits, steps }) => {
    expect(nextSteps(current, old, limits).map(({ name, replicas }) => `${name} ${replicas}`)).toEqual(steps);
  });
});

describe('a limit', () => {
  it.each([
    { value: 2, total: 10, round: Math.ceil, is: 2, reason: 'a number' },
    { value: '25%', total: 10, round: Math.ceil, is: 3, reason: 'a percentage, rounded up' },
    { value: '25%', total: 10, round: Math.floor, is: 2, reason: 'a percentage, rounded down' },
    { value: undefined, total: 10, round: Math.floor, is: undefined, reason: 'none' },
    { value: 'many', total: 10, round: Math.floor, is: undefined, reason: 'neither of both' },
  ])('is $is: $reason', ({ value, total, round, is }) => {
    expect(resolve(value, total, round)).toBe(is);
  });
});
