// Compares JSON values where a wrong result "equal" is harmful.
import { sameJson } from '@capi-serverless/apimachinery';

/**
 * Returns true only if the values are equal. Returns false for whole numbers too large for a double, because two of
 * them may parse to the same value.
 */
export function isSurelySame(left: unknown, right: unknown): boolean {
  return sameJson(left, right) && isExact(left);
}

function isExact(value: unknown): boolean {
  if (typeof value === 'number') {
    return !Number.isInteger(value) || Number.isSafeInteger(value);
  }
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}
