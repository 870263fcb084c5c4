// Counts reconciles, messages and requests of the local run. The data comes from the diagnostics channels of the
// adapters.
import type { Channel } from 'node:diagnostics_channel';
import {
  type InvocationFact,
  invocations,
  type ReconcileFact,
  type RequestFact,
  reconciles,
  requests,
} from '../shared/diagnostics/channels.ts';

export interface Summary {
  /** The counters per reconciler. */
  readonly reconciles: Readonly<Record<string, number>>;
  readonly failedReconciles: number;
  readonly invocations: Readonly<Record<string, number>>;
  /** The number of messages that were delivered to functions. */
  readonly messages: number;
  /** The number of requests by `verb resource`, for example `patch clusters/status`. */
  readonly requests: Readonly<Record<string, number>>;
  readonly requestsTotal: number;
}

export interface Counters {
  summary(): Summary;
  stop(): void;
}

/** Excludes the requests of the client `except`. These are the requests of the tool itself. */
export function startCounters({ except }: { readonly except: string }): Counters {
  const counted = { reconciles: tally(), invocations: tally(), requests: tally(), messages: 0, failed: 0 };
  const stops = [
    listen<ReconcileFact>(reconciles, fact => {
      counted.reconciles.add(fact.reconciler);
      counted.failed += fact.result.endsWith('error') ? 1 : 0;
    }),
    listen<InvocationFact>(invocations, fact => {
      counted.invocations.add(fact.functionName);
      counted.messages += fact.messages;
    }),
    listen<RequestFact>(requests, fact => {
      if (fact.client !== except) {
        counted.requests.add(`${fact.verb} ${fact.resource}`);
      }
    }),
  ];
  return {
    summary: () => ({
      reconciles: counted.reconciles.all(),
      failedReconciles: counted.failed,
      invocations: counted.invocations.all(),
      messages: counted.messages,
      requests: counted.requests.all(),
      requestsTotal: Object.values(counted.requests.all()).reduce((sum, count) => sum + count, 0),
    }),
    stop: () => {
      for (const stop of stops) {
        stop();
      }
    },
  };
}

/** Calls `on` with each fact. Returns a function that unsubscribes. */
export function listen<Fact>(channel: Channel, on: (fact: Fact) => void): () => void {
  const subscriber = (message: unknown): void => on(message as Fact); // True: each channel has one kind of fact
  channel.subscribe(subscriber);
  return () => {
    channel.unsubscribe(subscriber);
  };
}

function tally() {
  const counts = new Map<string, number>();
  return {
    add(name: string): void {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    all: () => Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b))),
  };
}
