// The author's own schemas of spec and status: what they find wrong is told, never written.
import { type Checked, invalid, valid } from '../api/checked.ts';
import type { Unstructured } from '../api/object.ts';
import { toSchemaProblem } from '../api/schema-problem.ts';
import { readMap, valueOr } from '../contract/path.ts';

/** Any schema of zod 4 or zod/mini; named by its parts, so that an author's own copy of zod will do. */
export interface Schema<T> {
  readonly _zod: { readonly output: T };
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: unknown };
}

/** A schema of an object, whose fields have a schema each: `z.object({ … })`. */
export interface FieldsSchema<T> extends Schema<T> {
  readonly shape: Readonly<Record<string, Schema<unknown>>>;
}

/** Without a schema: whatever the object holds. */
export type Untyped = Readonly<Record<string, unknown>>;

/** The object's spec does not fit the author's schema: nothing but another spec helps. */
export class InvalidSpec extends Error {
  override readonly name = 'InvalidSpec';
}

export function parseBy<T>(schema: Schema<T>, value: unknown): Checked<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? valid(parsed.data as T) : invalid(toSchemaProblem(parsed.error)); // its own output
}

/** Names what is wrong when the spec does not fit. */
export function parseSpec<Spec>(object: Unstructured, schema: Schema<Spec> | undefined): Checked<Spec> {
  const spec = object.spec ?? {};
  const parsed = schema === undefined ? valid(spec as Spec) : parseBy(schema, spec); // Spec is Untyped without a schema
  return parsed.ok ? parsed : invalid(`spec: ${parsed.error}`);
}

/** Names of the status fields, by list or by schema. */
export function statusFieldsOf(status: readonly string[] | FieldsSchema<unknown> | undefined): readonly string[] {
  return status === undefined ? [] : isFieldsSchema(status) ? Object.keys(status.shape) : status;
}

/** Those of the author's status fields that the object holds and that fit: status can always be lost. */
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
  return Object.fromEntries(fields) as Readonly<Partial<Status>>; // each field fits its own schema
}

export function isFieldsSchema<T>(status: readonly string[] | FieldsSchema<T>): status is FieldsSchema<T> {
  return 'shape' in status;
}
