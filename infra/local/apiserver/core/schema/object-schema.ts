// The schema of one version of a kind, as the write and read paths use it.
import type { Compilation, CompiledRules } from '../../../../../shared/cel/index.ts';
import { deepFreeze, isObject, type JsonObject } from '../json.ts';
import type { Cause, CauseReason } from '../status.ts';
import { toCause } from './cause.ts';
import { parseSchema } from './node.ts';
import { ruleEngine } from './rule-engine.ts';
import { type OnUnknown, shapeRoot } from './shape.ts';
import { problemsOfRoot } from './validate.ts';

/** How a write is checked. */
export interface Check {
  /** What the object replaces: rules may compare with it, and what is as it was is forgiven. */
  readonly live?: JsonObject | undefined;
  /** The only member of the root that the schema is asked about; rules see everything. */
  readonly only?: string | undefined;
}

export interface ObjectSchema {
  /** Without unknown members and illegal nulls, with defaults. */
  shape<T extends JsonObject>(object: T, onUnknown?: OnUnknown): T;
  /** Without unknown members, with defaults; illegal nulls stay, for the validation to find. */
  shapeApplied<T extends JsonObject>(object: T): T;
  /** The same for a stored object, frozen and remembered. */
  shown<T extends JsonObject>(object: T): T;
  /** Every violation of the schema and of its rules. */
  problems(object: JsonObject, of?: Check): readonly Cause[];
  /** What is wrong with the rules themselves. */
  ruleProblems(): readonly Cause[];
}

/** Throws SchemaError when the schema cannot be used. `path` leads to it within its definition. */
export function createObjectSchema(raw: unknown, path: string): ObjectSchema {
  const schema = parseSchema(raw, path);
  let compilation: Compilation | undefined;
  // Compiled when they are first asked for: most schemas that a server starts with are not written to.
  const compiled = (): Compilation => {
    compilation ??= hasRules(raw)
      ? ruleEngine().compileRules(isObject(raw) ? raw : {}, { path, resource: true })
      : { rules: undefined, problems: [] };
    return compilation;
  };
  const remembered = new WeakMap<JsonObject, JsonObject>();
  return {
    // True: shaping keeps apiVersion, kind and metadata, and T promises nothing about the types of other members.
    shape: <T extends JsonObject>(object: T, onUnknown?: OnUnknown) => shapeRoot(object, schema, onUnknown) as T,
    shapeApplied: <T extends JsonObject>(object: T) => shapeRoot(object, schema, undefined, 'keep nulls') as T,
    shown: <T extends JsonObject>(object: T) => {
      const known = remembered.get(object);
      const shown = known ?? deepFreeze(shapeRoot(object, schema));
      remembered.set(object, shown);
      // True: for the same reason.
      return shown as T;
    },
    problems(object, { live, only } = {}) {
      const broken = problemsOfRoot(object, schema, { live, only });
      const rules = compiled().rules;
      return rules === undefined ? broken : [...broken, ...problemsOfRules(rules, object, { live, broken })];
    },
    ruleProblems: () => compiled().problems.map(toCause),
  };
}

/** Whether any part of the schema has rules; the word elsewhere costs only time. */
function hasRules(raw: unknown): boolean {
  return JSON.stringify(raw)?.includes('"x-kubernetes-validations"') === true;
}

/** After these violations rules would judge what is not there. */
const blocking: readonly CauseReason[] = [
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueNotSupported',
];

interface Checked {
  readonly live: JsonObject | undefined;
  /** Violations of the schema. */
  readonly broken: readonly Cause[];
}

function problemsOfRules(rules: CompiledRules, object: JsonObject, { live, broken }: Checked): readonly Cause[] {
  if (broken.some(({ reason }) => blocking.includes(reason))) {
    const why =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    return [{ reason: 'FieldValueInvalid', field: '<nil>', message: `Invalid value: null: ${why}` }];
  }
  const { createBudget, evaluateRules } = ruleEngine();
  const evaluation = { value: object, oldValue: live, path: '', budget: createBudget(), ratchet: live !== undefined };
  return evaluateRules(rules, evaluation).map(toCause);
}
