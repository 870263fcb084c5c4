// A problem of a schema or a rule as a cause of an Invalid answer.
import type { Problem, ProblemType } from '../../../../../shared/cel/index.ts';
import type { Cause, CauseReason } from '../status.ts';

const reasons: Readonly<Record<ProblemType, CauseReason>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  Forbidden: 'FieldValueForbidden',
  'Duplicate value': 'FieldValueDuplicate',
  'Unsupported value': 'FieldValueNotSupported',
  'Internal error': 'FieldValueInvalid',
};

/** Types that show the value, and the one that shows nothing else. */
const showing: readonly ProblemType[] = ['Invalid value', 'Unsupported value', 'Duplicate value'];

export function toCause({ path, type, value, detail }: Problem): Cause {
  const shown = showing.includes(type) && value !== undefined ? [JSON.stringify(value)] : [];
  const told = type === 'Duplicate value' || detail === '' ? [] : [detail];
  return { reason: reasons[type], field: path, message: [type, ...shown, ...told].join(': ') };
}

/** A cause by its parts. */
export function cause(path: string, type: ProblemType, detail: string, value?: unknown): Cause {
  return toCause({ path, type, detail, ...(value === undefined ? {} : { value }) });
}
