// The queue port of one process.

import type {
  OutgoingMessage,
  QueueName,
  QueueReceiver,
  QueueSender,
  QueueVisibility,
  SendOutcome,
} from '../../../shared/workqueue/port.ts';
import { toBatches, toBytes } from '../../../shared/workqueue/send-limits.ts';
import type { SimulatedProcess } from '../engine/process.ts';

/** The queues themselves, where calls take effect immediately. */
interface QueueService extends QueueSender, Pick<QueueReceiver, 'delete'>, QueueVisibility {}

/** The SQS adapter's limit for one call. */
const callTimeoutMs = 8_000;

export function connectQueues(process: SimulatedProcess, service: QueueService): QueueService {
  return {
    async send(queue, messages) {
      const batches = toBatches(messages, toBytes);
      return (await Promise.all(batches.map(batch => sendBatch(process, service, { queue, batch })))).flat();
    },
    changeVisibility: (queue, receiptHandles, seconds) =>
      callOrThrow(process, `hide ${receiptHandles.length} of ${queue} for ${seconds} s`, () =>
        service.changeVisibility(queue, receiptHandles, seconds),
      ),
    delete: (queue, receiptHandles) =>
      callOrThrow(process, `delete ${receiptHandles.length} of ${queue}`, () => service.delete(queue, receiptHandles)),
  };
}

async function callOrThrow(process: SimulatedProcess, label: string, perform: () => Promise<void>): Promise<void> {
  const error = await process.request<Error | undefined>({
    port: 'queues',
    label,
    isWrite: true,
    signal: undefined,
    timeoutMs: callTimeoutMs,
    async perform() {
      await perform();
      return undefined;
    },
    refused: as => new Error(`Queue: ${label}: ${as}`),
  });
  if (error !== undefined) {
    throw error;
  }
}

function sendBatch(
  process: SimulatedProcess,
  service: QueueService,
  { queue, batch }: { readonly queue: QueueName; readonly batch: readonly OutgoingMessage[] },
): Promise<readonly SendOutcome[]> {
  return process.request<readonly SendOutcome[]>({
    port: 'queues',
    label: `send ${batch.length} to ${queue}`,
    isWrite: true,
    signal: undefined,
    timeoutMs: callTimeoutMs,
    perform: () => service.send(queue, batch),
    refused: as => batch.map(() => ({ ok: false, error: new Error(`Sending to queue "${queue}" failed: ${as}`) })),
  });
}
