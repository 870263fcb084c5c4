// Paged lists. All pages of one list come from the same snapshot.
import { type Instant, isJsonObject } from '@capi-serverless/apimachinery';
import { tryServe } from './context.ts';
import { deepFreeze } from './json.ts';
import type { Resource, ResourceEndpoint } from './kinds.ts';
import type { Stored } from './object.ts';
import type { Selection } from './selection.ts';
import { badRequest, listExpired, StatusError, versionTooLarge } from './status.ts';
import type { Store } from './store.ts';

export interface ListOptions {
  readonly limit?: number;
  /** Returns the state at exactly this version instead of the latest. */
  readonly at?: number;
  /** The token of the previous page. */
  readonly continue?: string;
}

export interface Page {
  readonly items: readonly Stored[];
  readonly resourceVersion: string;
  readonly continue?: string;
  /** The number of objects after this page. Absent for label selections and on the last page. */
  readonly remainingItemCount?: number;
  /** The objects that are left out, because they cannot be converted to the version. Absent if there are none. */
  readonly unconverted?: readonly UnconvertedObject[];
}

interface UnconvertedObject {
  readonly namespace: string;
  readonly name: string;
  readonly error: string;
}

interface Token {
  /** The version of the snapshot. 0 means the latest state. */
  readonly version: number;
  /** The time when the first page was read. */
  readonly since: Instant;
  /** The namespace and name of the last returned object. */
  readonly after: readonly [string, string];
}

/** kube-apiserver usually drops older snapshots. */
const tokenLifetimeMs = 300_000;

/** Throws BadRequest for a malformed token, Expired for an old token or version, and Timeout for a future version. */
export function listObjects(store: Store, endpoint: ResourceEndpoint, query: Selection & ListOptions): Page {
  const { resource } = endpoint;
  const token = query.continue === undefined ? undefined : parseToken(query.continue);
  const asked = token === undefined ? query.at : token.version;
  const at = asked === undefined || asked === 0 ? store.version : asked;
  if (at > store.version) {
    throw token === undefined ? versionTooLarge(at, store.version) : badRequest('continue key is not valid');
  }
  const since = token?.since ?? store.now();
  const all =
    token === undefined ? readAt(store, resource, { at, query }) : readPage(store, resource, { token, at, query });
  const selected = query.matches === undefined ? all : all.filter(query.matches);
  const rest = token === undefined ? selected : selected.filter(object => isAfter(object, token.after));
  const items = query.limit === undefined || query.limit <= 0 ? rest : rest.slice(0, query.limit);
  const remaining = rest.length - items.length;
  const last = items.at(-1);
  const more =
    remaining === 0 || last === undefined
      ? {}
      : { continue: toToken({ version: asked === 0 ? 0 : at, since, after: placeOf(last) }) };
  const count = remaining === 0 || query.matches !== undefined ? {} : { remainingItemCount: remaining };
  return deepFreeze({ ...showAll(endpoint, items), resourceVersion: String(at), ...more, ...count });
}

/** One object that cannot be converted must not hide the others. */
function showAll(endpoint: ResourceEndpoint, objects: readonly Stored[]): Pick<Page, 'items' | 'unconverted'> {
  const items: Stored[] = [];
  const unconverted: UnconvertedObject[] = [];
  for (const object of objects) {
    const served = tryServe(endpoint, object);
    if (served.ok) {
      items.push(served.value);
    } else {
      const [namespace, name] = placeOf(object);
      unconverted.push({ namespace, name, error: served.error });
    }
  }
  return unconverted.length === 0 ? { items } : { items, unconverted };
}

interface Reading {
  readonly at: number;
  readonly query: Selection;
}

function readAt(store: Store, resource: Resource, { at, query }: Reading): readonly Stored[] {
  return at === store.version ? store.list(resource, query.namespace) : store.listAt(resource, at, query.namespace);
}

/** Throws Expired with a token that continues without the snapshot. */
function readPage(
  store: Store,
  resource: Resource,
  { token, ...reading }: Reading & { readonly token: Token },
): readonly Stored[] {
  const goOn = (): StatusError => listExpired(toToken({ ...token, version: 0 }));
  if (token.version !== 0 && store.now() - token.since > tokenLifetimeMs) {
    throw goOn();
  }
  try {
    return readAt(store, resource, reading);
  } catch (error) {
    throw error instanceof StatusError && error.status.code === 410 ? goOn() : error;
  }
}

function isAfter(object: Stored, [namespace, name]: Token['after']): boolean {
  const own = object.metadata.namespace ?? '';
  return own > namespace || (own === namespace && object.metadata.name > name);
}

function placeOf({ metadata }: Stored): Token['after'] {
  return [metadata.namespace ?? '', metadata.name];
}

function toToken(token: Token): string {
  return btoa(JSON.stringify(token));
}

function parseToken(text: string): Token {
  try {
    const raw: unknown = JSON.parse(atob(text));
    const version = isJsonObject(raw) ? raw['version'] : undefined;
    const since = isJsonObject(raw) ? raw['since'] : undefined;
    const after = isJsonObject(raw) ? raw['after'] : undefined;
    const [namespace, name] = Array.isArray(after) ? after.map(String) : [];
    if (isCount(version) && isCount(since) && namespace !== undefined && name !== undefined) {
      return { version, since, after: [namespace, name] };
    }
  } catch {
    // The token is neither base64 nor JSON. It is reported below like any malformed token.
  }
  throw badRequest('continue key is not valid');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
