import type { Reads } from '@capi-serverless/apimachinery';
import { answered, refused } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toPanel } from '../../../../cli/ui/object-panel.ts';
import type { Timeline, TimelineEntry } from '../../../../cli/ui/timeline.ts';
import { aMachine, anInfraCluster } from '../../../support/builders.ts';

const infrastructure = anInfraCluster()
  .withCondition('Ready', { status: 'False', reason: 'Bad', message: '<b>no</b>' })
  .build();
const machine = aMachine()
  .inPhase('Pending')
  .withCondition('Ready', { status: 'False', reason: 'NotReady', message: 'm' });
const stored = [infrastructure, machine.build()];

const asked: string[] = [];
const reads = {
  get: async (ref: { readonly kind: string; readonly name: string }) => {
    asked.push(ref.kind);
    const object = stored.find(({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name);
    return object === undefined ? refused({ reason: 'NotFound', message: 'not found' }) : answered(object);
  },
  list: async () => answered([]),
  metadata: async () => refused({ reason: 'NotFound', message: 'not found' }),
} as unknown as Reads; // True: the panel reads nothing else.

const entry: TimelineEntry = {
  reconciler: 'machine',
  namespace: 'ns',
  name: 'm1',
  result: 'requeue_after',
  passes: 2,
  writes: 1,
  seconds: 0.25,
  startedAt: Date.parse('2026-01-01T00:00:10Z'),
  sentAt: Date.parse('2026-01-01T00:00:08.500Z'),
  dueAt: Date.parse('2026-01-01T00:01:00Z'),
  causes: ['watch', 'timer'],
  traces: ['t'],
  reads: [
    { verb: 'get', resource: 'machines', name: 'm1', code: 200 },
    { verb: 'get', resource: 'machines', name: 'm1', code: 200 },
    { verb: 'list', resource: 'nodes', name: '', code: 200 },
  ],
  written: [
    { verb: 'patch', resource: 'machines/status', name: 'm1', code: 409 },
    { verb: 'delete', resource: 'machines', name: 'm1', code: 0 },
  ],
};

const timelineOf = (...entries: readonly TimelineEntry[]): Timeline => ({
  entriesOf: () => entries,
  stop: () => undefined,
});

const show = async (kind: string, name: string, timeline?: Timeline): Promise<string | undefined> =>
  (await toPanel({ kind, namespace: 'ns', name }, { reads, timeline, referred: [infrastructure] }))?.toString();

describe('an object of the page', () => {
  it('has what it waits for, its conditions, and its reconciles', async () => {
    const text = await show('Machine', 'm1', timelineOf(entry));
    expect(text).toContain('Machine ns/m1 waits for');
    expect(text).toContain('<th scope="row">Ready</th><td>False</td><td>NotReady</td><td class="message">m</td>');
    expect(text).toContain('<dd>watch, timer, 1.5 s before</dd>');
    expect(text).toContain('<dd>get machines ×2, list nodes</dd>');
    expect(text).toContain('<li>patch machines/status m1 <span class="failing">409</span></li>');
    expect(text).toContain('<li>delete machines m1 <span class="failing">without answer</span></li>');
    expect(text).toContain('<dd>0.25 s, 2 passes</dd>');
    expect(text).toContain('<dd>2026-01-01T00:01:00.000Z, unless something changes before</dd>');
  });

  it('says what is not known', async () => {
    expect(await show('Machine', 'm1')).toContain('The functions run elsewhere.');
    expect(await show('Machine', 'm1', timelineOf())).toContain('None since the start.');
    expect(await show('Machine', 'gone')).toContain('It does not exist (any more).');
    const { dueAt: _, ...settled } = { ...entry, passes: 1, reads: [], written: [] };
    const text = await show('Machine', 'm1', timelineOf(settled));
    expect(text).toContain('<dt>wrote</dt><dd>nothing</dd>');
    expect(text).toContain('<dd>0.25 s, 1 pass</dd>');
    expect(text).toContain('<dd>the next change</dd>');
  });

  it('of a provider has its conditions, as text', async () => {
    const text = await show('SimulatedCluster', 'c1-infra');
    expect(text).toContain('&lt;b&gt;no&lt;/b&gt;');
    expect(text).not.toContain('<b>no');
  });

  it.each(['Secret', 'ConfigMap', 'SimulatedOther'])('is no %s, which is not read', async kind => {
    asked.length = 0;
    expect(await show(kind, 'c1-infra')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});
