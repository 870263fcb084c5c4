import { describe, expect, it } from 'vitest';
import { chooseInvocations } from '../../../simulation/kills/sample.ts';

const queues = Array.from({ length: 100 }, (_, number) => (number % 10 === 3 ? 'rare' : 'usual'));

const chosenOf = (queue: string, chosen: readonly number[]): readonly number[] =>
  chosen.filter(number => queues[number] === queue);

describe('a sample of invocations', () => {
  it('holds all of them with a step of one', () => {
    expect(chooseInvocations('create', queues, 1)).toEqual([...queues.keys()]);
  });

  it('holds that share of the invocations of each queue', () => {
    const chosen = chooseInvocations('create', queues, 5);
    expect([chosenOf('usual', chosen), chosenOf('rare', chosen)]).toEqual([
      expect.objectContaining({ length: 18 }),
      expect.objectContaining({ length: 2 }),
    ]);
  });

  it('holds one of each queue, even with a step beyond their number', () => {
    const chosen = chooseInvocations('create', queues, 1_000);
    expect(chosen.map(number => queues[number]).toSorted()).toEqual(['rare', 'usual']);
  });

  it('is the same each time, and another for another workload', () => {
    const chosen = chooseInvocations('create', queues, 20);
    expect(chooseInvocations('create', queues, 20)).toEqual(chosen);
    expect(chooseInvocations('delete', queues, 20)).not.toEqual(chosen);
  });

  it('is empty without invocations', () => {
    expect(chooseInvocations('create', [], 5)).toEqual([]);
  });
});
