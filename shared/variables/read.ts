// Parses variables of API objects and hook responses. Unknown fields are dropped. Null and "" are treated as absent.

import { type Checked, invalid, toSchemaProblem, valid } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { findTooLarge } from './limits.ts';
import type { ClusterClassVariable, ClusterVariable, StatusVariable, VariableSchema } from './schema.ts';

type Shape = Parameters<typeof z.object>[0] & object;

/** Makes members optional that may be undefined. */
type Exact<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** An object without empty members. */
function fields<T extends Shape>(shape: T) {
  return z.pipe(
    z.pipe(
      z.transform(raw => without(null, raw)),
      z.object(shape),
    ),
    // Members with undefined were dropped.
    z.transform(read => without(undefined, read) as Exact<typeof read>),
  );
}

function without(nothing: null | undefined, raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
    ? Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== nothing))
    : raw;
}

const text = z.pipe(
  z.transform((raw: unknown) => (raw === '' ? undefined : raw)),
  z.optional(z.string()),
);
const flag = z.optional(z.boolean());
const integer = z.optional(z.number().check(z.refine(Number.isInteger, 'expected integer')));
const texts = z.optional(z.record(z.string(), z.string()));
const metadata = z.optional(fields({ labels: texts, annotations: texts }));
const below: z.ZodMiniType<VariableSchema> = z.lazy(() => schema);
const several = z.optional(z.array(below));

const rule = fields({
  rule: z._default(z.string(), ''),
  message: text,
  messageExpression: text,
  reason: text,
  fieldPath: text,
});

const schema = fields({
  description: text,
  type: text,
  format: text,
  pattern: text,
  example: z.optional(z.unknown()),
  default: z.optional(z.unknown()),
  enum: z.optional(z.array(z.unknown())),
  properties: z.optional(z.record(z.string(), below)),
  additionalProperties: z.optional(below),
  maxProperties: integer,
  minProperties: integer,
  required: z.optional(z.array(z.string())),
  items: z.optional(below),
  maxItems: integer,
  minItems: integer,
  uniqueItems: flag,
  maxLength: integer,
  minLength: integer,
  maximum: integer,
  minimum: integer,
  exclusiveMaximum: flag,
  exclusiveMinimum: flag,
  allOf: several,
  oneOf: several,
  anyOf: several,
  not: z.optional(below),
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-validations': z.optional(z.array(rule)),
  'x-metadata': metadata,
});

const definition = {
  required: flag,
  deprecatedV1Beta1Metadata: metadata,
  schema: z._default(fields({ openAPIV3Schema: z._default(below, {}) }), { openAPIV3Schema: {} }),
};

const name = z._default(z.string(), '');
const variables = z.array(fields({ name, ...definition }));
const statusVariables = z.array(
  fields({
    name,
    definitionsConflict: z._default(z.boolean(), false),
    definitions: z._default(
      z.array(fields({ from: name, ...definition, required: z._default(z.boolean(), false) })),
      [],
    ),
  }),
);
const values = z.array(z.object({ name, value: z.unknown() }));

function read<T>(raw: unknown, list: z.ZodMiniType<T>): Checked<T> {
  const tooLarge = findTooLarge(raw);
  if (tooLarge !== undefined) {
    return invalid(tooLarge);
  }
  const parsed = list.safeParse(raw ?? []);
  return parsed.success ? valid(parsed.data) : invalid(toSchemaProblem(parsed.error));
}

/** Reads `ClusterClass.spec.variables`, or the variables of a DiscoverVariables response. Errors name the field. */
export function readVariableDefinitions(raw: unknown): Checked<readonly ClusterClassVariable[]> {
  return read(raw, variables);
}

/** Reads `ClusterClass.status.variables`. */
export function readStatusVariables(raw: unknown): Checked<readonly StatusVariable[]> {
  return read(raw, statusVariables);
}

/** Reads a list of variables of a Cluster. */
export function readClusterVariables(raw: unknown): Checked<readonly ClusterVariable[]> {
  return read(raw, values);
}
