// The messages of event sources: requests for one reconciler and one object, and expansions that list primaries.
import { type Expansion, expansionVersion, type SourceRef } from '../workqueue/expand.ts';
import type { NewId } from '../workqueue/ids.ts';
import { type Key, manySources, messageVersion, type Request } from '../workqueue/message.ts';
import type { ChangeBundle } from './bundle.ts';

export interface WorkTarget {
  readonly reconciler: string;
  readonly key: Key;
}

export interface ExpandTarget {
  readonly reconciler: string;
  readonly source: SourceRef;
}

/** A request that lists its changes. Only a request for watch events can be deduplicated. */
export function toRequest({ target, cause, sources, many }: ChangeBundle<WorkTarget>, newId: NewId): Request {
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

export function toExpansion({ target }: Pick<ChangeBundle<ExpandTarget>, 'target'>, newId: NewId): Expansion {
  return { v: expansionVersion, ...target, trace: newId() };
}
