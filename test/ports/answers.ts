// What the cases of all ports need: names that no other case uses, and short assertions about answers.
import { randomUUID } from 'node:crypto';
import type { Answer, ApiFailure } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';

/** Returns a name or label value that no other case uses, so that cases can run in any order. */
export function freshName(prefix = 'w'): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`;
}

/** Returns the value of a result that must be a success. */
export function expectValue<T>(answer: Answer<T>): T {
  if (!answer.ok) {
    throw new Error(`Expected success, but the answer was ${JSON.stringify(answer.failure)}`);
  }
  return answer.value;
}

/** Returns the failure of a result that must be a failure. */
export function expectFailure(answer: Answer<unknown>): ApiFailure {
  expect(answer.ok).toBe(false);
  if (answer.ok) {
    throw new Error('Expected a failure');
  }
  const { reason, notServed = false } = answer.failure;
  expect(answer.missing).toBe(reason === 'NotFound' && !notServed);
  return answer.failure;
}
