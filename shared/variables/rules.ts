// Rules of variables in the Common Expression Language: compiled once for each schema, run on values.
import type { FieldError } from '../api/field-error.ts';
import {
  type Compilation,
  type CompiledRules,
  compileRules,
  createBudget,
  evaluateRules,
  type Problem,
  type StructuralSchema,
} from '../cel/index.ts';
import type { VariableSchema } from './schema.ts';
import type { Work } from './work.ts';

const remembered = new WeakMap<VariableSchema, Map<string, Compilation>>();

/** `path` is the field of the schema, as problems of its rules name it. Throws TooMuchWorkError. */
export function rulesOf(schema: VariableSchema, path: string, work: Work): Compilation {
  const known = remembered.get(schema) ?? new Map<string, Compilation>();
  const compiled = known.get(path);
  if (compiled !== undefined) {
    return compiled;
  }
  work.spend(sizeOfRules(schema) * stepsPerCharacter);
  // True: what is read from objects has no member that is there and undefined.
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
  /** What the value was before; undefined where nothing is known. */
  readonly old: unknown;
  readonly rules: CompiledRules | undefined;
  readonly field: string;
  readonly work: Work;
}

/** What the rules refuse. Throws TooMuchWorkError. */
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
