// Validation rules of Kubernetes schemas (`x-kubernetes-validations`), and the regular expressions of their `pattern`s.
export { type Budget, createBudget, limits } from './budget.ts';
export { type Compilation, type CompiledRules, type CompileOptions, compileRules } from './compile-rules.ts';
export { type Evaluation, evaluateRules, type RuleProblem } from './evaluate-rules.ts';
export { type CompiledPattern, compilePattern, type Pattern, patternLimits, type Verdict } from './pattern.ts';
export type { Problem, ProblemType, Reason } from './problem.ts';
export type { StructuralSchema, ValidationRule } from './schema.ts';
