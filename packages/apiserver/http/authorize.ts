// Authorization. Members of system:masters may send all requests. Other users may only read discovery.

import { StatusError } from '../core/status.ts';
import type { UserInfo } from './request.ts';
import type { ResourceRoute } from './route.ts';

const masters = 'system:masters';

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function mayDoAll(user: UserInfo | undefined): boolean {
  return user?.groups.includes(masters) === true;
}

/** Throws Forbidden. */
export function checkAccess(user: UserInfo | undefined, verb: string, route: ResourceRoute): void {
  if (mayDoAll(user)) {
    return;
  }
  const { group, plural, subresource, namespace, name = '' } = route;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const object = name === '' ? '' : ` "${name}"`;
  const what = `${plural}${group === '' ? '' : `.${group}`}${object}`;
  const why = `User "${user?.name ?? ''}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  throw new StatusError(403, 'Forbidden', `${what} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
  });
}

/** Returns the user of a bearer token, or `undefined` if it is not valid. */
export type AuthenticateToken = (token: string) => UserInfo | undefined;

/** Finds the user of an Authorization header. `others` is asked about tokens that belong to none of `users`. */
export function createAuthenticator(
  users: ReadonlyMap<string, UserInfo>,
  others: AuthenticateToken,
): (authorization: string | undefined) => UserInfo | undefined {
  return authorization => {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return token === undefined ? undefined : (users.get(token) ?? others(token));
  };
}
