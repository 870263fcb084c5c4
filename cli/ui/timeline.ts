// The last reconciles of each object: what caused them, what they read and wrote, and what comes next. The facts come from the
// diagnostics channels of this process.
import { AsyncLocalStorage } from 'node:async_hooks';
import { listen } from '../../local/counters.ts';
import { setNewest } from '../../shared/bounded-map.ts';
import {
  type ReconcileFact,
  type ReconcilingFact,
  type RequestFact,
  reconciles,
  reconciling,
  requests,
} from '../../shared/diagnostics/channels.ts';

/** A request of a reconcile. */
export interface TimelineRequest {
  readonly verb: string;
  /** The plural resource, with `/status` for the subresource. */
  readonly resource: string;
  readonly name: string;
  /** The HTTP status. 0 without an answer. */
  readonly code: number;
}

export interface TimelineEntry extends ReconcileFact {
  readonly reads: readonly TimelineRequest[];
  readonly written: readonly TimelineRequest[];
}

export interface Timeline {
  /** Returns the reconciles of the object by one of these reconcilers, the latest first. */
  entriesOf(
    reconcilers: readonly string[],
    of: { readonly namespace: string; readonly name: string },
  ): readonly TimelineEntry[];
  stop(): void;
}

const mostEntries = 20;
const mostObjects = 5_000;
/** A reconcile may list a large fleet. */
const mostRequests = 200;

interface Running {
  readonly requests: TimelineRequest[];
}

/** Records the reconciles of this process from now on. Calls `onEntry` after each. */
export function recordTimeline(onEntry: () => void): Timeline {
  const store = new AsyncLocalStorage<Running>();
  const running = new Map<string, Running>();
  const objects = new Map<string, readonly TimelineEntry[]>();
  reconciling.bindStore(store, fact => {
    const run: Running = { requests: [] };
    running.set(keyOf(fact as ReconcilingFact), run); // True: the channel has one kind of fact.
    return run;
  });
  const stops = [
    listen<RequestFact>(requests, ({ verb, resource, name = '', code }) => {
      const run = store.getStore();
      if (run !== undefined && run.requests.length < mostRequests) {
        run.requests.push({ verb, resource, name, code });
      }
    }),
    listen<ReconcileFact>(reconciles, fact => {
      const key = keyOf(fact);
      const sent = running.get(key)?.requests ?? [];
      running.delete(key);
      const entry = { ...fact, reads: sent.filter(isRead), written: sent.filter(request => !isRead(request)) };
      const known = objects.get(key) ?? [];
      setNewest(objects, key, [entry, ...known].slice(0, mostEntries), mostObjects);
      onEntry();
    }),
  ];
  return {
    entriesOf: (reconcilers, { namespace, name }) =>
      reconcilers
        .flatMap(reconciler => objects.get(keyOf({ reconciler, namespace, name })) ?? [])
        .toSorted((a, b) => b.startedAt - a.startedAt)
        .slice(0, mostEntries),
    stop() {
      reconciling.unbindStore(store);
      for (const stop of stops) {
        stop();
      }
    },
  };
}

function keyOf({ reconciler, namespace, name }: ReconcilingFact): string {
  return `${reconciler} ${namespace}/${name}`;
}

function isRead({ verb }: TimelineRequest): boolean {
  return verb === 'get' || verb === 'list';
}
