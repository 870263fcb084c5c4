// The smallest possible queue function, as a baseline: it loads nothing and refuses every message.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

export const handler = async (event: SQSEvent): Promise<SQSBatchResponse> => ({
  batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});
