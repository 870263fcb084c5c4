import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ReconcileFact, reconciles } from '../../../../shared/diagnostics/channels.ts';
import { startTracer, toSegments, toXrayTraceId } from '../../../../shared/telemetry/xray.ts';

const trace = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6';
const fact: ReconcileFact = {
  reconciler: 'cluster',
  namespace: 'ns',
  name: 'c1',
  result: 'success',
  passes: 2,
  writes: 3,
  seconds: 0.5,
  startedAt: 2_000,
  sentAt: 1_000,
  causes: ['event'],
  traces: [trace],
};

describe('the spans of a reconcile', () => {
  it('are its message, from sending to the end, and the reconcile as a child', () => {
    const [message, reconcile, ...others] = toSegments(fact);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      name: 'work-cluster',
      start_time: 1,
      end_time: 2,
      annotations: { causes: 'event' },
    });
    expect(message).not.toHaveProperty('parent_id');
    expect(reconcile).toMatchObject({
      name: 'cluster',
      parent_id: message?.id,
      start_time: 2,
      end_time: 2.5,
      annotations: { controller: 'cluster', namespace: 'ns', name: 'c1', result: 'success', passes: 2, writes: 3 },
    });
    expect(reconcile).not.toHaveProperty('fault');
    expect([message, reconcile].map(each => each?.trace_id)).toEqual(
      Array(2).fill('1-f81d4fae-7dec41d0a76500a0c91e6bf6'),
    );
    expect([message?.id, reconcile?.id].every(id => /^[0-9a-f]{16}$/.test(id ?? ''))).toBe(true);
  });

  it('exist for every change that was merged into it', () => {
    const other = randomUUID();
    const segments = toSegments({ ...fact, traces: [trace, other] });
    expect(segments.map(segment => segment.trace_id)).toEqual([trace, trace, other, other].map(toXrayTraceId));
    expect(new Set(segments.map(({ id }) => id)).size).toBe(4);
  });

  it('record its failure', () => {
    expect(toSegments({ ...fact, result: 'terminal_error' })[1]).toMatchObject({ fault: true });
  });

  it('never begin after their end, despite clock skew', () => {
    const [message] = toSegments({ ...fact, sentAt: 9_000 });
    expect(message?.start_time).toBe(message?.end_time);
  });

  it('are omitted if the trace is not ours', () => {
    expect(toXrayTraceId('t-1')).toBeUndefined();
    expect(toSegments({ ...fact, traces: ['t-1'] })).toEqual([]);
  });
});

describe('the tracer', () => {
  let daemon: Socket;
  let received: string[];

  beforeEach(async () => {
    received = [];
    daemon = createSocket('udp4');
    daemon.on('message', text => received.push(text.toString()));
    await new Promise<void>(resolve => daemon.bind(0, '127.0.0.1', resolve));
  });

  afterEach(() => daemon.close());

  it('sends each span to the daemon, after the header of its protocol', async () => {
    const tracer = startTracer(`127.0.0.1:${daemon.address().port}`, 'cluster');
    const both = new Promise<void>(resolve => daemon.on('message', () => received.length === 2 && resolve()));
    reconciles.publish({ ...fact, reconciler: 'another' });
    reconciles.publish(fact);
    await tracer.flush();
    await both;
    const documents = received.map(text => text.split('\n'));
    expect(documents.map(([header]) => JSON.parse(header ?? ''))).toEqual(
      Array(2).fill({ format: 'json', version: 1 }),
    );
    expect(documents.map(([, body]) => JSON.parse(body ?? '').name)).toEqual(['work-cluster', 'cluster']);
  });

  it('does not fail without a daemon', async () => {
    const tracer = startTracer('127.0.0.1:9', 'cluster');
    reconciles.publish(fact);
    await expect(tracer.flush()).resolves.toBeUndefined();
  });
});
