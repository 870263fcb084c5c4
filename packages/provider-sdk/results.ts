// Validates the results of a provider's author before any write. An invalid value is a failure of the author's function.

import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { AuthorCondition } from './author.ts';
import type { CheckedOwnStatus, DeleteOutcome, ProviderRole } from './role.ts';
import { type FieldsSchema, parseBy } from './schema.ts';

/** The reasons of conditions that the API server accepts. */
export const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const longestReason = 1024;
const highestPort = 65_535;
const minimumDelayMs = 1000;

const conditionSchema = z.strictObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().check(z.regex(reasonPattern, 'must be a word'), z.maxLength(longestReason)),
  message: z.optional(z.string()),
});

const ownFields = {
  conditions: z.optional(z.array(conditionSchema)),
  status: z.optional(z.record(z.string(), z.unknown())),
};

export const stepFields = {
  ...ownFields,
  requeueAfter: z.optional(z.number().check(z.gte(0, 'must be seconds ≥ 0'))),
};

export const endpointSchema = z.strictObject({
  host: z.string().check(z.minLength(1, 'must not be empty')),
  port: z.int().check(z.gte(1, `must be 1 to ${highestPort}`), z.lte(highestPort, `must be 1 to ${highestPort}`)),
});

export const unwantedEndpoint = "endpoint: the Cluster supplies it under the option endpoint: 'fromCluster'";

const ownSchema = z.strictObject(ownFields);
const deleteOutcomeSchema = z.strictObject({ ...stepFields, done: z.boolean(), message: z.optional(z.string()) });

type Declared = Pick<ProviderRole, 'conditions' | 'status' | 'verdicts' | 'statusShape'>;
type RawOwn = z.infer<typeof ownSchema>;

/** Returns the author's seconds in milliseconds, with at least one second between two calls. */
export function toDelayMs(seconds: number): number {
  return Math.max(minimumDelayMs, Math.ceil(seconds * 1000));
}

/**
 * Returns declared conditions and status fields, with each condition type once. The verdict conditions among them must
 * agree with `ready`.
 */
export function toOwnStatus(raw: RawOwn, declared: Declared, ready: boolean): Checked<CheckedOwnStatus> {
  const conditions = (raw.conditions ?? []).map(toCondition);
  const types = conditions.map(condition => condition.type);
  const twice = firstRepeated(types);
  if (twice !== undefined) {
    return invalid(`conditions: ${twice} occurs twice`);
  }
  const undeclared = types.find(type => !declared.conditions.includes(type));
  if (undeclared !== undefined) {
    return invalid(`conditions: ${undeclared} is not among the declared types ${declared.conditions.join(', ')}`);
  }
  const contrary = conditions.find(
    ({ type, status }) => declared.verdicts.includes(type) && (status === 'True') !== ready,
  );
  if (contrary !== undefined) {
    return invalid(`conditions: ${contrary.type} is ${contrary.status}, which contradicts the result`);
  }
  const status = raw.status ?? {};
  const unknown = Object.keys(status).find(field => !declared.status.includes(field));
  if (unknown !== undefined) {
    return invalid(`status: ${unknown} is not a declared field`);
  }
  const problem = findFieldProblem(status, declared.statusShape);
  return problem === undefined ? valid({ conditions, status }) : invalid(`status: ${problem}`);
}

/** `undefined` removes a field, regardless of its schema. */
function findFieldProblem(
  status: Readonly<Record<string, unknown>>,
  shape: FieldsSchema<unknown>['shape'] = {},
): string | undefined {
  for (const [field, value] of Object.entries(status)) {
    const schema = shape[field];
    const parsed = schema === undefined || value === undefined ? valid(value) : parseBy(schema, value);
    if (!parsed.ok) {
      return `${field}: ${parsed.error}`;
    }
  }
  return undefined;
}

/** Validates the argument of `record`. */
export function parseOwnStatus(raw: unknown, declared: Declared): Checked<CheckedOwnStatus> {
  const parsed = parseBy(ownSchema, raw);
  return parsed.ok ? toOwnStatus(parsed.value, declared, false) : parsed;
}

export function parseDeleteOutcome(raw: unknown, declared: Declared): Checked<DeleteOutcome> {
  const parsed = parseBy(deleteOutcomeSchema, raw);
  if (!parsed.ok) {
    return parsed;
  }
  const { done, message = '', requeueAfter, ...rest } = parsed.value;
  const own = toOwnStatus(rest, declared, false);
  return own.ok ? valid({ done, message, own: own.value, requeueAfterMs: toOptionalDelayMs(requeueAfter) }) : own;
}

export function toOptionalDelayMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : toDelayMs(seconds);
}

export function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

function toCondition({ type, status, reason, message = '' }: z.infer<typeof conditionSchema>): AuthorCondition {
  return { type, status, reason, message };
}
