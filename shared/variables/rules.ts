// CEL validation rules of variables: compiled and cached per schema, then evaluated on values.
import type { FieldError } from '@capi-serverless/apimachinery';
import {
  type Compilation,
  type CompiledRules,
  compileRules,
  createBudget,
  evaluateRules,
  type Problem,
  type StructuralSchema,
} from '@capi-serverless/cel';
import type { VariableSchema } from './schema.ts';
import type { Work } from './work.ts';

const remembered = new WeakMap<VariableSchema, Map<string, Compilation>>();

/** `path` is the field of the schema in error messages. Throws TooMuchWorkError. */
export function rulesOf(schema: VariableSchema, path: string, work: Work): Compilation {
  const known = remembered.get(schema) ?? new Map<string, Compilation>();
  const compiled = known.get(path);
  if (compiled !== undefined) {
    return compiled;
  }
  work.spend(sizeOfRules(schema) * stepsPerCharacter);
  // Objects from JSON have no members with the value undefined.
  const fresh = compileRules(schema as StructuralSchema, { path });
  remembered.set(schema, known.set(path, fresh));
  return fresh;
}

const stepsPerCharacter = 20;

function sizeOfRules(schema: VariableSchema): number {
  const { items, additionalProperties, properties = {} } = schema;
  const here = (schema['x-kubernetes-validations'] ?? []).map(
    ({ rule, messageExpression = '' }) => rule.length + messageExpression.length,
  );
  const below = [items, additionalProperties, ...Object.values(properties)].filter(each => each !== undefined);
  return [...here, ...below.map(sizeOfRules)].reduce((sum, each) => sum + each, 0);
}

export interface RuledValue {
  readonly value: unknown;
  /** The previous value; undefined if unknown. */
  readonly old: unknown;
  readonly rules: CompiledRules | undefined;
  readonly field: string;
  readonly work: Work;
}

/** The violated rules. Throws TooMuchWorkError. */
export function problemsOfRules({ value, old, rules, field, work }: RuledValue): readonly FieldError[] {
  if (rules === undefined || value === null || value === undefined) {
    return [];
  }
  const budget = createBudget();
  const before = budget.remaining();
  const problems = evaluateRules(rules, { value, oldValue: old ?? undefined, path: field, budget });
  work.spend(before - budget.remaining());
  return problems.map(toFieldError);
}

export function toFieldError({ path, type, value, detail }: Problem): FieldError {
  return { type, field: path, value, detail: type === 'Duplicate value' ? '' : detail };
}
