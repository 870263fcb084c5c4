// The body of an eviction. Pure.
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
import { isJsonObject, memberOf } from '@capi-serverless/apimachinery';
import { badRequest } from '../core/status.ts';
import { type DeleteParameters, parseDelete } from './parameters.ts';
import type { ResourceRoute } from './route.ts';

const versions: readonly unknown[] = ['policy/v1', 'policy/v1beta1'];

/** The name of the subresource of Pods. */
export const eviction = 'eviction';

/** The response to an accepted eviction. */
export const evicted = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const;

/** Returns the options of the deletion. Throws BadRequest for another body, and Invalid for wrong options. */
export function parseEviction(body: unknown, { namespace, name }: ResourceRoute): DeleteParameters {
  const { apiVersion = 'policy/v1', kind = 'Eviction', metadata = {}, deleteOptions } = isJsonObject(body) ? body : {};
  if (!isJsonObject(body) || kind !== 'Eviction' || !versions.includes(apiVersion)) {
    throw badRequest(`${String(kind)} in version ${String(apiVersion)} cannot be handled as an Eviction`);
  }
  if (memberOf(metadata, 'name') !== name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  if ((memberOf(metadata, 'namespace') || namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return parseDelete(new URLSearchParams(), deleteOptions ?? undefined);
}
