import { forbidden, invalidValue, requiredValue } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  denialStatus,
  forbiddenStatus,
  internalErrorStatus,
  undeletableStatus,
  unreadableStatus,
} from '../../../../shared/admission/denial-status.ts';

const of = { group: 'cluster.x-k8s.io', kind: 'Machine', name: 'm' };

describe('the status of a refused write', () => {
  it('has a cause for each error, and each text once', () => {
    const errors = [requiredValue('spec.a', 'x'), requiredValue('spec.a', 'x'), forbidden('spec.b', 'y')];
    expect(denialStatus(of, { reason: 'Invalid', errors })).toEqual({
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: 'Machine.cluster.x-k8s.io "m" is invalid: [spec.a: Required value: x, spec.b: Forbidden: y]',
      details: {
        name: 'm',
        group: 'cluster.x-k8s.io',
        kind: 'Machine',
        causes: [
          { reason: 'FieldValueRequired', message: 'Required value: x', field: 'spec.a' },
          { reason: 'FieldValueRequired', message: 'Required value: x', field: 'spec.a' },
          { reason: 'FieldValueForbidden', message: 'Forbidden: y', field: 'spec.b' },
        ],
      },
    });
  });

  it('has no name if the name will be generated', () => {
    const { details } = denialStatus({ ...of, name: '' }, { reason: 'Invalid', errors: [requiredValue('a')] });
    expect(Object.keys(details ?? {})).toEqual(['group', 'kind', 'causes']);
  });

  it.each([
    { type: 'Invalid value', reason: 'FieldValueInvalid' },
    { type: 'Invalid type', reason: 'FieldValueTypeInvalid' },
    { type: 'Duplicate value', reason: 'FieldValueDuplicate' },
    { type: 'Unsupported value', reason: 'FieldValueNotSupported' },
    { type: 'Too long', reason: 'FieldValueTooLong' },
    { type: 'Too many', reason: 'FieldValueTooMany' },
    { type: 'Internal error', reason: 'InternalError' },
  ] as const)('has the reason $reason', ({ type, reason }) => {
    const { details } = denialStatus(of, { reason: 'Invalid', errors: [{ ...invalidValue('a', 1, 'x'), type }] });
    expect(details?.causes?.map(cause => cause.reason)).toEqual([reason]);
  });

  it('is a text for other reasons', () => {
    expect(denialStatus(of, { reason: 'Forbidden', message: 'x' })).toEqual(forbiddenStatus('x'));
    expect(forbiddenStatus('x')).toEqual({ code: 403, reason: 'Forbidden', message: 'x' });
    expect(unreadableStatus('x')).toEqual({ code: 400, message: 'x' });
    expect(internalErrorStatus('x')).toEqual({
      status: 'Failure',
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: x',
    });
    expect(undeletableStatus(of, 'in use')).toEqual({
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: 'Machine.cluster.x-k8s.io "m" is forbidden: in use',
      details: { name: 'm', group: 'cluster.x-k8s.io', kind: 'Machine' },
    });
  });
});
