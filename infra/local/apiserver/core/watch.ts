// Watches are cursors over a resource's log: they hold no buffer, lose nothing and end when they fall too far behind.

import { shownAt } from './context.ts';
import { deepFreeze } from './json.ts';
import type { Endpoint } from './kinds.ts';
import type { Change } from './log.ts';
import { type Stored, withMetadata } from './object.ts';
import { isSelected, type Selection } from './selection.ts';
import { badRequest } from './status.ts';
import type { Store } from './store.ts';

/** So long before a stream is ended for its age, a last bookmark tells how far it got: what real servers do. */
export const lastBookmarkMs = 2_000;

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

/** `ended`: the reader fell behind the kept history, or the kind changed; start again from the last seen version. */
export type WatchStep = ObjectEvent | 'idle' | 'ended';

export interface Watch {
  next(): WatchStep;
  /** More changes wait for the reader than a front should let it keep waiting: the count of the history window. */
  isLate(): boolean;
  /** Everything up to this version has been told, provided that `next` just said `idle`. */
  version(): string;
}

export interface WatchOptions {
  /** Changes after this version; absent, "" or "0": first every existing object as ADDED, then what comes. */
  readonly resourceVersion?: string;
}

/** Throws Expired when changes after the version may be gone, BadRequest when it is not a number. */
export function watchObjects(store: Store, endpoint: Endpoint, query: Selection & WatchOptions): Watch {
  const { resource } = endpoint;
  const from = parseVersion(query.resourceVersion);
  const existing = from === undefined ? store.list(resource, query.namespace) : [];
  const initial = existing.filter(object => isSelected(object, query))[Symbol.iterator]();
  const position = store.readFrom(resource, from ?? store.version);
  const shown = (event: ObjectEvent): ObjectEvent => deepFreeze({ ...event, object: shownAt(endpoint, event.object) });
  return {
    next() {
      const first = initial.next();
      if (first.done !== true) {
        return shown({ type: 'ADDED', object: first.value });
      }
      for (;;) {
        const change = position.next();
        if (change === 'idle' || change === 'ended') {
          return change;
        }
        const event = change.version > (from ?? 0) ? toEvent(change, query) : undefined;
        if (event !== undefined) {
          return shown(event);
        }
      }
    },
    isLate: () => position.unread() > store.window.changes,
    version: () => String(Math.max(store.version, from ?? 0)),
  };
}

function parseVersion(text: string | undefined): number | undefined {
  if (text === undefined || text === '' || text === '0') {
    return undefined;
  }
  if (!/^[0-9]+$/.test(text)) {
    throw badRequest(`resourceVersion: Invalid value: "${text}"`);
  }
  return Number(text);
}

/** The change as seen through the selection: objects that begin to match are added, those that stop are deleted. */
function toEvent(change: Change, selection: Selection): ObjectEvent | undefined {
  const { object, previous } = change;
  const before = previous !== undefined && isSelected(previous, selection);
  const after = change.type !== 'DELETED' && isSelected(object, selection);
  if (after) {
    return { type: before ? 'MODIFIED' : 'ADDED', object };
  }
  return before
    ? { type: 'DELETED', object: withMetadata(previous, { resourceVersion: object.metadata.resourceVersion }) }
    : undefined;
}
