// Processes a batch of the expand queue. Failed messages are returned as batch item failures, so SQS delivers them
// again.
import { type Metrics, refusedMessages } from '../../shared/kernel/metrics.ts';
import { type Expansion, parseExpansion } from '../../shared/workqueue/expand.ts';
import { expand } from './expand.ts';
import type { ResyncOptions } from './options.ts';

interface ExpandMessage {
  readonly messageId: string;
  readonly body: string;
}

export interface ExpansionOptions extends ResyncOptions {
  readonly functionName: string;
  readonly metrics: Metrics;
}

/** Returns the ids of messages that must not be acknowledged: messages that are invalid or failed. */
export async function serveExpansions(
  options: ExpansionOptions,
  messages: readonly ExpandMessage[],
): Promise<readonly string[]> {
  const { functionName, metrics, log } = options;
  const failed: string[] = [];
  const idOf = new Map<Expansion, string>();
  for (const { messageId, body } of messages) {
    try {
      idOf.set(parseExpansion(body), messageId);
    } catch (error) {
      metrics.count(refusedMessages, { controller: functionName, reason: 'unreadable' });
      log.error('Refusing a message', error, { messageId });
      failed.push(messageId);
    }
  }
  const failures = await expand(options, [...idOf.keys()]);
  for (const [{ reconciler, source, trace }, error] of failures) {
    log.error('Expanding a source failed', error, { reconciler, source, trace });
  }
  return [...failed, ...[...idOf].filter(([expansion]) => failures.has(expansion)).map(([, messageId]) => messageId)];
}
