// JSON merge patch (RFC 7386), with the nulls of lists as Kubernetes has them: a list in an object's place is taken as it
// is; anywhere else its objects lose their null members. Measured on a kube-apiserver.
import { memberOf, setMember, withoutNulls } from '../../../../shared/api/json.ts';
import { isObject } from './json.ts';

/** The target after the patch; neither is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(target)) {
    return withoutNulls(patch);
  }
  if (!isObject(patch)) {
    return patch;
  }
  const result: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (value !== undefined) {
      setMember(result, key, applyMergePatch(memberOf(result, key), value));
    }
  }
  return result;
}
