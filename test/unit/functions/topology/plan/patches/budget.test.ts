// The limits of patches. Each count fails only beyond its limit.
import { describe, expect, it } from 'vitest';
import {
  countOperations,
  defaultPatchLimits,
  PatchBudget,
} from '../../../../../../functions/topology/plan/patches/patch-limits.ts';

const withLimits = (limits: Partial<typeof defaultPatchLimits>) =>
  new PatchBudget({ ...defaultPatchLimits, ...limits });

describe('the budget of all templates', () => {
  it.each([
    {
      count: 'operations',
      budget: () => withLimits({ operations: 5 }),
      use: (budget: PatchBudget, amount: number) => budget.countOperations(amount),
      error: 'limit exceeded: more than 5 operations on all templates',
    },
    {
      count: 'made',
      budget: () => withLimits({ made: 5 }),
      use: (budget: PatchBudget, amount: number) => budget.make(amount),
      error: 'limit exceeded: patches make more than 5 characters for all templates',
    },
    {
      count: 'work',
      budget: () => withLimits({ work: 5 }),
      use: (budget: PatchBudget, amount: number) => budget.spend(amount),
      error: 'limit exceeded: patches need more than 5 steps for all templates',
    },
  ])('adds up and ends beyond its limit: $count', ({ budget, use, error }) => {
    const left = budget();
    use(left, 3);
    use(left, 2);
    expect(() => use(left, 1)).toThrow(error);
  });
});

describe('operations on one template', () => {
  it('add up and end beyond their limit', () => {
    const budget = withLimits({ operationsPerTemplate: 5 });
    const item = { operations: 0 };
    countOperations(item, 5, budget);
    expect(item.operations).toBe(5);
    expect(() => countOperations(item, 1, budget)).toThrow('limit exceeded: more than 5 operations on one template');
  });

  it('count for all templates, too', () => {
    const budget = withLimits({ operations: 5 });
    countOperations({ operations: 0 }, 3, budget);
    expect(() => countOperations({ operations: 0 }, 3, budget)).toThrow('more than 5 operations on all templates');
  });
});
