import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import { createQueues, localClient, toQueueUrls } from '../../../local/sqs.ts';
import { createSqsQueues } from '../../../shared/workqueue/sqs/sqs-queues.ts';
import { findElasticMq } from '../../elasticmq/location.ts';
import { describePart } from '../../support/describe-part.ts';
import { type ElasticMq, startElasticMq } from '../../support/elasticmq.ts';
import { timeLimitFactor } from '../../support/time-limits.ts';
import { describeQueues } from './suite.ts';
import { suiteQueues } from './suite-queues.ts';

describePart('the queue suite on ElasticMQ', findElasticMq(), {
  part: 'ElasticMQ',
  declare: ({ dir }) => {
    let server: ElasticMq;
    beforeAll(async () => {
      server = await startElasticMq(dir);
    });
    afterAll(() => server?.stop());

    describeQueues(
      'ElasticMQ',
      async () => {
        const client = localClient(server.endpoint);
        const queueUrls = toQueueUrls(server.endpoint, suiteQueues);
        await createQueues(client, suiteQueues);
        return {
          queues: createSqsQueues({ queueUrls, client, timeLimitFactor }),
          letPass: async () => {},
          async stop() {
            for (const url of Object.values(queueUrls)) {
              await client.send(new DeleteQueueCommand({ QueueUrl: url }));
            }
            client.destroy();
          },
        };
      },
      {
        virtualTime: 'its time is real',
        noticesHangUp:
          'it hands a message even to a receiver that has hung up, and hides it for the visibility timeout',
      },
    );
  },
});
