import { describe } from 'vitest';
import { createQueues, localClient, toQueueUrls } from '../../../local/sqs.ts';
import { createSqsQueues } from '../../../shared/workqueue/sqs/sqs-queues.ts';
import { findElasticMq } from '../../elasticmq/location.ts';
import { describePart } from '../../support/describe-part.ts';
import { startElasticMq } from '../../support/elasticmq.ts';
import { timeLimitFactor } from '../../support/time-limits.ts';
import { queueRules, ruleQueues } from './queue-rules.ts';

describePart('the queue rules on ElasticMQ', findElasticMq(), {
  part: 'ElasticMQ',
  declare: ({ dir }) => {
    describe('in real time', () => {
      queueRules(async () => {
        const server = await startElasticMq(dir);
        const client = localClient(server.endpoint);
        await createQueues(client, ruleQueues);
        return {
          queues: createSqsQueues({ queueUrls: toQueueUrls(server.endpoint, ruleQueues), client, timeLimitFactor }),
          async stop() {
            client.destroy();
            await server.stop();
          },
        };
      });
    });
  },
});
