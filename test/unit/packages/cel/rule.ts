// Evaluates one rule on one value, for tables.
import {
  compileRules,
  createBudget,
  evaluateRules,
  type RuleBudget,
  type RuleProblem,
  type StructuralSchema,
  type ValidationRule,
} from '../../../../packages/cel/index.ts';

/** Returns the schema with the rules. */
export function ruled(schema: StructuralSchema, ...rules: readonly (string | ValidationRule)[]): StructuralSchema {
  return {
    ...schema,
    'x-kubernetes-validations': rules.map(rule => (typeof rule === 'string' ? { rule } : rule)),
  };
}

/** Returns the problems of a schema's rules, one line each. */
export function definitionProblems(schema: StructuralSchema): readonly string[] {
  return compileRules(schema, { path: 'schema' }).problems.map(
    ({ path, type, detail }) => `${path}: ${type}: ${detail}`,
  );
}

interface Change {
  readonly value: unknown;
  readonly oldValue?: unknown;
  readonly ratchet?: boolean;
}

/** Returns the rules that a value breaks. Throws if the rules are invalid. */
export function broken(
  schema: StructuralSchema,
  change: Change,
  budget: RuleBudget = createBudget(),
): readonly RuleProblem[] {
  const { rules, problems } = compileRules(schema, { path: 'schema' });
  if (problems.length > 0) {
    throw new Error(problems.map(({ detail }) => detail).join('; '));
  }
  return evaluateRules(rules, { ...change, path: 'v', budget });
}

/** Returns the details of the rules that a value breaks. */
export function details(schema: StructuralSchema, value: unknown): readonly string[] {
  return broken(schema, { value }).map(({ detail }) => detail);
}
