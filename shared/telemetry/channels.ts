// Process-wide observation points. Adapters publish facts here; counters, the local run, tests and benches subscribe.
// Nothing is computed when nobody listens, and bundles loaded side by side in one process share the channels.
import { channel } from 'node:diagnostics_channel';

/** One HTTP exchange with the API server, published when it ends. Never holds bodies or credentials. */
export interface RequestFact {
  /** Kubernetes verb: get, list, watch, create, patch, apply, delete. */
  readonly verb: string;
  readonly group: string;
  /** Plural resource, with `/status` for the subresource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun: boolean;
  /** HTTP status; 0 when no answer came. */
  readonly code: number;
  /** performance.now() at both ends. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Which function sent it; set by the wiring. */
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
  /** Milliseconds since the epoch: its beginning, and when the first of its messages was sent. */
  readonly startedAt: number;
  readonly sentAt: number;
  readonly causes: readonly string[];
  /** Of all its messages; the first is the one that the log lines carry. */
  readonly traces: readonly [string, ...string[]];
}

/** One structured log line, ready to print. */
export interface LogFact {
  readonly line: Readonly<Record<string, unknown>>;
}

export const requestSent = channel('capi-serverless:request-sent');
export const requests = channel('capi-serverless:request');
export const invocations = channel('capi-serverless:invocation');
export const reconciles = channel('capi-serverless:reconcile');
export const logs = channel('capi-serverless:log');
