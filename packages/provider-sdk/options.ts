// Validates options when the provider is defined, not when it first runs.
import * as z from 'zod/mini';
import { type FieldsSchema, parseBy, type Schema, statusFieldsOf } from './schema.ts';

const method = z.custom<(context: never) => Promise<unknown>>(
  value => typeof value === 'function',
  'must be a function',
);
const word = (pattern: RegExp, form: string) => z.string().check(z.regex(pattern, `must be ${form}`));
const dnsName = word(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'a DNS name');

const fieldName = word(/^[a-z][A-Za-z0-9]*$/, 'the name of a top-level field');
const schema = z.custom<Schema<unknown>>(isSchema, 'must be a schema of zod 4');
const fieldsSchema = z.custom<FieldsSchema<unknown>>(
  value => isSchema(value) && 'shape' in value,
  'must be a schema of an object',
);

/** The name of a kind. */
export const kindField = word(/^[A-Z][A-Za-z0-9]*$/, 'a kind in PascalCase');
const status = z.optional(
  z.union([z.array(fieldName), fieldsSchema], 'must be names of top-level fields, or a schema of an object'),
);

/** The common options of all provider roles. */
export const identityFields = {
  group: dnsName,
  version: word(/^v[0-9]+((alpha|beta)[0-9]+)?$/, 'a version such as v1beta2'),
  finalizer: z.optional(z.string().check(z.minLength(1))),
  timeoutSeconds: z.optional(z.int().check(z.gte(1), z.lte(900))),
  spec: z.optional(schema),
  status,
  rules: z.optional(z.array(z.unknown())),
};
/** The name of a function and its queue. Queue names cannot contain dots. */
export const nameField = word(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'lower-case letters, digits and hyphens');

const optionsSchema = z.strictObject({
  ...identityFields,
  kind: kindField,
  contract: z.enum(['v1alpha3', 'v1beta1', 'v1beta2']),
  endpoint: z.enum(['provided', 'fromCluster']),
  name: z.optional(nameField),
  conditions: z.optional(z.array(z.string())),
  reconcileNormal: method,
  reconcileDelete: method,
});

/** Names that the SDK writes. The author may not report them. */
interface Reserved {
  readonly conditions: readonly string[];
  /** The top-level fields below `status`. */
  readonly status: readonly string[];
}

interface OwnNames {
  readonly kind: string;
  readonly conditions?: readonly string[];
  readonly status?: readonly string[] | FieldsSchema<unknown>;
}

/** Throws TypeError with the option and the problem. */
export function checkForm(options: OwnNames): void {
  checkFormBy(optionsSchema, options);
}

/** The same for options of another form. */
export function checkFormBy(form: z.ZodMiniType<unknown>, options: OwnNames): void {
  const parsed = parseBy(form, options);
  if (!parsed.ok) {
    refuse(options, parsed.error);
  }
}

/** Throws TypeError with the condition type or field. */
export function checkReserved(options: OwnNames, reserved: Reserved): void {
  const own = { conditions: options.conditions ?? [], status: statusFieldsOf(options.status) };
  for (const list of ['conditions', 'status'] as const) {
    const taken = own[list].find(name => reserved[list].includes(name));
    if (taken !== undefined) {
      refuse(options, `${list}: ${taken} is written by the SDK itself`);
    }
  }
}

function refuse({ kind }: OwnNames, problem: string): never {
  throw new TypeError(`Options of provider ${kind} are not valid: ${problem}`);
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value && 'safeParse' in value;
}
