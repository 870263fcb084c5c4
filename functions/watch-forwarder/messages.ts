// What leaves the forwarder: requests for one reconciler and one object, and orders to look primaries up.
import type { ObjectRef } from '../../shared/api/object.ts';
import { expansionVersion } from '../../shared/workqueue/expand.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { type Key, manySources, messageVersion } from '../../shared/workqueue/message.ts';
import { toExpandMessage, toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage } from '../../shared/workqueue/port.ts';
import type { Bundle } from './debounce.ts';

export interface WorkTarget {
  readonly reconciler: string;
  readonly key: Key;
}

export interface ExpandTarget {
  readonly reconciler: string;
  readonly source: ObjectRef;
}

/** A request that names what it stands for; only one made of watch events alone has an id that may be merged. */
export function toRequestMessage(bundle: Bundle<WorkTarget>, newId: NewId): OutgoingMessage {
  const { target, cause, many } = bundle;
  const named = [...bundle.sources.values()].map(({ uid, resourceVersion }) => `${uid}@${resourceVersion}`);
  const sources = many ? [...named, manySources] : named;
  return toWorkMessage({ v: messageVersion, ...target, cause, attempt: 0, sources, trace: newId() }, newId);
}

export function toExpansionMessage({ target }: Bundle<ExpandTarget>, newId: NewId): OutgoingMessage {
  return toExpandMessage({ v: expansionVersion, ...target, trace: newId() });
}
