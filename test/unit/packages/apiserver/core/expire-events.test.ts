// The expiry of Events.
import { expect, it } from 'vitest';
import { aWorld, endpointOf, namespace } from './core-with-widgets.ts';

it('Events expire an hour after their last occurrence, and watches receive DELETED', async () => {
  const { core, clock } = aWorld();
  const events = endpointOf(core, 'v1', 'Event');
  const anEvent = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: { kind: 'Widget', namespace, name: 'w' },
  });
  core.create(events, namespace, anEvent('once'));
  core.create(events, namespace, anEvent('again'));
  const watch = core.watch(events, { resourceVersion: core.resourceVersion() });
  await clock.advance(1_800_000);
  const lastTimestamp = new Date(clock.now()).toISOString();
  core.patch({ endpoint: events, namespace, name: 'again' }, { type: 'merge', body: { lastTimestamp } });
  await clock.advance(1_799_000);
  expect(core.expireEvents()).toBe(0);
  await clock.advance(2_000);
  expect(core.expireEvents()).toBe(1);
  expect(core.list(events, {}).items.map(({ metadata: { name } }) => name)).toEqual(['again']);
  expect(watch.next()).toMatchObject({ type: 'MODIFIED', object: { metadata: { name: 'again' } } });
  expect(watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'once' } } });
  await clock.advance(1_800_000);
  expect(core.expireEvents()).toBe(1);
});

it('Events of events.k8s.io expire after an hour, and watches of both groups receive DELETED', async () => {
  const { core, clock } = aWorld();
  const groups = ['v1', 'events.k8s.io/v1'].map(apiVersion => endpointOf(core, apiVersion, 'Event'));
  const [, ofGroup] = groups;
  if (ofGroup === undefined) {
    throw new Error('There are two endpoints');
  }
  core.create(ofGroup, namespace, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'new' },
    eventTime: new Date(clock.now()).toISOString().replace('Z', '000Z'),
    reportingController: 'one',
    reportingInstance: 'one-0',
    action: 'Trying',
    reason: 'Tried',
    type: 'Normal',
    regarding: { kind: 'Widget', namespace, name: 'w' },
  });
  const watches = groups.map(endpoint => core.watch(endpoint, { resourceVersion: core.resourceVersion() }));
  await clock.advance(3_599_000);
  expect(core.expireEvents()).toBe(0);
  await clock.advance(1_000);
  expect(core.expireEvents()).toBe(1);
  expect(watches.map(watch => watch.next())).toMatchObject([
    { type: 'DELETED', object: { apiVersion: 'v1', involvedObject: { name: 'w' } } },
    { type: 'DELETED', object: { apiVersion: 'events.k8s.io/v1', regarding: { name: 'w' } } },
  ]);
});
