import { describe, expect, it } from 'vitest';
import { parseExpansion } from '../../../../shared/workqueue/expand.ts';
import { toGroupId, toTimerId } from '../../../../shared/workqueue/ids.ts';
import { MessageError, parseRequest, type Request } from '../../../../shared/workqueue/message.ts';
import {
  toDelayedMessage,
  toExpandMessage,
  toTimerMessage,
  toWorkMessage,
} from '../../../../shared/workqueue/outgoing.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../../../shared/workqueue/queue-names.ts';
import { validateMessage } from '../../../../shared/workqueue/send-limits.ts';

const now = Date.UTC(2026, 0, 1);
const key = { managementCluster: '5f0c', group: 'g', kind: 'Cluster', namespace: 'default', name: 'prod' };
const timer = { v: 1, reconciler: 'cluster', key, cause: 'timer', attempt: 2, due: now + 61_000, trace: 't' } as const;
const event: Request = { v: 1, reconciler: 'cluster', key, cause: 'event', attempt: 0, sources: ['u@7'], trace: 't' };

describe('outgoing messages', () => {
  it('carry a request unchanged to its work queue, in the group of its object', () => {
    const message = toWorkMessage(event, () => 'unused');
    expect(parseRequest(message.body)).toEqual(event);
    expect(message.groupId).toBe(toGroupId(event));
    expect(validateMessage(workQueueOf('cluster'), message)).toBeUndefined();
  });

  it('give a timer the id of its due time only when it reaches the work queue', () => {
    expect(toWorkMessage(timer, () => 'unused').deduplicationId).toBe(toTimerId(timer));
    expect(toTimerMessage(timer, now)).toEqual({ body: JSON.stringify(timer), delaySeconds: 61 });
    expect(validateMessage(delayQueue, toTimerMessage(timer, now))).toBeUndefined();
  });

  it('delay a request by the given seconds', () => {
    expect(toDelayedMessage(event, 17)).toEqual({ body: JSON.stringify(event), delaySeconds: 17 });
  });

  it('carry an expansion unchanged', () => {
    const source = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'ClusterClass',
      namespace: 'default',
      name: 'quick',
    };
    const expansion = { v: 1, reconciler: 'topology', source, trace: 't' } as const;
    expect(parseExpansion(toExpandMessage(expansion).body)).toEqual(expansion);
    expect(validateMessage(expandQueue, toExpandMessage(expansion))).toBeUndefined();
  });
});

describe('reading a message', () => {
  it.each([
    { body: '{"v":2}', names: 'schema version 2', reason: 'a version from the future' },
    { body: '{"v":1,"reconciler":""}', names: 'reconciler: expected', reason: 'no reconciler' },
    { body: '[]', names: 'expected object', reason: 'not an object' },
    { body: 'SECRET', names: 'not JSON', reason: 'not JSON' },
  ])('names the field and never quotes the body: $reason', ({ body, names }) => {
    for (const parse of [parseRequest, parseExpansion]) {
      const error = thrownBy(() => parse(body));
      expect(error).toBeInstanceOf(MessageError);
      expect(error.message).toContain(names);
      expect(error.message).not.toContain('SECRET');
      expect(error.cause).toBeUndefined();
    }
  });

  it('refuses an expansion whose source has an empty name instead of none', () => {
    const body = JSON.stringify({ v: 1, reconciler: 'topology', source: { apiVersion: 'v1', kind: 'X', name: '' } });
    expect(() => parseExpansion(body)).toThrow('source.name: expected at least 1 characters');
  });
});

function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) {
      return error;
    }
  }
  throw new Error('Nothing was thrown');
}
