// Assertions of the cases. Their errors contain the expected and the actual value.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type Condition, getCondition } from '@capi-serverless/cluster-api/conditions';
import { conditionsOf } from '../provider-observation.ts';

/** Throws unless `holds` is true. */
export function expectThat(holds: boolean, expectation: string, found?: unknown): asserts holds {
  if (!holds) {
    throw new Error(`Expected ${expectation}${found === undefined ? '' : `, but found ${JSON.stringify(found)}`}`);
  }
}

export function conditionOf(object: Unstructured | undefined, type: string): Condition | undefined {
  return object === undefined ? undefined : getCondition(conditionsOf(object), type);
}

export function expectCondition(
  object: Unstructured | undefined,
  type: string,
  wanted: { readonly status: string; readonly reason?: string; readonly message?: string },
): void {
  const found = conditionOf(object, type);
  const isRight =
    found !== undefined &&
    found.status === wanted.status &&
    (wanted.reason === undefined || found.reason === wanted.reason) &&
    (wanted.message === undefined || found.message === wanted.message);
  expectThat(isRight, `condition ${type} with ${JSON.stringify(wanted)}`, found ?? 'none');
}
