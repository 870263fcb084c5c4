import type { Result } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { decideForwardings } from '../../../../functions/timer/timer.ts';
import { toExpansion, toRequest } from '../../../../shared/event-source/messages.ts';
import type { KeyWork } from '../../../../shared/kernel/coalesce.ts';
import { toFollowUp } from '../../../../shared/kernel/follow-up.ts';
import { parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { causes, MessageError, parseRequest, type Request, toBody } from '../../../../shared/workqueue/message.ts';
import { toExpandMessage } from '../../../../shared/workqueue/outgoing.ts';
import { frozenBodies, frozenExpansion, frozenRequest } from './frozen/message-v1.ts';

const key = { managementCluster: '5f0c', group: 'g', kind: 'Cluster', namespace: 'default', name: 'prod' };
const request: Request = { v: 1, reconciler: 'cluster', key, cause: 'event', attempt: 0, trace: 't' };
const read = (change: object): Request => parseRequest(JSON.stringify({ ...request, ...change }));

describe('a message of the previous release', () => {
  it.each(Object.entries(frozenBodies))('is parsed with all its fields: %s', (_, body) => {
    expect(parseRequest(body)).toEqual(JSON.parse(body));
  });
});

describe('a message that is written now', () => {
  const bundle = { key: 'k', cause: 'event', sources: new Map(), many: false } as const;

  it.each([...causes].map(cause => ({ cause })))('is readable by the previous release: cause $cause', ({ cause }) => {
    const body = JSON.parse(toBody({ ...request, cause, due: 1, sources: ['u@1'] }));
    expect(frozenRequest.parse(body)).toEqual(body);
  });

  it.each([
    { result: { kind: 'again' }, reason: 'a message to itself' },
    { result: { kind: 'requeueAfter', ms: 5000 }, reason: 'a timer' },
    { result: { kind: 'failed', error: new Error('x'), terminal: false }, reason: 'a retry' },
  ] satisfies { result: Result; reason: string }[])('is readable by the previous release: $reason', ({ result }) => {
    const work: Pick<KeyWork, 'key' | 'attempt' | 'latestDue' | 'traces'> = {
      key,
      attempt: 0,
      latestDue: undefined,
      traces: ['t'],
    };
    const context = { reconciler: 'cluster', now: 0, fullResyncPeriodMs: undefined, newId: () => 'id' };
    const body: unknown = JSON.parse(toFollowUp(result, work, context)?.message.body ?? '');
    expect(frozenRequest.parse(body)).toEqual(body);
  });

  it('is readable by the previous release: a change and an expansion', () => {
    const change = { ...bundle, target: { reconciler: 'cluster', key } };
    const written: unknown = JSON.parse(toBody(toRequest(change, () => 'id')));
    expect(frozenRequest.parse(written)).toEqual(written);
    const source = { apiVersion: 'a/v1', kind: 'B', namespace: 'ns', name: 'n' };
    const order = { ...bundle, target: { reconciler: 'cluster', source } };
    const expansion: unknown = JSON.parse(toExpandMessage(toExpansion(order, () => 'id')).body);
    expect(frozenExpansion.parse(expansion)).toEqual(expansion);
  });
});

describe('a message of a later release', () => {
  it('is parsed without the fields that were added later', () => {
    expect(read({ priority: 7 })).toEqual(request);
  });

  it('has the cause "other" if its cause is unknown', () => {
    expect(read({ cause: 'prophecy' }).cause).toBe('other');
  });

  it('is forwarded by the timer function with all its fields', () => {
    const body = JSON.stringify({ ...request, cause: 'prophecy', due: 1000, priority: 7 });
    const routing = { newId: () => 'id', hasQueue: () => true };
    for (const now of [0, 1000]) {
      expect(decideForwardings([{ messageId: 'm', body }], { ...routing, now })).toMatchObject([{ message: { body } }]);
    }
  });

  it('is refused with a remedy if its schema version is newer', () => {
    const remedy = 'Message has schema version 2, this function reads 1: update it, then redrive the dead letters';
    expect(() => read({ v: 2, key: 'something else' })).toThrow(new MessageError(remedy));
    const source = { apiVersion: 'a/v1', kind: 'B', name: 'n' };
    expect(() => parseExpansion(JSON.stringify({ v: 2, reconciler: 'cluster', source, trace: 't' }))).toThrow(remedy);
  });
});

describe('an invalid message', () => {
  it.each([
    { body: '{"canary"', problem: 'Message body is not JSON', reason: 'broken JSON' },
    { body: '7', problem: 'Message is not valid: ', reason: 'not an object' },
    {
      body: JSON.stringify({ ...request, v: 0 }),
      problem: 'Message is not valid: v: ',
      reason: 'a version never written',
    },
    { body: JSON.stringify({ ...request, v: 'canary' }), problem: 'Message is not valid: v: ', reason: 'no version' },
    { body: JSON.stringify({ ...request, attempt: -1 }), problem: 'attempt: ', reason: 'a negative count' },
    { body: JSON.stringify({ ...request, cause: 7 }), problem: 'cause: ', reason: 'a cause that is not a string' },
    {
      body: JSON.stringify({ ...request, key: { ...key, name: 'a/canary' } }),
      problem: 'key.name: ',
      reason: 'a name with a slash',
    },
  ])('is refused, naming the field and quoting nothing: $reason', ({ body, problem }) => {
    expect(() => parseRequest(body)).toThrow(MessageError);
    expect(() => parseRequest(body)).toThrow(problem);
    expect(() => parseRequest(body)).not.toThrow('canary');
  });
});
