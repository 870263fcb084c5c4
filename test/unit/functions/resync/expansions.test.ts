import { describe, expect, it } from 'vitest';
import { serveExpansions } from '../../../../functions/resync/expansions.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics.ts';
import { toExpandMessage } from '../../../../shared/workqueue/outgoing.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { infraApiVersion, World } from './world.ts';

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

function serve(world: World, ...messages: Parameters<typeof serveExpansions>[1]): Promise<readonly string[]> {
  const options = { ...world.options(), functionName: 'resync', metrics: createMetricsRegistry() };
  return serveExpansions(options, messages);
}

describe('a batch of the expand queue', () => {
  it('is acknowledged if the queues accepted every request', async () => {
    const world = new World([widgets]);
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    expect(await serve(world, aMessage('m1', 'one'))).toEqual([]);
    expect(world.messageTexts()).toEqual(['work-widget.fifo default/one']);
  });

  it('reports unparsable and failed messages, and serves the others', async () => {
    const world = new World([widgets]);
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

  it('reports every message whose requests a queue refused', async () => {
    const world = new World([widgets]);
    world.api.put(widgetKind, { namespace: 'default', name: 'one' });
    world.refused.add('one');
    expect(await serve(world, aMessage('m1', 'one'), aMessage('m2', 'one'))).toEqual(['m1', 'm2']);
  });
});
