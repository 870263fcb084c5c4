// What leaves the forwarder: requests for one reconciler and one object, and orders to look primaries up.
import { type Expansion, expansionVersion, type SourceRef } from '../workqueue/expand.ts';
import type { NewId } from '../workqueue/ids.ts';
import { type Key, manySources, messageVersion, type Request } from '../workqueue/message.ts';
import type { Bundle } from './bundle.ts';

export interface WorkTarget {
  readonly reconciler: string;
  readonly key: Key;
}

export interface ExpandTarget {
  readonly reconciler: string;
  readonly source: SourceRef;
}

/** A request that names what it stands for; only one made of watch events alone has an id that may be merged. */
export function toRequest({ target, cause, sources, many }: Bundle<WorkTarget>, newId: NewId): Request {
  const named = [...sources.values()].map(({ uid, resourceVersion }) => `${uid}@${resourceVersion}`);
  return {
    v: messageVersion,
    ...target,
    cause,
    attempt: 0,
    sources: many ? [...named, manySources] : named,
    trace: newId(),
  };
}

export function toExpansion({ target }: Bundle<ExpandTarget>, newId: NewId): Expansion {
  return { v: expansionVersion, ...target, trace: newId() };
}
