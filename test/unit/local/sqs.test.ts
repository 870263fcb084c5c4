import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalSqs, localClient, startSqs } from '../../../local/sqs.ts';
import { parseConfig } from '../../../shared/config/env.ts';
import { toConsumers, toQueueSpecs } from '../../../shared/workqueue/queue-specs.ts';

const specs = toQueueSpecs(toConsumers([{ name: 'cluster', timeoutSeconds: 30 }]));

describe('SQS in this process', () => {
  let sqs: LocalSqs | undefined;
  afterEach(async () => {
    await sqs?.stop();
    sqs = undefined;
  });

  it('serves every queue, only on the loopback address', async () => {
    sqs = await startSqs({ queues: specs });
    expect(sqs.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sqs.queueUrls).toEqual(
      Object.fromEntries(specs.map(({ name }) => [name, `${sqs?.endpoint}/000000000000/${name}`])),
    );
  });

  it('gives each queue its settings', async () => {
    sqs = await startSqs({ queues: specs });
    const client = localClient(sqs.endpoint);
    const attributesOf = async (name: string) => {
      const command = new GetQueueAttributesCommand({ QueueUrl: sqs?.queueUrls[name], AttributeNames: ['All'] });
      return (await client.send(command)).Attributes;
    };
    const work = await attributesOf('work-cluster.fifo');
    const delay = await attributesOf('delay');
    client.destroy();
    expect(work).toMatchObject({
      FifoQueue: 'true',
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      VisibilityTimeout: '180',
      MessageRetentionPeriod: '345600',
    });
    expect(JSON.parse(work?.['RedrivePolicy'] ?? '')).toEqual({
      deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:work-cluster-dlq.fifo',
      maxReceiveCount: 5,
    });
    expect(delay).not.toHaveProperty('FifoQueue');
    expect(JSON.parse(delay?.['RedrivePolicy'] ?? '')).toMatchObject({ maxReceiveCount: 10 });
  });

  it('puts the URLs of the queues into the environment of functions', async () => {
    sqs = await startSqs({ queues: specs });
    expect(parseConfig(sqs.environment).queueUrls).toEqual(sqs.queueUrls);
    expect(Object.keys(sqs.environment).sort()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_REGION',
      'AWS_SECRET_ACCESS_KEY',
      'CAPI_QUEUE_URLS',
    ]);
  });

  it('refuses a queue whose dead-letter queue does not exist yet', async () => {
    await expect(startSqs({ queues: [...specs].reverse() })).rejects.toThrow(
      'Queue "expand" needs its dead-letter queue "expand-dlq" created first',
    );
  });
});
