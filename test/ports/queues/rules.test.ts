import { describe } from 'vitest';
import { localClient, startSqs } from '../../../local/sqs.ts';
import { createSqsQueues } from '../../../shared/workqueue/sqs/sqs-queues.ts';
import { timeLimitFactor } from '../../support/time-limits.ts';
import { queueRules, ruleQueues } from './queue-rules.ts';

describe('the queue rules on fauxqs', () => {
  queueRules(async () => {
    const sqs = await startSqs({ queues: ruleQueues });
    const client = localClient(sqs.endpoint);
    return {
      queues: createSqsQueues({ queueUrls: sqs.queueUrls, client, timeLimitFactor }),
      async stop() {
        client.destroy();
        await sqs.stop();
      },
    };
  });
});
