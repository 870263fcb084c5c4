import { invalid, valid } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import {
  internalError,
  internalErrorMessage,
  isInternalError,
  orInternalError,
} from '../../../../../packages/cluster-api/conditions/internal-error.ts';

const failed = { type: 'Ready', status: 'Unknown', reason: 'InternalError', message: internalErrorMessage };
const computed = { type: 'Ready', status: 'True', reason: 'Ready', message: '' } as const;

it('reports that a value could not be computed', () => {
  expect(internalError('Ready')).toEqual(failed);
  expect(internalErrorMessage).toBe('Please check controller logs for errors');
});

it('recognizes the condition by its reason', () => {
  expect(isInternalError(internalError('Ready'))).toBe(true);
  expect(isInternalError(computed)).toBe(false);
});

it('replaces a computation that failed, and only that', () => {
  expect(orInternalError(valid(computed), 'Ready')).toBe(computed);
  expect(orInternalError(invalid('a list is missing'), 'Ready')).toEqual(failed);
});
