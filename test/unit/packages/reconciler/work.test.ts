// The limits of work by the memory of a function, as in docs/decisions/0073-budget-by-memory.md.

import { describe, expect, it } from 'vitest';
import { declarations } from '../../../../functions/declarations.ts';
import { defaultMemoryMiB, deployedFunctions } from '../../../../infra/function-plans.ts';
import { workOfPass, workOfReconcile, workOfShare, workShareOf } from '../../../../packages/reconciler/work.ts';
import { batchSizeOf } from '../../../../shared/workqueue/queue-specs.ts';

/** Lambda: a function with this memory has one core. */
const memoryOfCoreMiB = 1769;
/** The dearest mixture of work that was measured. */
const nanosecondsPerUnit = 15;
const longestStallSeconds = 20;

const unitsOf = (memoryMiB: number | undefined) => {
  const share = workShareOf(memoryMiB);
  return { pass: workOfShare(workOfPass, share).units, reconcile: workOfShare(workOfReconcile, share).units };
};

describe('the limits of work', () => {
  it.each([
    { memoryMiB: undefined, pass: 250_000_000, reconcile: 300_000_000, reason: 'no function' },
    { memoryMiB: 1769, pass: 250_000_000, reconcile: 300_000_000, reason: 'more memory gives no more work' },
    { memoryMiB: 512, pass: 250_000_000, reconcile: 300_000_000, reason: 'the memory of all reconcilers' },
    { memoryMiB: 256, pass: 125_000_000, reconcile: 150_000_000, reason: 'half of it' },
    { memoryMiB: 128, pass: 62_500_000, reconcile: 75_000_000, reason: 'the least memory of a function' },
  ])('are $pass and $reconcile units with $memoryMiB MiB: $reason', ({ memoryMiB, pass, reconcile }) => {
    expect(unitsOf(memoryMiB)).toEqual({ pass, reconcile });
  });

  it('are whole numbers', () => {
    expect(workOfShare({ ...workOfPass, units: 10 }, 1 / 3).units).toBe(3);
  });

  it('take less than 20 s of the processor of each function that has them', () => {
    const memories = deployedFunctions.map(({ memoryMiB = defaultMemoryMiB }) => memoryMiB);
    expect(memories.length).toBeGreaterThan(declarations.length);
    for (const memoryMiB of [...memories, 128, 256]) {
      const cores = memoryMiB / memoryOfCoreMiB;
      const seconds = (unitsOf(memoryMiB).reconcile * nanosecondsPerUnit) / 1e9 / cores;
      expect(seconds).toBeLessThan(longestStallSeconds);
    }
    expect(declarations.filter(declaration => batchSizeOf(declaration) === 1).length).toBeGreaterThan(3);
  });
});
