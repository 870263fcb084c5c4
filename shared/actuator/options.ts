// Options that cannot be accepted are refused when the provider is defined, not when it first runs.
import * as z from 'zod/mini';
import { parseAs } from './results.ts';

const method = z.custom<(context: never) => Promise<unknown>>(
  value => typeof value === 'function',
  'must be a function',
);
const word = (pattern: RegExp, form: string) => z.string().check(z.regex(pattern, `must be ${form}`));
const dnsName = word(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'a DNS name');

const optionsSchema = z.strictObject({
  group: dnsName,
  version: word(/^v[0-9]+((alpha|beta)[0-9]+)?$/, 'a version such as v1beta2'),
  kind: word(/^[A-Z][A-Za-z0-9]*$/, 'a kind in PascalCase'),
  contract: z.enum(['v1alpha3', 'v1beta1', 'v1beta2']),
  finalizer: z.optional(z.string().check(z.minLength(1))),
  endpoint: z.enum(['provided', 'fromCluster']),
  name: z.optional(dnsName),
  timeoutSeconds: z.optional(z.int().check(z.gte(1), z.lte(900))),
  conditions: z.optional(z.array(z.string())),
  status: z.optional(z.array(word(/^[a-z][A-Za-z0-9]*$/, 'the name of a top-level field'))),
  rules: z.optional(z.array(z.unknown())),
  reconcileNormal: method,
  reconcileDelete: method,
});

/** What the SDK writes itself: no author may report it. */
export interface Reserved {
  readonly conditions: readonly string[];
  /** Top-level fields below `status`. */
  readonly status: readonly string[];
}

interface OwnNames {
  readonly kind: string;
  readonly conditions?: readonly string[];
  readonly status?: readonly string[];
}

/** Throws TypeError that names the option and the problem. */
export function checkForm(options: OwnNames): void {
  const parsed = parseAs(optionsSchema, options);
  if (!parsed.ok) {
    refuse(options, parsed.error);
  }
}

/** Throws TypeError that names the condition type or field. */
export function checkReserved(options: OwnNames, reserved: Reserved): void {
  for (const list of ['conditions', 'status'] as const) {
    const taken = options[list]?.find(name => reserved[list].includes(name));
    if (taken !== undefined) {
      refuse(options, `${list}: ${taken} is written by the SDK itself`);
    }
  }
}

function refuse({ kind }: OwnNames, problem: string): never {
  throw new TypeError(`Options of provider ${kind} are not valid: ${problem}`);
}
