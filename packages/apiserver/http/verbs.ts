// The verb of a request, and whether its resource offers it. Pure.
import type { ResourceEndpoint } from '../core/kinds.ts';
import { badRequest, NoSuchRouteError } from '../core/status.ts';
import { toPatchType } from './body.ts';
import { eviction } from './eviction.ts';
import { isWatch } from './parameters.ts';
import type { ApiRequest } from './request.ts';
import type { ResourceRoute } from './route.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Returns undefined for an unsupported method. */
export function verbOf(
  { method, query }: Pick<ApiRequest, 'method' | 'query'>,
  { name }: ResourceRoute,
): Verb | undefined {
  const isNamed = name !== undefined;
  const verbs: Readonly<Record<string, Verb>> = {
    GET: isNamed ? 'get' : isWatch(query) ? 'watch' : 'list',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: isNamed ? 'delete' : 'deletecollection',
  };
  return Object.hasOwn(verbs, method) ? verbs[method] : undefined;
}

/** Custom resources accept every verb with and without a name. A missing name is a malformed request. */
export function isOffered(
  verb: Verb,
  { resource }: ResourceEndpoint,
  { namespace, name, subresource }: ResourceRoute,
): boolean {
  if (subresource === eviction) {
    return verb === 'create';
  }
  if (resource.review !== undefined) {
    return verb === 'create' && name === undefined;
  }
  if (resource.readOnly === true) {
    return verb === 'get' || isReading(verb);
  }
  if (subresource !== undefined) {
    return subresource === 'finalize' ? verb === 'update' : ['get', 'update', 'patch'].includes(verb);
  }
  if (resource.custom) {
    return true;
  }
  const isAcross = resource.namespaced && namespace === undefined;
  const writes: readonly Verb[] = isAcross ? [] : ['create', 'deletecollection'];
  return name === undefined ? isReading(verb) || writes.includes(verb) : verb !== 'create';
}

function isReading(verb: Verb | undefined): boolean {
  return verb === 'list' || verb === 'watch';
}

export function checkNamed(verb: Verb, { contentType }: ApiRequest, { name }: ResourceRoute): void {
  if (name === undefined && (verb === 'update' || verb === 'patch')) {
    if (verb === 'patch') {
      toPatchType(contentType);
    }
    throw badRequest('name must be provided');
  }
}

/** Across all namespaces, only list and watch are supported. */
export function checkScope(
  { resource }: ResourceEndpoint,
  { namespace, name }: ResourceRoute,
  verb: Verb | undefined,
): void {
  const needsNamespace = resource.namespaced && (name !== undefined || (resource.custom && !isReading(verb)));
  if (namespace === undefined ? needsNamespace : !resource.namespaced) {
    throw new NoSuchRouteError();
  }
}

export function hasSubresource({ resource, version }: ResourceEndpoint, subresource: string): boolean {
  if (subresource === eviction) {
    return resource.evictable === true;
  }
  if (subresource === 'scale') {
    return version.scale !== undefined;
  }
  return subresource === 'status'
    ? version.status
    : subresource === 'finalize' && resource.kind === 'Namespace' && !resource.custom;
}
