// Strategic merge patches without directives, as `kubectl cordon` and `kubectl taint` send them. Pure.
// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
import { isJsonObject } from '@capi-serverless/apimachinery';
import { badRequest } from '../core/status.ts';

/**
 * Returns the merge patch with the same result. `replaced` are the paths of lists that are replaced as a whole. Throws
 * BadRequest for other lists and for directives, whose result depends on merge keys.
 */
export function toMergePatch(body: unknown, replaced: readonly string[]): unknown {
  check(body, '', replaced);
  return body;
}

function check(value: unknown, path: string, replaced: readonly string[]): void {
  if (Array.isArray(value) && !replaced.includes(path)) {
    throw badRequest(`a strategic merge patch may not contain the list ${path}: send a merge patch or a JSON patch`);
  }
  if (!isJsonObject(value)) {
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key.startsWith('$')) {
      throw badRequest(`a strategic merge patch may not contain ${key}: send a merge patch or a JSON patch`);
    }
    check(member, path === '' ? key : `${path}.${key}`, replaced);
  }
}
