// JSON merge patch (RFC 7386).
import { memberOf, setMember } from '../../../../shared/api/json.ts';
import { isObject } from './json.ts';

/** The target after the patch; neither is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) {
    return patch;
  }
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (value !== undefined) {
      setMember(result, key, applyMergePatch(memberOf(result, key), value));
    }
  }
  return result;
}
