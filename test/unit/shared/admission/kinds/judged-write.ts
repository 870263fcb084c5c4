// Judges a write as an API server with webhooks does: the defaults, then the checks.
import { type JsonObject, printInvalidObject, valueAt } from '@capi-serverless/apimachinery';
import { rulesOf } from '../../../../../shared/admission/kinds/core-rules.ts';
import type { FoundClaim, RuleGates } from '../../../../../shared/admission/kinds/kind-rules.ts';
import { textAt } from '../../../../../shared/admission/kinds/object-fields.ts';

/** Upstream's default gates. */
export const defaultGates: RuleGates = {
  machinePool: true,
  machineSetPreflightChecks: true,
  taintPropagation: false,
};

export const withTaints: RuleGates = { ...defaultGates, taintPropagation: true };

interface Write {
  readonly group: string;
  readonly kind: string;
  readonly old?: JsonObject;
  readonly gates?: RuleGates;
  readonly claim?: FoundClaim;
  /** The checks see the object as written. */
  readonly undefaulted?: true;
}

function rulesFor({ group, kind }: Write) {
  const rules = rulesOf({ group, kind });
  if (rules === undefined) {
    throw new Error(`${kind} has no rules`);
  }
  return rules;
}

/** Returns the object with its defaults, or the message of the refusal. */
export function defaulted(object: JsonObject, write: Write): JsonObject | string {
  const { old, gates = defaultGates } = write;
  const result = rulesFor(write).defaults?.({ object, old, gates }) ?? { ok: true, value: object };
  return result.ok ? result.value : result.error;
}

/** Returns the message of the refusal, without the name of the object if it is Invalid. `allowed`: it is not refused. */
export function verdictOf(object: JsonObject, write: Write): string {
  const { group, kind, old, gates = defaultGates, claim, undefaulted } = write;
  const judged = undefaulted === true ? object : defaulted(object, write);
  if (typeof judged === 'string') {
    return `403: ${judged}`;
  }
  const denial = rulesFor(write).denialOf({ object: judged, old, gates, ...(claim === undefined ? {} : { claim }) });
  if (denial === undefined) {
    return 'allowed';
  }
  if (denial.reason === 'Forbidden') {
    return `403: ${denial.message}`;
  }
  const name = textAt(object, 'metadata.name');
  const message = printInvalidObject({ kind, group, name, errors: denial.errors });
  const start = `${kind}.${group} "${name}" is invalid: `;
  return message.startsWith(start) ? `422: ${message.slice(start.length)}` : message;
}

/** Returns the fields of the object at these paths. */
export function fieldsOf(object: JsonObject | string, ...paths: readonly string[]): JsonObject {
  return Object.fromEntries(paths.map(path => [path, valueAt(object, path)]));
}

export const nameProblem =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
export const valueProblem =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
export const subdomainProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
