import { describe, expect, it } from 'vitest';
import { type ExpansionOptions, serveExpansions } from '../../../../functions/resync/expansions.ts';
import { workqueueRetries } from '../../../../shared/kernel/metrics.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { toExpandMessage } from '../../../../shared/workqueue/outgoing.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { infraApiVersion, ResyncWorld } from './resync-with-queues.ts';

const widgets = aDeclaration({
  watches: [
    {
      source: 'referenced',
      as: 'metadata',
      map: () => 'expand',
      matches: ({ metadata }, { name }) => metadata.name === name,
    },
  ],
});

function aMessage(messageId: string, name: string, reconciler = 'widget'): { messageId: string; body: string } {
  const source = { apiVersion: infraApiVersion, kind: 'SimulatedCluster', namespace: 'default', name };
  return { messageId, body: toExpandMessage({ v: 1, reconciler, source, trace: 't' }).body };
}

const metrics = createMetricsRegistry();

function serve(world: ResyncWorld, ...messages: Parameters<typeof serveExpansions>[1]): Promise<readonly string[]> {
  return serveExpansions(optionsOf(world), messages);
}

function optionsOf(world: ResyncWorld): ExpansionOptions {
  const options = world.options();
  return { ...options, functionName: 'resync', metrics, connect: async () => options };
}

function unreachable(world: ResyncWorld): ExpansionOptions {
  return { ...optionsOf(world), connect: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:443')) };
}

describe('a batch of the expand queue', () => {
  it('is acknowledged if the queues accepted every request', async () => {
    const world = new ResyncWorld([widgets]);
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    expect(await serve(world, aMessage('m1', 'one'))).toEqual([]);
    expect(world.messageTexts()).toEqual(['work-widget.fifo default/one']);
  });

  it('reports unparsable and failed messages, and serves the others', async () => {
    const world = new ResyncWorld([widgets]);
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    const failed = await serve(
      world,
      { messageId: 'm1', body: '{' },
      aMessage('m2', 'one'),
      aMessage('m3', 'one', 'gone'),
      { messageId: 'm4', body: '{"v":9}' },
    );
    expect(failed.toSorted()).toEqual(['m1', 'm3', 'm4']);
    expect(world.messageTexts()).toEqual(['work-widget.fifo default/one']);
    expect(world.log.lines.map(({ message }) => message).toSorted()).toEqual([
      'Expanding a source failed',
      'Refusing a message',
      'Refusing a message',
    ]);
  });

  it('retries every expansion whose requests a queue refused, later', async () => {
    const world = new ResyncWorld([widgets]);
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    world.refused.add('one');
    expect(await serve(world, aMessage('m1', 'one'), aMessage('m2', 'one'))).toEqual([]);
    expect(world.expansions).toMatchObject([
      { delaySeconds: 1, expansion: { attempt: 1 } },
      { delaySeconds: 1, expansion: { attempt: 1 } },
    ]);
  });

  it('makes no dead letters while the API server cannot be reached: retries come later and later', async () => {
    const world = new ResyncWorld([widgets]);
    const { body } = aMessage('m1', 'one');
    const delays: (number | undefined)[] = [];
    let next = JSON.stringify({ ...JSON.parse(body), added: 'by a later version' });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await serveExpansions(unreachable(world), [{ messageId: 'm1', body: next }])).toEqual([]);
      const sent = world.expansions.at(-1);
      delays.push(sent?.delaySeconds);
      next = sent?.body ?? '';
      expect(JSON.parse(next)).toEqual({ ...JSON.parse(body), added: 'by a later version', attempt });
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    expect(metrics.snapshot().find(({ name }) => name === workqueueRetries)?.labels).toEqual({ name: 'resync' });
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    expect(await serve(world, { messageId: 'm1', body: next })).toEqual([]);
    expect(world.messageTexts()).toEqual(['work-widget.fifo default/one']);
  });

  it('reports messages that cannot be parsed also while the API server cannot be reached', async () => {
    const world = new ResyncWorld([widgets]);
    expect(await serveExpansions(unreachable(world), [{ messageId: 'm1', body: '{' }])).toEqual(['m1']);
    expect(world.expansions).toEqual([]);
  });

  it('reports a message whose retry the queue refused', async () => {
    const world = new ResyncWorld([widgets]);
    world.refused.add('one');
    world.refused.add('expand');
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    expect(await serve(world, aMessage('m1', 'one'), aMessage('m2', 'one', 'gone'))).toEqual(['m2', 'm1']);
    expect(world.log.lines.map(({ message }) => message)).toContain('Sending the follow-up failed');
  });
});
