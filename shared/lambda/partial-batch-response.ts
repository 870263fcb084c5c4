// Turns failed message ids into the answer that makes the queue keep those messages and drop the others.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
import type { SQSBatchResponse } from 'aws-lambda';
import type { Middleware } from './invocation.ts';

/** Expects a list of ids from within; adds those of messages that could not be read. A thrown error fails the whole batch. */
export function partialBatchResponse(): Middleware {
  return {
    name: 'partialBatchResponse',
    after: request => {
      const served = request.response as readonly string[]; // sqsBatchHandler lets `serve` return nothing else
      const failed = new Set([...served, ...(request.internal.unreadable ?? [])]);
      const response: SQSBatchResponse = {
        batchItemFailures: [...failed].map(itemIdentifier => ({ itemIdentifier })),
      };
      request.response = response;
    },
  };
}
