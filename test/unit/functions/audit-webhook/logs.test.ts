import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseLogsDelivery } from '../../../../functions/audit-webhook/logs.ts';
import { droppedEvents } from '../../../../shared/event-source/source-metrics.ts';
import { refusedMessages } from '../../../../shared/kernel/metrics.ts';
import { AuditWebhookWorld, aDelivery, recordedEvent } from './audit-posts.ts';

/** EKS writes one event per line, with its kind. */
function aLine(name: string): string {
  return JSON.stringify({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...recordedEvent(name) });
}

const patch = aLine('patch-clusters-RequestResponse-200.eventlist.json');
const removal = aLine('patch-clusters-last-finalizer-removed-RequestResponse-200.eventlist.json');

describe('a delivery of log lines', () => {
  it('is processed like a body: one message per object', async () => {
    const world = new AuditWebhookWorld();
    await world.deliver(aDelivery([patch, removal]));
    expect(world.requestTexts()).toEqual(['cluster default/sample deletion 791785c2-87d6-43e7-8839-444cd40d2348@308']);
  });

  it.each([
    { line: 'I1121 08:52:38.195887 1 trace.go:236] Trace[1]: "List"', reason: 'a line of the API server' },
    { line: '{"level":"info"}', reason: 'JSON of another component' },
    { line: patch.slice(0, -1), reason: 'a truncated event' },
    { line: patch.replace('audit.k8s.io/v1', 'audit.k8s.io/v1alpha1'), reason: 'another version' },
    { line: '{"kind":"Event","apiVersion":"audit.k8s.io/v1"}', reason: 'an event without content' },
    { line: '['.repeat(20_000), reason: 'nonsense' },
    { line: `{"a":${'['.repeat(20_000)}`, reason: 'deeply nested brackets' },
  ])('may hold other lines, which are ignored and counted: $reason', async ({ line }) => {
    const world = new AuditWebhookWorld();
    await world.deliver(aDelivery([line, patch]));
    expect(world.requestTexts()).toHaveLength(1);
    expect(world.counted(droppedEvents)).toMatchObject({ 'no audit event': 1 });
  });

  it('may be a health check of the subscription, which holds no data', async () => {
    const world = new AuditWebhookWorld();
    await world.deliver(aDelivery(['CWL CONTROL MESSAGE: Checking health of destination'], 'CONTROL_MESSAGE'));
    expect(world.sent).toEqual([]);
    expect(world.metrics.snapshot()).toEqual([]);
  });

  it('is rejected if a queue refuses a message, so that it is repeated', async () => {
    const world = new AuditWebhookWorld();
    world.answer = () => ({ ok: false, error: new Error('Throttled') });
    await expect(world.deliver(aDelivery([patch]))).rejects.toThrow('Throttled');
  });

  it.each([
    { data: 'bm90IGd6aXA=', reason: 'not gzip' },
    { data: gzipSync('not JSON').toString('base64'), reason: 'not JSON' },
    { data: gzipSync('{}').toString('base64'), reason: 'not a delivery' },
    { data: gzipSync(Buffer.alloc(20_000_000)).toString('base64'), reason: 'too large when inflated' },
  ])('is dropped if it cannot be read: $reason', async ({ data }) => {
    const world = new AuditWebhookWorld();
    await world.deliver(data);
    expect(world.sent).toEqual([]);
    expect(world.counted(refusedMessages)).toEqual({ unreadable: 1 });
    expect(world.log.lines).toMatchObject([{ level: 'error', message: 'Refusing a delivery of log lines' }]);
  });

  it('is recognized by its shape', () => {
    expect(parseLogsDelivery({ awslogs: { data: 'abc' } })).toBe('abc');
    expect(parseLogsDelivery({ version: '2.0', body: '{"awslogs":{"data":"abc"}}' })).toBeUndefined();
  });
});
