// Diagnostics channels of the process. Adapters publish facts. Counters, the local run, tests and benches subscribe.
// Facts are not computed without subscribers. Bundles in one process share the channels.
import { channel } from 'node:diagnostics_channel';

/** One HTTP exchange with the API server, published when it ends. It never contains bodies or credentials. */
export interface RequestFact {
  /** A Kubernetes verb: get, list, watch, create, patch, apply or delete. */
  readonly verb: string;
  readonly group: string;
  /** The plural resource, with `/status` for the subresource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun: boolean;
  /** The HTTP status. 0 without an answer. */
  readonly code: number;
  /** The values of performance.now() at start and end. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The function that sent the request. */
  readonly client: string;
}

/** One finished invocation of a function by an event source mapping. */
export interface InvocationFact {
  readonly functionName: string;
  readonly messages: number;
  readonly failures: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** One finished reconcile. */
export interface ReconcileFact {
  readonly reconciler: string;
  readonly namespace: string;
  readonly name: string;
  readonly result: 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal_error';
  readonly passes: number;
  readonly writes: number;
  readonly seconds: number;
  /** Milliseconds since the epoch: the start of the reconcile, and the send time of its first message. */
  readonly startedAt: number;
  readonly sentAt: number;
  /** When the object is reconciled again, in milliseconds since the epoch. Absent if a change is awaited. */
  readonly dueAt?: number;
  readonly causes: readonly string[];
  /** The traces of all its messages. Log lines contain the first one. */
  readonly traces: readonly [string, ...string[]];
}

/** A reconcile that begins. Bound to a store of AsyncLocalStorage, it is the context of the requests of the reconcile. */
export interface ReconcilingFact {
  readonly reconciler: string;
  readonly namespace: string;
  readonly name: string;
}

/** One structured log line. */
export interface LogFact {
  readonly line: Readonly<Record<string, unknown>>;
}

export const requestSent = channel('capi-serverless:request-sent');
export const requests = channel('capi-serverless:request');
export const invocations = channel('capi-serverless:invocation');
export const reconciling = channel('capi-serverless:reconciling');
export const reconciles = channel('capi-serverless:reconcile');
export const logs = channel('capi-serverless:log');
