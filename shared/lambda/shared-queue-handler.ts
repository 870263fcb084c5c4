// The Lambda handler of a work queue that all reconcilers share. It passes each message to the handler of its
// reconciler, which processes the message like one of its own queue.
import { toError } from '@capi-serverless/reconciler';
import type { Context, SQSBatchItemFailure, SQSBatchResponse } from 'aws-lambda';
import * as z from 'zod/mini';
import { refusedMessages } from '../kernel/metrics.ts';
import { parseRequest } from '../workqueue/message.ts';
import { type LambdaHandler, type SqsBatchOptions, sqsBatchHandler } from './handlers.ts';

type LoadHandler = () => Promise<{ readonly handler: LambdaHandler<SQSBatchResponse> }>;

interface SharedQueueOptions extends Omit<SqsBatchOptions, 'queues' | 'serve'> {
  /** By reconciler. A handler is loaded with the first message of its reconciler. */
  readonly handlers: Readonly<Record<string, LoadHandler>>;
}

const eventSchema = z.object({ Records: z.array(z.unknown()).check(z.minLength(1)) });
const recordSchema = z.looseObject({ messageId: z.string(), body: z.string() });

type SqsRecord = z.infer<typeof recordSchema>;

/**
 * The reconcilers process their messages concurrently. If a handler throws or cannot be loaded, only the messages of
 * its reconciler fail. Unreadable messages and those of reconcilers without a handler are refused: they become dead
 * letters. Throws if the event is not a batch of messages.
 */
export function sharedQueueHandler(options: SharedQueueOptions): LambdaHandler<SQSBatchResponse> {
  const refuse = refusing(options);
  return async (event, context) => {
    const parsed = eventSchema.safeParse(event);
    if (!parsed.success) {
      return refuse(event, context);
    }
    const { byReconciler, refused } = divide(parsed.data.Records, options.handlers);
    const failures = await Promise.all([
      ...[...byReconciler].map(([reconciler, group]) => serve(options, { reconciler, ...group }, context)),
      ...(refused.length === 0 ? [] : [refuse({ Records: refused }, context).then(toFailures)]),
    ]);
    return { batchItemFailures: failures.flat() };
  };
}

interface Group {
  readonly load: LoadHandler;
  readonly records: SqsRecord[];
}

async function serve(
  { log }: SharedQueueOptions,
  { reconciler, load, records }: Group & { readonly reconciler: string },
  context: Context,
): Promise<readonly SQSBatchItemFailure[]> {
  try {
    const { handler } = await load();
    return toFailures(await handler({ Records: records }, context));
  } catch (thrown) {
    log.error('Serving the messages of a reconciler failed', toError(thrown), { controller: reconciler });
    return records.map(({ messageId }) => ({ itemIdentifier: messageId }));
  }
}

function divide(
  records: readonly unknown[],
  handlers: SharedQueueOptions['handlers'],
): { readonly byReconciler: ReadonlyMap<string, Group>; readonly refused: readonly unknown[] } {
  const byReconciler = new Map<string, Group>();
  const refused: unknown[] = [];
  for (const record of records) {
    const read = recordSchema.safeParse(record);
    const reconciler = read.success ? readReconciler(read.data.body) : undefined;
    const load = typeof reconciler === 'string' && Object.hasOwn(handlers, reconciler) && handlers[reconciler];
    if (read.success && typeof reconciler === 'string' && load) {
      const group = byReconciler.get(reconciler) ?? { load, records: [] };
      group.records.push(read.data);
      byReconciler.set(reconciler, group);
    } else {
      refused.push(record);
    }
  }
  return { byReconciler, refused };
}

/** Returns the problem of a message that cannot be read. */
function readReconciler(body: string): string | Error {
  try {
    return parseRequest(body).reconciler;
  } catch (thrown) {
    return toError(thrown);
  }
}

/** The handler of the messages that no reconciler gets. */
function refusing(options: SharedQueueOptions): LambdaHandler<SQSBatchResponse> {
  const { functionName, metrics } = options;
  return sqsBatchHandler({
    ...options,
    serve: async ({ messages }, { log }) => {
      for (const { messageId, body } of messages) {
        const reconciler = readReconciler(body);
        const [reason, problem] =
          reconciler instanceof Error
            ? ['unreadable', reconciler]
            : ['unknown_reconciler', new Error(`Message is for reconciler ${reconciler}, which does not run here`)];
        metrics.count(refusedMessages, { controller: functionName, reason });
        log.error('Refusing a message', problem, { messageId, reason });
      }
      return messages.map(({ messageId }) => messageId);
    },
  });
}

function toFailures({ batchItemFailures }: SQSBatchResponse): readonly SQSBatchItemFailure[] {
  return batchItemFailures;
}
