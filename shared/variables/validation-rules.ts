// CEL validation rules of variables. They are compiled, and then evaluated on values.
import type { FieldError } from '@capi-serverless/apimachinery';
import {
  type Compilation,
  type CompiledRules,
  compileRules,
  createBudget,
  evaluateRules,
  limits,
  type Problem,
  type StructuralSchema,
} from '@capi-serverless/cel';
import type { VariableSchema } from './schema.ts';
import { unitsPerStep, type Work } from './work.ts';

/** `path` is the field of the schema in error messages. Throws TooMuchWorkError. */
export function rulesOf(schema: VariableSchema, path: string, work: Work): Compilation {
  work.spend(sizeOfRules(schema) * stepsPerCharacter);
  // Objects from JSON have no members with the value undefined.
  return compileRules(schema as StructuralSchema, { path, charge: units => work.spend(units / unitsPerStep) });
}

/**
 * Returns the rules for values of a schema, or undefined if the schema has no executable rules. Throws
 * TooMuchWorkError.
 */
export type RulesForValues = (schema: VariableSchema, work: Work) => CompiledRules | undefined;

/** Compiles the rules of each schema once. The work is charged to the first list with a value of the schema. */
export function rulesForValues(): RulesForValues {
  const compiled = new Map<VariableSchema, CompiledRules | undefined>();
  return (schema, work) => {
    if (!compiled.has(schema)) {
      compiled.set(schema, rulesOf(schema, fieldInProblems, work).rules);
    }
    return compiled.get(schema);
  };
}

/** Problems of the rules themselves are reported where the definition is validated. */
const fieldInProblems = 'schema';

const stepsPerCharacter = 20;

function sizeOfRules(schema: VariableSchema): number {
  const { items, additionalProperties, properties = {} } = schema;
  const here = (schema['x-kubernetes-validations'] ?? []).map(
    ({ rule, messageExpression = '' }) => rule.length + messageExpression.length,
  );
  const below = [items, additionalProperties, ...Object.values(properties)].filter(each => each !== undefined);
  return [...here, ...below.map(sizeOfRules)].reduce((sum, each) => sum + each, 0);
}

interface RuledValue {
  readonly value: unknown;
  /** The previous value. Undefined if unknown. */
  readonly old: unknown;
  readonly rules: CompiledRules | undefined;
  readonly field: string;
  readonly work: Work;
}

/** Returns the violated rules. Throws TooMuchWorkError. */
export function problemsOfRules({ value, old, rules, field, work }: RuledValue): readonly FieldError[] {
  if (rules === undefined || value === null || value === undefined) {
    return [];
  }
  const budget = createBudget(limits.object, work.meter);
  const before = budget.remaining();
  const problems = evaluateRules(rules, { value, oldValue: old ?? undefined, path: field, budget });
  work.spend(before - budget.remaining());
  return problems.map(toFieldError);
}

export function toFieldError({ path, type, value, detail }: Problem): FieldError {
  return { type, field: path, value, detail: type === 'Duplicate value' ? '' : detail };
}
