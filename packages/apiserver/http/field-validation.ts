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

export function createFieldChecks(of: {
  readonly fieldValidation: FieldValidation;
  readonly duplicates: readonly string[];
  /** The object of a patch. Its error has another wording. */
  readonly patched?: { readonly endpoint: ResourceEndpoint; readonly name: string };
}): FieldChecks {
  const duplicates = of.duplicates.map(path => `duplicate field "${path}"`);
  const others: string[] = [];
  let unknown: readonly string[] = [];
  const refuse = (): void => {
    const problems = [...unknown, ...duplicates];
    if (of.fieldValidation !== 'Strict' || problems.length === 0) {
      return;
    }
    const message = `strict decoding error: ${problems.join(', ')}`;
    if (of.patched === undefined) {
      throw badRequest(message);
    }
    const { endpoint, name } = of.patched;
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
    warnings: () => [...(of.fieldValidation === 'Warn' ? [...unknown, ...duplicates] : []), ...others],
  };
}
