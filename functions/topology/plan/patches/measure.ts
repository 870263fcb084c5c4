// The size and the depth of JSON values.
import { beyond, type Measured, type PatchBudget } from './patch-limits.ts';

/** Throws PatchError for values nested deeper than the limit, so that no value causes a stack overflow. */
export function measure(value: unknown, budget: PatchBudget): Measured {
  let deepest = 0;
  const sizeOf = (each: unknown, level: number): number => {
    budget.spend(1);
    if (typeof each === 'string') {
      return each.length + 2;
    }
    if (typeof each !== 'object' || each === null) {
      return String(each).length;
    }
    if (level >= budget.limits.depth) {
      throw beyond(`nested more than ${budget.limits.depth} levels deep`);
    }
    deepest = Math.max(deepest, level + 1);
    let size = 2;
    if (Array.isArray(each)) {
      for (const item of each) {
        size += 1 + sizeOf(item, level + 1);
      }
      return size;
    }
    for (const [key, member] of Object.entries(each)) {
      size += memberSize(key) + sizeOf(member, level + 1);
    }
    return size;
  };
  const size = sizeOf(value, 0);
  return { size, depth: deepest };
}

/** The size that a member adds to its object in addition to its value. */
export function memberSize(key: string): number {
  return key.length + 4;
}

/** The size that an item adds to its list in addition to its value. */
export const itemSize = 1;
