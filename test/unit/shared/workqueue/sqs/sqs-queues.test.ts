// The SQS adapter during partial or complete failures of the service. test/ports/queues tests the rest.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqsClient } from '../../../../../shared/workqueue/sqs/sqs-client.ts';
import { createSqsQueues, QueueError } from '../../../../../shared/workqueue/sqs/sqs-queues.ts';

type Answer = { readonly status: number; readonly body: unknown };

describe('the SQS adapter', () => {
  let server: Server;
  let client: SQSClient;
  let answers: Answer[];
  let calls: { readonly action: string; readonly input: Readonly<Record<string, unknown>> }[];
  const queues = () => createSqsQueues({ client, queueUrls: { delay: `${origin()}/1/delay` } });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // true: it is listening, so the address is never null

  beforeEach(async () => {
    answers = [];
    calls = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
        calls.push({ action, input: JSON.parse(Buffer.concat(chunks).toString()) });
        const { status, body } = answers.shift() ?? { status: 200, body: {} };
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new SQSClient({ endpoint: origin(), region: 'us-east-1', credentials, maxAttempts: 1, md5: false });
  });

  afterEach(async () => {
    client.destroy();
    await new Promise(resolve => server.close(resolve));
  });

  it('returns for each message whether the queue accepted it', async () => {
    const failed = [{ Id: '1', SenderFault: false, Code: 'InternalError', Message: 'try later' }];
    answers.push({ status: 200, body: { Successful: [{ Id: '0' }, { Id: '3' }], Failed: failed } });
    const outcomes = await queues().send('delay', [{ body: 'a' }, { body: 'b' }, { body: '' }, { body: 'd' }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false, true]);
    expect(outcomes[1]).toMatchObject({
      error: { name: 'QueueError', message: 'Sending to queue "delay" failed: InternalError: try later' },
    });
    expect(calls).toMatchObject([{ action: 'SendMessageBatch', input: { Entries: [{}, {}, {}] } }]);
  });

  it('accepts the physical queue name of an event source mapping', async () => {
    const queueUrl = `${origin()}/1/blue-delay`;
    await createSqsQueues({ client, queueUrls: { delay: queueUrl } }).changeVisibility('blue-delay', ['handle'], 35);
    expect(calls).toMatchObject([
      { action: 'ChangeMessageVisibilityBatch', input: { QueueUrl: queueUrl, Entries: [{ VisibilityTimeout: 35 }] } },
    ]);
  });

  it('sends the messages of reconcilers without a queue of their own to the shared one', async () => {
    const queueUrls = { 'work.fifo': `${origin()}/1/blue-work.fifo`, 'work-cluster.fifo': `${origin()}/1/cluster` };
    const sender = createSqsQueues({ client, queueUrls });
    for (const queue of ['work-topology.fifo', 'work-cluster.fifo']) {
      await sender.send(queue, [{ body: 'a', groupId: 'g', deduplicationId: 'd' }]);
    }
    expect(calls.map(({ input }) => input['QueueUrl'])).toEqual([
      queueUrls['work.fifo'],
      queueUrls['work-cluster.fifo'],
    ]);
  });

  it('treats a message that the answer does not mention as refused', async () => {
    answers.push({ status: 200, body: { Successful: [{ Id: '0' }], Failed: [] } });
    const outcomes = await queues().send('delay', [{ body: 'a' }, { body: 'b' }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('returns an error for every message of a failed call, and for no other', async () => {
    const accepted = Array.from({ length: 12 }, (_, n) => ({ Id: String(n) }));
    answers.push({ status: 500, body: { __type: 'InternalFailure', message: 'down' } });
    answers.push({ status: 200, body: { Successful: accepted } });
    const failures = (await queues().send('delay', new Array(12).fill({ body: 'x' }))).filter(({ ok }) => !ok);
    expect([2, 10]).toContain(failures.length);
    expect(failures[0]).toMatchObject({ error: { name: 'QueueError', cause: { name: 'InternalFailure' } } });
  });

  it('ignores handles that the service refuses', async () => {
    const failed = [{ Id: '0', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }];
    answers.push({ status: 200, body: { Successful: [], Failed: failed } });
    answers.push({ status: 200, body: { Successful: [], Failed: failed } });
    await queues().delete('delay', ['stale']);
    await queues().changeVisibility('delay', ['stale'], 5);
    expect(calls.map(({ action }) => action)).toEqual(['DeleteMessageBatch', 'ChangeMessageVisibilityBatch']);
  });

  it.each([
    { status: 200, body: { Failed: [{ Id: '0', SenderFault: false, Code: 'InternalError' }] }, reason: 'in part' },
    { status: 503, body: { __type: 'ServiceUnavailable' }, reason: 'completely' },
  ])('throws when the service fails to delete $reason', async answer => {
    answers.push(answer);
    await expect(queues().delete('delay', ['handle'])).rejects.toThrow(QueueError);
  });

  it('throws if a receive or a depth call fails', async () => {
    answers.push({ status: 500, body: {} }, { status: 500, body: {} });
    await expect(queues().receive('delay', { max: 1, waitSeconds: 0 })).rejects.toThrow('Receiving from queue "delay"');
    await expect(queues().depth('delay')).rejects.toThrow('Reading the depth of queue "delay"');
  });

  it('sends no request if the receive is aborted before it starts', async () => {
    expect(await queues().receive('delay', { max: 1, waitSeconds: 0, signal: AbortSignal.abort() })).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('connects to the host of the queue URLs', async () => {
    const own = createSqsClient({ delay: `${origin()}/1/delay` });
    expect(await own.config.endpoint?.()).toMatchObject({ hostname: '127.0.0.1', protocol: 'http:' });
    expect(await own.config.maxAttempts()).toBe(3);
    own.destroy();
  });
});
