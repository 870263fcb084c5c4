// The treatment of unknown and duplicate fields: they are ignored, reported as warnings, or refused.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation
import type { WriteOptions } from '../core/context.ts';
import type { ResourceEndpoint } from '../core/kinds.ts';
import { badRequest, invalidObject } from '../core/status.ts';
import type { FieldValidation } from './parameters.ts';

export interface FieldChecks {
  /** Callbacks for the core. Under strict validation, they refuse unknown fields. */
  readonly callbacks: Required<Pick<WriteOptions, 'onUnknown' | 'onWarning'>>;
  warnings(): readonly string[];
}

export function createFieldChecks(given: {
  readonly fieldValidation: FieldValidation;
  readonly duplicates: readonly string[];
  /** The kind of a whole object. The error names it. */
  readonly of?: ResourceEndpoint;
  /** The object of a patch. Its error has another wording. */
  readonly patched?: { readonly endpoint: ResourceEndpoint; readonly name: string };
}): FieldChecks {
  const duplicates = given.duplicates.map(path => `duplicate field "${path}"`);
  const others: string[] = [];
  let unknown: readonly string[] = [];
  const refuse = (): void => {
    const problems = [...unknown, ...duplicates];
    if (given.fieldValidation !== 'Strict' || problems.length === 0) {
      return;
    }
    const message = `strict decoding error: ${problems.join(', ')}`;
    if (given.patched === undefined) {
      throw badRequest(`${given.of === undefined ? '' : toUnhandled(given.of)}${message}`);
    }
    const { endpoint, name } = given.patched;
    throw invalidObject(endpoint.resource, name, [
      { reason: 'FieldValueInvalid', field: 'patch', message: `Invalid value: ${message}` },
    ]);
  };
  return {
    callbacks: {
      onUnknown(paths) {
        unknown = paths.map(path => `unknown field "${path}"`);
        refuse();
      },
      onWarning: text => others.push(text),
    },
    warnings: () => [...(given.fieldValidation === 'Warn' ? [...unknown, ...duplicates] : []), ...others],
  };
}

function toUnhandled({ resource: { kind }, version }: ResourceEndpoint): string {
  return `${kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${kind}: `;
}
