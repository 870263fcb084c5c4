// Converts a problem of a schema or a rule to a cause of an Invalid response.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Problem, ProblemType } from '@capi-serverless/cel';
import type { CauseReason, StatusCause } from '../status.ts';

const reasons: Readonly<Record<ProblemType, CauseReason>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  Forbidden: 'FieldValueForbidden',
  'Duplicate value': 'FieldValueDuplicate',
  'Unsupported value': 'FieldValueNotSupported',
  'Internal error': 'FieldValueInvalid',
};

/** The types that print the value, and the type that prints only the value. */
const showing: readonly ProblemType[] = ['Invalid value', 'Unsupported value', 'Duplicate value'];

export function toCause({ path, type, value, detail }: Problem): StatusCause {
  const values = showing.includes(type) && value !== undefined ? [JSON.stringify(value)] : [];
  const details = type === 'Duplicate value' || detail === '' ? [] : [detail];
  return { reason: reasons[type], field: path, message: [type, ...values, ...details].join(': ') };
}

/** Creates a cause from its parts. */
export function cause(path: string, type: ProblemType, detail: string, value?: unknown): StatusCause {
  return toCause({ path, type, detail, ...withoutUndefined({ value }) });
}
