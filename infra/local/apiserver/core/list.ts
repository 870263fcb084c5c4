// Lists in pages. All pages of one list show the snapshot of the first one.
import { shownAt } from './context.ts';
import { deepFreeze, isObject } from './json.ts';
import type { Endpoint } from './kinds.ts';
import type { Stored } from './object.ts';
import type { Selection } from './selection.ts';
import { badRequest } from './status.ts';
import type { Store } from './store.ts';

export interface ListOptions {
  readonly limit?: number;
  /** From the page before. */
  readonly continue?: string;
}

export interface Page {
  readonly items: readonly Stored[];
  readonly resourceVersion: string;
  readonly continue?: string;
  /** How many objects come after this page; absent for selections by label and on the last page. */
  readonly remainingItemCount?: number;
}

interface Token {
  readonly version: number;
  /** Namespace and name of the last object that was handed out. */
  readonly after: readonly [string, string];
}

/** Throws BadRequest for a malformed token, Expired for one that is too old. */
export function listObjects(store: Store, endpoint: Endpoint, query: Selection & ListOptions): Page {
  const { resource } = endpoint;
  const token = query.continue === undefined ? undefined : parseToken(query.continue);
  const at = token?.version ?? store.version;
  if (at > store.version) {
    throw badRequest('continue key is not valid');
  }
  const all = token === undefined ? store.list(resource, query.namespace) : store.listAt(resource, at, query.namespace);
  const selected = query.matches === undefined ? all : all.filter(query.matches);
  const rest = token === undefined ? selected : selected.filter(object => isAfter(object, token.after));
  const items = query.limit === undefined || query.limit <= 0 ? rest : rest.slice(0, query.limit);
  const remaining = rest.length - items.length;
  const last = items.at(-1);
  const more = remaining === 0 || last === undefined ? {} : { continue: toToken(at, last) };
  const count = remaining === 0 || query.matches !== undefined ? {} : { remainingItemCount: remaining };
  const shown = items.map(object => shownAt(endpoint, object));
  return deepFreeze({ items: shown, resourceVersion: String(at), ...more, ...count });
}

function isAfter(object: Stored, [namespace, name]: Token['after']): boolean {
  const own = object.metadata.namespace ?? '';
  return own > namespace || (own === namespace && object.metadata.name > name);
}

function toToken(version: number, last: Stored): string {
  const token: Token = { version, after: [last.metadata.namespace ?? '', last.metadata.name] };
  return btoa(JSON.stringify(token));
}

function parseToken(text: string): Token {
  try {
    const raw: unknown = JSON.parse(atob(text));
    const version = isObject(raw) ? raw['version'] : undefined;
    const after = isObject(raw) ? raw['after'] : undefined;
    const [namespace, name] = Array.isArray(after) ? after.map(String) : [];
    if (typeof version === 'number' && Number.isSafeInteger(version) && namespace !== undefined && name !== undefined) {
      return { version, after: [namespace, name] };
    }
  } catch {
    // Neither base64 nor JSON: told below like any other malformed token.
  }
  throw badRequest('continue key is not valid');
}
