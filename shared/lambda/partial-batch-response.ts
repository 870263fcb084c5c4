// Middleware that returns failed message ids as batch item failures. SQS delivers these messages again and deletes the
// others.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
import type { SQSBatchResponse } from 'aws-lambda';
import type { Middleware } from './invocation.ts';

/**
 * Expects the failed ids as response and adds the ids of unreadable messages. If the work throws, the whole batch
 * fails.
 */
export function partialBatchResponse(): Middleware {
  return {
    name: 'partialBatchResponse',
    after: request => {
      const served = request.response as readonly string[]; // true: this is the return type of `serve`
      const failed = new Set([...served, ...(request.internal.unreadable ?? [])]);
      const response: SQSBatchResponse = {
        batchItemFailures: [...failed].map(itemIdentifier => ({ itemIdentifier })),
      };
      request.response = response;
    },
  };
}
