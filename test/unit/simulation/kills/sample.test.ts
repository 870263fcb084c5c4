import { describe, expect, it } from 'vitest';
import { chooseInvocations } from '../../../simulation/kills/sample.ts';

const queues = Array.from({ length: 100 }, (_, number) => (number % 10 === 3 ? 'rare' : 'usual'));

const chosenOf = (queue: string, chosen: readonly number[]): readonly number[] =>
  chosen.filter(number => queues[number] === queue);

const chosenWith = (workload: string, of: readonly string[], step: number, seed = 0): readonly number[] =>
  chooseInvocations(workload, of, { step, seed });

describe('a sample of invocations', () => {
  it('holds all of them with a step of one', () => {
    expect(chosenWith('create', queues, 1)).toEqual([...queues.keys()]);
  });

  it('holds that share of the invocations of each queue', () => {
    const chosen = chosenWith('create', queues, 5);
    expect([chosenOf('usual', chosen), chosenOf('rare', chosen)]).toEqual([
      expect.objectContaining({ length: 18 }),
      expect.objectContaining({ length: 2 }),
    ]);
  });

  it('holds one of each queue, even with a step beyond their number', () => {
    const chosen = chosenWith('create', queues, 1_000);
    expect(chosen.map(number => queues[number]).toSorted()).toEqual(['rare', 'usual']);
  });

  it('is the same each time, and another for another workload', () => {
    const chosen = chosenWith('create', queues, 20);
    expect(chosenWith('create', queues, 20)).toEqual(chosen);
    expect(chosenWith('delete', queues, 20)).not.toEqual(chosen);
  });

  it('is another one for each seed, and all of them together for consecutive seeds', () => {
    const samples = [7, 8, 9].map(seed => chosenWith('create', queues, 3, seed));
    expect(samples.flat().toSorted((a, b) => a - b)).toEqual([...queues.keys()]);
  });

  it('is empty without invocations', () => {
    expect(chosenWith('create', [], 5)).toEqual([]);
  });
});
