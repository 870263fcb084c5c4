// Validates defaults. A default must have known fields only, and be valid by schema and rules.
import type { JsonObject } from '@capi-serverless/apimachinery';
import type { StatusCause } from '../status.ts';
import { cause, toCause } from './cause.ts';
import { parseSchema, SchemaError, type SchemaNode } from './node.ts';
import { ruleEngine } from './rule-engine.ts';
import { shapeRoot } from './shape.ts';
import { problemsOfValue } from './validate.ts';

/**
 * Returns problems of the default of this schema. Returns none if the schema itself is invalid, because this is
 * reported elsewhere.
 */
export function defaultProblems(raw: JsonObject, path: string): readonly StatusCause[] {
  const value = raw['default'];
  const schema = value === undefined || value === null ? undefined : parsed(raw, path);
  if (schema === undefined) {
    return [];
  }
  const at = `${path}.default`;
  const unknown: string[] = [];
  shapeRoot({ value }, wrapper(schema), name => unknown.push(name));
  if (unknown.length > 0) {
    return [cause(at, 'Invalid value', 'must not have unknown fields', value)];
  }
  const problems = problemsOfValue(value, schema, { field: at });
  return problems.length > 0 ? problems : rulesBroken(raw, value, at);
}

function parsed(raw: JsonObject, path: string): SchemaNode | undefined {
  try {
    return parseSchema(raw, path);
  } catch (error) {
    if (error instanceof SchemaError) {
      return undefined;
    }
    throw error;
  }
}

/** Defaults below the value are not applied for this check. */
function wrapper(schema: SchemaNode): SchemaNode {
  const empty = parseSchema({ type: 'object' }, '');
  return { ...empty, properties: new Map([['value', schema]]) };
}

function rulesBroken(raw: JsonObject, value: unknown, path: string): readonly StatusCause[] {
  const { compileRules, createBudget, evaluateRules } = ruleEngine();
  const { rules } = compileRules(raw, { path });
  return evaluateRules(rules, { value, path, budget: createBudget() }).map(toCause);
}
