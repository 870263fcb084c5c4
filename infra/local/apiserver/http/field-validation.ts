// What happens about members that nobody knows or that came twice: nothing, a warning, or a refusal.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation
import type { WriteOptions } from '../core/context.ts';
import type { Endpoint } from '../core/kinds.ts';
import { badRequest, invalid } from '../core/status.ts';
import type { FieldValidation } from './parameters.ts';

export interface FieldChecks {
  /** For the core. Refuses what a strict client does not want. */
  readonly told: Required<Pick<WriteOptions, 'onUnknown' | 'onWarning'>>;
  warnings(): readonly string[];
}

export function createFieldChecks(of: {
  readonly fieldValidation: FieldValidation;
  readonly duplicates: readonly string[];
  /** The object of a patch, whose refusal is worded differently. */
  readonly patched?: { readonly endpoint: Endpoint; readonly name: string };
}): FieldChecks {
  const duplicates = of.duplicates.map(path => `duplicate field "${path}"`);
  const others: string[] = [];
  let unknown: readonly string[] = [];
  const refuse = (): void => {
    const problems = [...unknown, ...duplicates];
    if (of.fieldValidation !== 'Strict' || problems.length === 0) {
      return;
    }
    const told = `strict decoding error: ${problems.join(', ')}`;
    if (of.patched === undefined) {
      throw badRequest(told);
    }
    const { endpoint, name } = of.patched;
    throw invalid(endpoint.resource, name, [
      { reason: 'FieldValueInvalid', field: 'patch', message: `Invalid value: ${told}` },
    ]);
  };
  return {
    told: {
      onUnknown(paths) {
        unknown = paths.map(path => `unknown field "${path}"`);
        refuse();
      },
      onWarning: text => others.push(text),
    },
    warnings: () => [...(of.fieldValidation === 'Warn' ? [...unknown, ...duplicates] : []), ...others],
  };
}
