// Processes a batch of the expand queue. A failed expansion is sent again with backoff. Expansions for which no retry
// can succeed are reported as batch item failures.
import type { Log } from '@capi-serverless/reconciler';
import { TerminalError, toError } from '@capi-serverless/reconciler';
import { backoffMs } from '../../shared/kernel/backoff.ts';
import { failedFollowUps, type Metrics, refusedMessages, workqueueRetries } from '../../shared/kernel/metrics.ts';
import { type Expansion, parseExpansion } from '../../shared/workqueue/expand.ts';
import { toRetriedExpandMessage } from '../../shared/workqueue/outgoing.ts';
import type { QueueSender } from '../../shared/workqueue/port.ts';
import { expandQueue } from '../../shared/workqueue/queue-names.ts';
import { expand } from './expand.ts';
import type { ExpandOptions } from './options.ts';

interface ExpandMessage {
  readonly messageId: string;
  readonly body: string;
}

export interface ExpansionOptions {
  readonly functionName: string;
  readonly metrics: Metrics;
  readonly queues: QueueSender;
  readonly log: Log;
  /** Rejects while the API server cannot be reached. */
  readonly connect: () => Promise<ExpandOptions>;
}

interface FailedExpansion {
  readonly message: ExpandMessage;
  readonly expansion: Expansion;
  readonly error: Error;
}

/**
 * Returns the ids of the messages that must not be acknowledged. These are messages that cannot be parsed, messages for
 * which no retry can succeed, and messages whose retry the queue did not accept.
 */
export async function serveExpansions(
  options: ExpansionOptions,
  messages: readonly ExpandMessage[],
): Promise<readonly string[]> {
  const { functionName, metrics, log } = options;
  const refused: string[] = [];
  const messageOf = new Map<Expansion, ExpandMessage>();
  for (const message of messages) {
    try {
      messageOf.set(parseExpansion(message.body), message);
    } catch (error) {
      metrics.count(refusedMessages, { controller: functionName, reason: 'unreadable' });
      log.error('Refusing a message', error, { messageId: message.messageId });
      refused.push(message.messageId);
    }
  }
  const failures = await expandAll(options, [...messageOf.keys()]);
  const failed = [...messageOf].flatMap(([expansion, message]) => {
    const error = failures.get(expansion);
    return error === undefined ? [] : [{ message, expansion, error }];
  });
  return [...refused, ...(await retry(options, failed))];
}

/** If the connection fails, every expansion fails with this error. */
async function expandAll(
  { connect }: ExpansionOptions,
  expansions: readonly Expansion[],
): Promise<ReadonlyMap<Expansion, Error>> {
  if (expansions.length === 0) {
    return new Map();
  }
  let connected: ExpandOptions;
  try {
    connected = await connect();
  } catch (thrown) {
    const error = toError(thrown);
    return new Map(expansions.map(expansion => [expansion, error]));
  }
  return expand(connected, expansions);
}

/** Returns the ids of the messages without an accepted retry. */
async function retry(options: ExpansionOptions, failed: readonly FailedExpansion[]): Promise<readonly string[]> {
  const { functionName, metrics, queues, log } = options;
  for (const { expansion, error } of failed) {
    const { reconciler, source, trace, attempt = 0 } = expansion;
    log.error('Expanding a source failed', error, { reconciler, source, trace, attempt });
  }
  const hopeless = failed.filter(({ error }) => error instanceof TerminalError);
  const retried = failed.filter(({ error }) => !(error instanceof TerminalError));
  if (retried.length === 0) {
    return hopeless.map(({ message }) => message.messageId);
  }
  const outcomes = await queues.send(
    expandQueue,
    retried.map(({ message, expansion: { attempt = 0 } }) =>
      toRetriedExpandMessage(message.body, {
        attempt: attempt + 1,
        delaySeconds: Math.ceil(backoffMs(attempt) / 1000),
      }),
    ),
  );
  const unsent = retried.filter((_, index) => outcomes[index]?.ok !== true);
  for (const _ of retried.slice(unsent.length)) {
    metrics.count(workqueueRetries, { name: functionName });
  }
  for (const { message } of unsent) {
    metrics.count(failedFollowUps, { controller: functionName });
    log.error('Sending the follow-up failed', undefined, { queue: expandQueue, messageId: message.messageId });
  }
  return [...hopeless, ...unsent].map(({ message }) => message.messageId);
}
