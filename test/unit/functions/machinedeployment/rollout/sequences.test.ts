// Plays the recorded sequences of rollouts with the planner. Every number and every Machine must be as recorded.
import { describe, expect, it } from 'vitest';
import { inPlaceSequences } from './in-place-sequences.ts';
import { onDeleteSequences } from './on-delete-sequences.ts';
import { rollingSequences } from './rolling-sequences.ts';
import { rolloutOrders } from './rollout-orders.ts';
import type { RolloutSequence } from './sequence.ts';
import { RolloutStand } from './stand.ts';

const sequences = [...rollingSequences, ...inPlaceSequences, ...onDeleteSequences];
const mostRows = 30;

function play(sequence: RolloutSequence, options: { readonly keepsAnnotations?: boolean } = {}) {
  const stand = new RolloutStand(sequence, options);
  const rows: string[] = [];
  do {
    rows.push(stand.playRow());
  } while (!stand.isSettled() && rows.length < mostRows);
  return { rows, end: stand.endText() };
}

describe('a rollout', () => {
  it.each(sequences)('$name takes the recorded steps: $about', sequence => {
    expect(play(sequence)).toEqual({ rows: sequence.rows, end: sequence.end });
  });

  /** From this row on, the recorded sequence differs. */
  const earlier: Readonly<Record<string, { readonly row: number; readonly instead: string }>> = {
    I2: { row: 8, instead: 'ms1 −m3' },
    I6: { row: 17, instead: 'ms1 −m6' },
    I9: { row: 4, instead: 'ms1 −m11,m12' },
  };

  it.each(inPlaceSequences)('$name reaches the same end if unwritten annotations disappear', sequence => {
    const { rows, end } = play(sequence, { keepsAnnotations: false });
    const { row = sequence.rows.length, instead } = earlier[sequence.name] ?? {};
    expect(end).toBe(sequence.end);
    expect(rows.slice(0, row - 1)).toEqual(sequence.rows.slice(0, row - 1));
    expect(rows.length).toBe(instead === undefined ? sequence.rows.length : row + 1);
    expect(rows[row - 1]?.split(' | ').at(-1)).toBe(instead ?? sequence.rows[row - 1]?.split(' | ').at(-1));
  });
});

describe('a rollout with its controllers in another order', () => {
  it.each(rolloutOrders)('$name takes the recorded steps', ({ name, steps, end }) => {
    const sequence = sequences.find(each => each.name === name);
    const stand = new RolloutStand(sequence as RolloutSequence); // true: each order belongs to a sequence
    const recorded = steps.flatMap(line => line.split(' · '));
    const taken = recorded.map(step => {
      const controller = step.replace(/\(.*/, '');
      const effects = controller === 'md' ? deploymentEffects(stand) : stand.reconcileSet(controller);
      return effects.length === 0 ? controller : `${controller}(${effects.join('; ')})`;
    });
    expect(taken).toEqual(recorded);
    expect(stand.endText({ withDeployment: false })).toBe(end);
  });
});

function deploymentEffects(stand: RolloutStand): readonly string[] {
  const { scaled, breaches } = stand.reconcile();
  const changes = [...scaled].map(([set, { from, to, isNew }]) => {
    const numbers = from === to ? '' : ` ${from}→${to}`;
    return `${isNew ? 'new ' : ''}${set}${numbers}`;
  });
  return [...changes, ...breaches];
}
