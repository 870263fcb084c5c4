// Watches are cursors over the log of a resource. They have no buffer and lose no event. They end if they fall too far
// behind.

import { servedAt, tryServe } from './context.ts';
import { deepFreeze } from './json.ts';
import type { ResourceEndpoint } from './kinds.ts';
import type { LoggedChange } from './log.ts';
import { type Stored, withMetadata } from './object.ts';
import { isSelected, type Selection } from './selection.ts';
import { badRequest } from './status.ts';
import type { Store } from './store.ts';

/** The time between the last bookmark and the end of a stream, as in kube-apiserver. */
export const lastBookmarkMs = 2_000;

interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

/**
 * `ended`: unread history was dropped or the kind changed. The client must restart from the last version it received.
 */
type WatchStep = ObjectEvent | 'idle' | 'ended';

export interface ResourceWatch {
  next(): WatchStep;
  /** Returns true if the number of unread changes exceeds the history window. A front end should then end the watch. */
  isLate(): boolean;
  /** All changes up to this version were returned, if `next` has just returned `idle`. */
  version(): string;
}

export interface WatchOptions {
  /** Watches changes after this version. With "", "0" or no version, each existing object is first sent as ADDED. */
  readonly resourceVersion?: string;
}

/** Throws Expired if later changes may have been dropped, and BadRequest if the version is not a number. */
export function watchObjects(store: Store, endpoint: ResourceEndpoint, query: Selection & WatchOptions): ResourceWatch {
  const { resource } = endpoint;
  const from = parseVersion(query.resourceVersion);
  const existing = from === undefined ? store.list(resource, query.namespace) : [];
  const isShown = (object: Stored): boolean => isSelected(object, query) && isServable(endpoint, object);
  const initial = existing.filter(isShown)[Symbol.iterator]();
  const position = store.readFrom(resource, from ?? store.version);
  const shown = (event: ObjectEvent): ObjectEvent => deepFreeze({ ...event, object: servedAt(endpoint, event.object) });
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
        const event = change.version > (from ?? 0) ? toEvent(change, isShown) : undefined;
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

/** An object that cannot be converted is not selected, so that it does not end the watch. */
function isServable(endpoint: ResourceEndpoint, object: Stored): boolean {
  return endpoint.version.convertedFrom === undefined || tryServe(endpoint, object).ok;
}

/**
 * Returns the change within the selection. Objects that start to match are ADDED. Objects that stop matching are
 * DELETED.
 */
function toEvent(change: LoggedChange, isShown: (object: Stored) => boolean): ObjectEvent | undefined {
  const { object, previous } = change;
  const before = previous !== undefined && isShown(previous);
  const after = change.type !== 'DELETED' && isShown(object);
  if (after) {
    return { type: before ? 'MODIFIED' : 'ADDED', object };
  }
  return before
    ? { type: 'DELETED', object: withMetadata(previous, { resourceVersion: object.metadata.resourceVersion }) }
    : undefined;
}
