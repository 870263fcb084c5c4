// Estimated costs of one rule and of all rules together.
import { limits } from './budget.ts';
import type { Problem } from './problem.ts';
import { type Range, unbounded } from './range.ts';

export interface RuleCost {
  readonly path: string;
  readonly cost: number;
  readonly problems: readonly Problem[];
}

const maxRequestBytes = 3 * 1024 * 1024;
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
const namedContributors = 4;

interface Site {
  readonly path: string;
  readonly part: 'rule' | 'messageExpression';
  readonly cardinality: number | undefined;
  /** The minimum JSON size of one value. */
  readonly minBytes: number;
}

/** Returns the estimate for all values in one object, and its problem if it is too high. */
export function costOfRule(cost: Range, { path, part, cardinality, minBytes }: Site): RuleCost {
  const often = cardinality ?? Math.floor(maxRequestBytes / (minBytes + 1));
  const total = Math.min(unbounded, cost.max * often);
  const problems: readonly Problem[] =
    total > limits.estimatedRule
      ? [{ path, type: 'Forbidden', detail: `estimated ${part} cost ${excess(total, limits.estimatedRule)}` }]
      : [];
  return { path, cost: total, problems };
}

/** Returns the problem if all rules of a schema together are too expensive. */
export function costProblems(costs: readonly RuleCost[], path: string): readonly Problem[] {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= limits.estimatedSchema) {
    return [];
  }
  const contributors = costs.toSorted((left, right) => right.cost - left.cost).slice(0, namedContributors);
  const what = 'estimated rule & messageExpression cost total';
  return [
    ...contributors.map((each): Problem => {
      const detail = `contributed to ${what} exceeding cost limit for entire OpenAPIv3 schema`;
      return { path: each.path, type: 'Forbidden', detail };
    }),
    {
      path,
      type: 'Forbidden',
      detail: `x-kubernetes-validations ${what} for entire OpenAPIv3 schema ${excess(total, limits.estimatedSchema)}`,
    },
  ];
}

function excess(cost: number, limit: number): string {
  return `exceeds budget by factor of ${factorOf(cost / limit)} ${advice}`;
}

/** Formats the number with enough digits to differ from one. */
function factorOf(factor: number): string {
  if (factor > 100) {
    return 'more than 100x';
  }
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}
