import { describe, expect, it } from 'vitest';
import { coalesce } from '../../../../shared/kernel/coalesce.ts';
import { type Request, toBody } from '../../../../shared/workqueue/message.ts';
import { aDeclaration } from '../../../support/kernel.ts';

const accepts = {
  declaration: aDeclaration(),
  managementCluster: 'mc-1',
  deathsOf: ({ receiveCount = 1 }: { readonly receiveCount?: number }) => receiveCount - 1,
};

function aRequest(change: Partial<Request> = {}): Request {
  return {
    v: 1,
    reconciler: 'widget',
    key: { managementCluster: 'mc-1', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name: 'w1' },
    cause: 'event',
    attempt: 0,
    trace: 't-1',
    ...change,
  };
}

const aMessage = (messageId: string, request: Request) => ({ messageId, body: toBody(request) });

describe('coalesce', () => {
  it('merges all messages of a key, with the highest attempt and the latest due time', () => {
    const { work, refused } = coalesce(
      [
        aMessage('m1', aRequest({ attempt: 1, cause: 'timer', due: 4_000 })),
        aMessage('m2', aRequest({ attempt: 3, trace: 't-2' })),
        aMessage('m3', aRequest({ cause: 'timer', due: 2_000 })),
      ],
      accepts,
    );
    expect(refused).toEqual([]);
    expect(work).toEqual([
      {
        key: aRequest().key,
        messageIds: ['m1', 'm2', 'm3'],
        attempt: 3,
        deaths: 0,
        receiveCount: 1,
        trial: undefined,
        latestDue: 4_000,
        causes: ['timer', 'event'],
        traces: ['t-1', 't-2'],
      },
    ]);
  });

  it('has the most deaths and deliveries of the messages, and the more careful trial', () => {
    const messages = [
      { ...aMessage('m1', aRequest({ trial: 'full' })), receiveCount: 3 },
      aMessage('m2', aRequest({ trial: 'half' })),
      { ...aMessage('m3', aRequest()), receiveCount: 2 },
    ];
    expect(coalesce(messages, accepts).work).toMatchObject([{ deaths: 2, receiveCount: 3, trial: 'half' }]);
    expect(coalesce(messages.slice(0, 1), accepts).work).toMatchObject([{ trial: 'full' }]);
  });

  it('separates objects, and sets no due time without a timer', () => {
    const other = { ...aRequest().key, name: 'w2' };
    const { work } = coalesce([aMessage('m1', aRequest()), aMessage('m2', aRequest({ key: other }))], accepts);
    expect(work.map(({ key, latestDue }) => [key.name, latestDue])).toEqual([
      ['w1', undefined],
      ['w2', undefined],
    ]);
  });

  it.each([
    { why: 'not JSON', body: 'nope', reason: 'unreadable', problem: 'JSON' },
    { why: 'another version', body: toBody({ ...aRequest(), v: 99 as 1 }), reason: 'unreadable', problem: 'version' },
    {
      why: 'another management cluster',
      body: toBody(aRequest({ key: { ...aRequest().key, managementCluster: 'mc-2' } })),
      reason: 'foreign_management_cluster',
      problem: 'Message is for management cluster mc-2, this function serves mc-1',
    },
    {
      why: 'another reconciler',
      body: toBody(aRequest({ reconciler: 'gadget' })),
      reason: 'wrong_reconciler',
      problem: 'Message is for reconciler gadget, this is widget',
    },
    {
      why: 'another kind',
      body: toBody(aRequest({ key: { ...aRequest().key, kind: 'Gadget' } })),
      reason: 'wrong_kind',
      problem:
        'Message names a Gadget of group "conformance.example.com", expected Widget of "conformance.example.com"',
    },
    {
      why: 'another group',
      body: toBody(aRequest({ key: { ...aRequest().key, group: 'example.org' } })),
      reason: 'wrong_kind',
      problem: 'Message names a Widget of group "example.org", expected Widget of "conformance.example.com"',
    },
    {
      why: 'of a name that no object has',
      body: toBody(aRequest({ key: { ...aRequest().key, name: 'a..b' } })),
      reason: 'invalid_name',
      problem: 'Message names a Widget with a name that no API server accepts',
    },
  ])('refuses a message that is $why and serves the rest', ({ body, reason, problem }) => {
    const { work, refused } = coalesce([{ messageId: 'bad', body }, aMessage('good', aRequest())], accepts);
    expect(refused.map(({ messageId, reason: why }) => [messageId, why])).toEqual([['bad', reason]]);
    expect(refused[0]?.problem).toContain(problem);
    expect(work.map(({ messageIds }) => messageIds)).toEqual([['good']]);
  });
});
