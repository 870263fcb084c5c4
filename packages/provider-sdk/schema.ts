// The author's schemas of spec and status. Problems are reported, and invalid values are not written.

import { type Checked, invalid, toSchemaProblem, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { readMap, valueOr } from '@capi-serverless/cluster-api/contract';

/** A schema of zod 4 or zod/mini. The type is structural, so that the author can use another copy of zod. */
export interface Schema<T> {
  readonly _zod: { readonly output: T };
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: unknown };
}

/** A schema of an object with one schema per field: `z.object({ … })`. */
export interface FieldsSchema<T> extends Schema<T> {
  readonly shape: Readonly<Record<string, Schema<unknown>>>;
}

/** Without a schema, any object is accepted. */
export type Untyped = Readonly<Record<string, unknown>>;

/** The error if the spec does not match the author's schema. Only a change of the spec can repair it. */
export class InvalidSpec extends Error {
  override readonly name = 'InvalidSpec';
}

/** The parsed value, or the invalid field and the reason. */
export function parseBy<T>(schema: Schema<T>, value: unknown): Checked<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? valid(parsed.data as T) : invalid(toSchemaProblem(parsed.error)); // True: it is the output of the schema.
}

/** Returns the parsed spec, or the problem. */
export function parseSpec<Spec>(object: Unstructured, schema: Schema<Spec> | undefined): Checked<Spec> {
  const spec = object.spec ?? {};
  const parsed = schema === undefined ? valid(spec as Spec) : parseBy(schema, spec); // True: the spec is Untyped without a schema.
  return parsed.ok ? parsed : invalid(`spec: ${parsed.error}`);
}

/** Returns the names of the status fields, from a list or a schema. */
export function statusFieldsOf(status: readonly string[] | FieldsSchema<unknown> | undefined): readonly string[] {
  return status === undefined ? [] : isFieldsSchema(status) ? Object.keys(status.shape) : status;
}

/** Returns the author's status fields that are present and valid. Status can be lost at any time. */
export function readOwnStatus<Status>(
  object: Unstructured,
  status: readonly string[] | FieldsSchema<Status> | undefined,
): Readonly<Partial<Status>> {
  const stored = valueOr(readMap(object, 'status'), {});
  const shape = status !== undefined && isFieldsSchema(status) ? status.shape : {};
  const fields = statusFieldsOf(status).flatMap(field => {
    const parsed = shape[field]?.safeParse(stored[field]) ?? { success: true, data: stored[field] };
    return parsed.success && parsed.data !== undefined ? [[field, parsed.data]] : [];
  });
  return Object.fromEntries(fields) as Readonly<Partial<Status>>; // True: each field matches its schema.
}

export function isFieldsSchema<T>(status: readonly string[] | FieldsSchema<T>): status is FieldsSchema<T> {
  return 'shape' in status;
}
