// What a batch needs besides its reconciler: an API server in memory, and queues that accept each message.
import type { BatchContext, Connected } from '../../shared/kernel/batch.ts';
import { createMetricsRegistry } from '../../shared/telemetry/metrics-registry.ts';
import { aRecordingLog } from './kernel.ts';
import type { MemoryApi } from './memory-api.ts';

/** The messages of the batch name the management cluster `mc`. */
export function aBatchContext({ kubernetes, clock }: MemoryApi) {
  return {
    kubernetes,
    clock,
    signal: new AbortController().signal,
    log: aRecordingLog(),
    watchFilter: '',
    managementCluster: 'mc',
    queues: { send: async (_queue, messages) => messages.map(() => ({ ok: true })), delete: async () => {} },
    metrics: createMetricsRegistry(),
    newId: () => 'fixed',
    fullResyncPeriodMs: 600_000,
  } satisfies Partial<BatchContext<object, object> & Connected>;
}
