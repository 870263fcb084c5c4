// The least that can be deployed behind a queue: every message is refused, nothing is loaded.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});
