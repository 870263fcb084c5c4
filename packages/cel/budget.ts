// Limits on the work of rules. Work is counted and never timed, so the same rule on the same value always has the same
// cost.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions

import type { WorkMeter } from '@capi-serverless/apimachinery';

export const limits = {
  /** The maximum estimated cost of one rule, multiplied by the maximum number of its values in an object. */
  estimatedRule: 10_000_000,
  /** The maximum estimated cost of all rules of a schema. */
  estimatedSchema: 100_000_000,
  /** The maximum counted cost of one rule on one value. */
  rule: 1_000_000,
  /** The maximum counted cost of all rules on all values of an object. */
  object: 10_000_000,
} as const;

/** The remaining work for the rules of one object. All its evaluations use the same budget. */
export interface RuleBudget {
  /** Subtracts at most the remaining work. Returns false if that is not sufficient. */
  spend(cost: number): boolean;
  /** Charges only the common meter, for work that has no cost in API servers. */
  work(units: number): void;
  remaining(): number;
}

/** The units of a common meter per step of a rule. */
export const unitsPerStep = 32;

/**
 * `meter` is charged for all work, in addition to the limits of rules. `spend` throws WorkLimitError when the meter is
 * exhausted.
 */
export function createBudget(total: number = limits.object, meter?: WorkMeter): RuleBudget {
  let left = total;
  return {
    spend(cost) {
      meter?.charge(cost * unitsPerStep);
      left -= cost;
      return left >= 0;
    },
    work: units => meter?.charge(units),
    remaining: () => Math.max(0, left),
  };
}

/** One rule or all rules together exceeded a limit. The operators `&&` and `||` never ignore this error. */
export class CostLimitError extends Error {
  override readonly name = 'CostLimitError';
  readonly of: 'rule' | 'object';

  constructor(of: 'rule' | 'object') {
    super('operation cancelled: actual cost limit exceeded');
    this.of = of;
  }
}

/** Counts the work of one evaluation. */
export interface RuleMeter {
  /** Throws CostLimitError before work that would exceed a limit. */
  charge(cost: number): void;
  /** Charges units of the common meter for work without a cost. Throws WorkLimitError when it is exhausted. */
  work(units: number): void;
  spent(): number;
}

export function createMeter(budget: RuleBudget, limit: number = limits.rule): RuleMeter {
  let spent = 0;
  return {
    charge(cost) {
      spent += cost;
      if (spent > limit) {
        throw new CostLimitError('rule');
      }
      if (!budget.spend(cost)) {
        throw new CostLimitError('object');
      }
    },
    work: units => budget.work(units),
    spent: () => spent,
  };
}
