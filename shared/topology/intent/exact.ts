// Comparing JSON values where a wrong "equal" would be believed.
import { sameJson } from '../../api/json.ts';

/** Surely equal: false, too, where whole numbers are too large for a double, as two of them may read the same. */
export function isSurelySame(left: unknown, right: unknown): boolean {
  return sameJson(left, right) && isExact(left);
}

function isExact(value: unknown): boolean {
  if (typeof value === 'number') {
    return !Number.isInteger(value) || Number.isSafeInteger(value);
  }
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}
