// Validation rules of Kubernetes schemas (`x-kubernetes-validations`). Pure.

// The compiler for the rules of a schema.

export { type Compilation, type CompiledRules, type CompileOptions, compileRules } from './compile-rules.ts';
export type { StructuralSchema, ValidationRule } from './schema.ts';

// The evaluation of rules on a value, within a budget.

export { createBudget, limits, type RuleBudget } from './budget.ts';
export { type Evaluation, evaluateRules, type RuleProblem } from './evaluate-rules.ts';

// Problems of rules and values.

export type { Problem, ProblemType, Reason } from './problem.ts';
