// Batches whose invocation ends before their work.
import { expect, it } from 'vitest';
import { reconcileBatch } from '../../../../shared/kernel/batch.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { parseRequest, toBody } from '../../../../shared/workqueue/message.ts';
import type { OutgoingMessage } from '../../../../shared/workqueue/port.ts';
import { aReconciler, aRecordingLog, aWidget, widgetCrd } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

function aMessage(messageId: string, name: string, attempt: number) {
  const key = { managementCluster: 'mc-1', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name };
  return { messageId, body: toBody({ v: 1, reconciler: 'widget', key, cause: 'event', attempt, trace: 't' }) };
}

it('continues a reconcile out of time after a growing pause, and counts no error', async () => {
  const deadline = new AbortController();
  deadline.abort(new DOMException('The time of this invocation is up', 'TimeoutError'));
  const log = aRecordingLog();
  const api = createMemoryApi({ crds: [widgetCrd] });
  api.given(aWidget(), aWidget({ metadata: { name: 'w2' } }));
  const metrics = createMetricsRegistry();
  const counted = (name: string) =>
    metrics
      .snapshot()
      .filter(value => value.name === name)
      .map(({ labels, count }) => [labels, count]);
  const sent: { readonly queue: string; readonly message: OutgoingMessage }[] = [];
  const late = {
    reconciler: aReconciler({ report: () => ({ events: [], result: { kind: 'done' } }) }),
    kubernetes: api.kubernetes,
    ports: {},
    clock: api.clock,
    signal: deadline.signal,
    log,
    watchFilter: '',
    managementCluster: 'mc-1',
    queues: {
      send: async (queue: string, messages: readonly OutgoingMessage[]) => {
        sent.push(...messages.map(message => ({ queue, message })));
        return messages.map(() => ({ ok: true }) as const);
      },
      delete: async () => undefined,
    },
    metrics,
    newId: () => 'fixed',
    fullResyncPeriodMs: 600_000,
  };
  const messages = [aMessage('m1', 'w1', 1), aMessage('m2', 'w2', 2)];
  expect(await reconcileBatch(late, messages)).toEqual([]);
  const now = api.clock.now();
  const retries = sent.map(({ queue, message }) => ({ queue, ...parseRequest(message.body) }));
  expect(retries).toMatchObject([
    { queue: 'delay', cause: 'timer', attempt: 2 },
    { queue: 'delay', cause: 'timer', attempt: 3 },
  ]);
  expect(retries.map(({ due = 0 }) => due - now >= 2000)).toEqual([true, true]);
  expect(counted('capi_serverless_reconciles_out_of_time_total')).toEqual([[{ controller: 'widget' }, 2]]);
  expect(counted('workqueue_retries_total')).toEqual([[{ name: 'widget' }, 2]]);
  expect(counted('controller_runtime_reconcile_errors_total')).toEqual([]);
  expect(counted('controller_runtime_reconcile_total')).toEqual([
    [{ controller: 'widget', result: 'requeue_after' }, 2],
  ]);
  expect(log.lines).toMatchObject([
    {
      level: 'info',
      message: 'The time of the invocation is up, the next one continues',
      problem: 'The time of this invocation is up',
      attempt: 1,
      result: 'requeue_after',
      name: 'w1',
    },
    { level: 'info', attempt: 2, name: 'w2' },
  ]);
});
