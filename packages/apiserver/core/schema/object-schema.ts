// The schema of one version of a kind. Reads and writes use it.

import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import type { Compilation, CompiledRules } from '@capi-serverless/cel';
import type { OnUnknown } from '../decode-metadata.ts';
import { deepFreeze } from '../json.ts';
import type { CauseReason, StatusCause } from '../status.ts';
import { toCause } from './cause.ts';
import { parseSchema } from './node.ts';
import { ruleEngine } from './rule-engine.ts';
import { shapeRoot } from './shape.ts';
import { problemsOfRoot } from './validate.ts';

/** Options of a check. */
interface Check {
  /** The replaced object. Rules may compare with it. Problems of unchanged values are ignored. */
  readonly live?: JsonObject | undefined;
  /** The only root member that is validated. Rules can read all members. */
  readonly only?: string | undefined;
}

export interface ObjectSchema {
  /** Returns the object without unknown members and invalid nulls, with defaults. */
  shape<T extends JsonObject>(object: T, onUnknown?: OnUnknown): T;
  /** Returns the object without unknown members, with defaults. Invalid nulls are kept for the validation. */
  shapeApplied<T extends JsonObject>(object: T): T;
  /** Returns a stored object without unknown members, with defaults. The result is frozen and cached. */
  shown<T extends JsonObject>(object: T): T;
  /** Returns all violations of the schema and its rules. */
  problems(object: JsonObject, of?: Check): readonly StatusCause[];
  /** Returns problems of the rules themselves. */
  ruleProblems(): readonly StatusCause[];
}

/** Throws SchemaError if the schema is invalid. `path` is its path within the definition. */
export function createObjectSchema(raw: unknown, path: string): ObjectSchema {
  const schema = parseSchema(raw, path);
  let compilation: Compilation | undefined;
  // The schema is compiled on first use, because most initial schemas of a server are never used for writes.
  const compiled = (): Compilation => {
    compilation ??= hasRules(raw)
      ? ruleEngine().compileRules(isJsonObject(raw) ? raw : {}, { path, resource: true })
      : { rules: undefined, problems: [] };
    return compilation;
  };
  const remembered = new WeakMap<JsonObject, JsonObject>();
  return {
    // True: the schema keeps apiVersion, kind and metadata, and T declares no other members.
    shape: <T extends JsonObject>(object: T, onUnknown?: OnUnknown) => shapeRoot(object, schema, onUnknown) as T,
    shapeApplied: <T extends JsonObject>(object: T) => shapeRoot(object, schema, undefined, 'keep nulls') as T,
    shown: <T extends JsonObject>(object: T) => {
      const known = remembered.get(object);
      const shown = known ?? deepFreeze(shapeRoot(object, schema));
      remembered.set(object, shown);
      // True: the schema keeps apiVersion, kind and metadata, and T declares no other members.
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

/** Returns true if any part of the schema has rules. A false positive only costs time. */
function hasRules(raw: unknown): boolean {
  return JSON.stringify(raw)?.includes('"x-kubernetes-validations"') === true;
}

/** After these violations, rules would evaluate absent values. */
const blocking: readonly CauseReason[] = [
  'FieldValueRequired',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueNotSupported',
];

interface Checked {
  readonly live: JsonObject | undefined;
  /** Returns violations of the schema. */
  readonly broken: readonly StatusCause[];
}

function problemsOfRules(rules: CompiledRules, object: JsonObject, { live, broken }: Checked): readonly StatusCause[] {
  if (broken.some(({ reason }) => blocking.includes(reason))) {
    const why =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    return [{ reason: 'FieldValueInvalid', field: '<nil>', message: `Invalid value: null: ${why}` }];
  }
  const { createBudget, evaluateRules } = ruleEngine();
  const evaluation = { value: object, oldValue: live, path: '', budget: createBudget(), ratchet: live !== undefined };
  return evaluateRules(rules, evaluation).map(toCause);
}
