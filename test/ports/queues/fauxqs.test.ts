import { localClient, startSqs } from '../../../local/sqs.ts';
import { createSqsQueues } from '../../../shared/workqueue/sqs/sqs-queues.ts';
import { timeLimitFactor } from '../../support/time-limits.ts';
import { describeQueues } from './suite.ts';
import { suiteQueues } from './suite-queues.ts';

describeQueues(
  'fauxqs',
  async () => {
    const sqs = await startSqs({ queues: suiteQueues });
    const client = localClient(sqs.endpoint);
    return {
      queues: createSqsQueues({ queueUrls: sqs.queueUrls, client, timeLimitFactor }),
      letPass: async () => {},
      async stop() {
        client.destroy();
        await sqs.stop();
      },
    };
  },
  { virtualTime: 'its time is real', severalOfAGroup: 'it returns one message of a group per receive' },
);
