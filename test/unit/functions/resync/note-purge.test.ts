import { describe, expect, it } from 'vitest';
import { notePurge, purgedQueueOf } from '../../../../functions/resync/note-purge.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const queueUrls = {
  'work-cluster.fifo': 'https://sqs.eu-west-1.amazonaws.com/111122223333/capi-work-cluster.fifo',
  'work-cluster-dlq.fifo': 'https://sqs.eu-west-1.amazonaws.com/111122223333/capi-work-cluster-dlq.fifo',
  delay: 'https://sqs.eu-west-1.amazonaws.com/111122223333/capi-delay',
};

const aPurge = (queueUrl: string) => ({ detail: { eventName: 'PurgeQueue', requestParameters: { queueUrl } } });

it.each([
  { event: aPurge(queueUrls.delay), queue: 'delay', reason: 'the URL is the known one' },
  {
    event: aPurge('https://eu-west-1.queue.amazonaws.com/111122223333/capi-delay'),
    queue: 'delay',
    reason: 'it is an older URL',
  },
  { event: aPurge(queueUrls['work-cluster.fifo']), queue: 'work-cluster.fifo', reason: 'it is a work queue' },
  { event: aPurge(queueUrls['work-cluster-dlq.fifo']), queue: undefined, reason: 'its messages were lost before' },
  {
    event: aPurge('https://sqs.eu-west-1.amazonaws.com/111122223333/other-delay'),
    queue: undefined,
    reason: 'it is not ours',
  },
  { event: { detail: { eventName: 'DeleteQueue' } }, queue: undefined, reason: 'it is another event' },
  { event: { 'detail-type': 'Scheduled Event' }, queue: undefined, reason: 'it is a schedule' },
  { event: undefined, queue: undefined, reason: 'there is no event' },
])('the purged queue is $queue: $reason', ({ event, queue }) => {
  expect(purgedQueueOf(event, queueUrls)).toBe(queue);
});

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'capi-serverless-resync' };

async function aStored(data: Readonly<Record<string, string>> | undefined) {
  const api = createMemoryApi();
  if (data !== undefined) {
    const { apiVersion, kind, namespace, name } = ref;
    await api.others.create({ apiVersion, kind, metadata: { namespace, name }, data });
  }
  const { kubernetes } = api;
  const options = { kubernetes, stateNamespace: 'kube-system', watchFilter: '', log: aRecordingLog() };
  return { api, note: () => notePurge(options, 'delay') };
}

describe('a purge', () => {
  it('is noted beside what the last run stored', async () => {
    const { api, note } = await aStored({ run: '7', losses: '{"delay-dlq":{"letters":1}}' });
    await note();
    expect(api.find(ref)).toMatchObject({
      data: { run: '7', losses: '{"delay-dlq":{"letters":1},"delay":{"letters":0,"isOpen":true}}' },
    });
  });

  it('needs no note before the first run', async () => {
    const { api, note } = await aStored(undefined);
    await note();
    expect(api.find(ref)).toBeUndefined();
  });

  it.each([
    { conflicts: 2, outcome: 'is noted' },
    { conflicts: 3, outcome: 'fails' },
  ])('$outcome if $conflicts other writes come first', async ({ conflicts, outcome }) => {
    const { api, note } = await aStored({ run: '7' });
    let left = conflicts;
    api.calls.fail({
      at: ({ verb }) => {
        left -= verb === 'patch' ? 1 : 0;
        return verb === 'patch' && left >= 0;
      },
      failure: { reason: 'Conflict', message: 'newer' },
    });
    const noted = note();
    await (outcome === 'fails'
      ? expect(noted).rejects.toThrow('Writing ConfigMap kube-system/capi-serverless-resync failed: newer')
      : noted);
    expect(JSON.stringify(api.find(ref)).includes('isOpen')).toBe(outcome !== 'fails');
  });

  it.each([
    { verb: 'get', text: 'Reading ConfigMap kube-system/capi-serverless-resync failed: no access' },
    { verb: 'patch', text: 'Writing ConfigMap kube-system/capi-serverless-resync failed: no access' },
  ])('fails if $verb is refused', async ({ verb, text }) => {
    const { api, note } = await aStored({ run: '7' });
    api.calls.fail({ at: call => call.verb === verb, failure: { reason: 'Forbidden', message: 'no access' } });
    await expect(note()).rejects.toThrow(text);
  });
});
