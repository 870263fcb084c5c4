// Kinds that cannot be listed: what depends on them is not compared, and is enqueued if that lasts.

import type { Kind } from '@capi-serverless/apimachinery';
import type { Watch } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { clusterWatches } from '../../../../functions/cluster/watches.ts';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { clusterKind, ResyncWorld } from './resync-with-queues.ts';

const infraKind: Kind = {
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'SimulatedCluster',
  scope: 'Namespaced',
};
const partKind = { ...widgetKind, kind: 'Part' };
const policyKind = { ...widgetKind, kind: 'Policy' };
const other = { ...widgetKind, kind: 'Other' };
const failure = { reason: 'Forbidden', message: 'no access' } as const;
const isNotDue = { fullPeriodSeconds: 30 * 86_400 };
const nothing = { messages: [], error: '' };

/** Clusters of a provider, and one that references no kind. */
async function aComparedFleet(count: number): Promise<ResyncWorld> {
  const declaration = aDeclaration({
    name: 'cluster',
    primary: clusterKind,
    watches: clusterWatches,
    references: kindsOfCluster,
  });
  const world = new ResyncWorld([declaration], [clusterKind, { ...clusterKind, kind: 'Machine' }, infraKind]);
  for (let index = 0; index < count; index += 1) {
    const name = `c${index}`;
    const infrastructureRef = { apiGroup: infraKind.group, kind: infraKind.kind, name };
    world.api.put(clusterKind, { namespace: 'ns', name }, { spec: { infrastructureRef } });
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-${name}` };
    world.api.put(infraKind, { namespace: 'ns', name, ownerReferences: [owner] });
  }
  world.api.put(clusterKind, { namespace: 'ns', name: 'without' }, { spec: {} });
  await world.run();
  return world;
}

describe('a referenced kind that cannot be listed', () => {
  const named = 'Resyncing failed for SimulatedCluster.infrastructure.cluster.x-k8s.io: no access';

  it('fails each run, and each run but the first one enqueues the objects that reference it, and no others', async () => {
    const world = await aComparedFleet(2);
    world.api.fail(infraKind, failure);
    world.api.remove(infraKind, { namespace: 'ns', name: 'c1' });
    const first = await world.runWithError(isNotDue);
    expect(first).toEqual({ messages: [], error: expect.stringContaining(named) });
    for (let run = 0; run < 3; run += 1) {
      expect((await world.runWithError(isNotDue)).messages).toEqual(['cluster ns/c0', 'cluster ns/c1']);
    }
  });

  it('does not stop the comparison of other objects', async () => {
    const world = await aComparedFleet(1);
    world.api.fail(infraKind, failure);
    world.api.put(clusterKind, { namespace: 'ns', name: 'without' }, { spec: { paused: true } });
    expect((await world.runWithError(isNotDue)).messages).toEqual(['cluster ns/without']);
    world.api.put(clusterKind, { namespace: 'ns', name: 'new' }, { spec: {} });
    expect((await world.runWithError(isNotDue)).messages).toEqual(['cluster ns/c0', 'cluster ns/new']);
  });

  it('has its changes found as soon as it can be listed again', async () => {
    const world = await aComparedFleet(3);
    world.api.fail(infraKind, failure);
    await world.runWithError(isNotDue);
    world.api.remove(infraKind, { namespace: 'ns', name: 'c1' });
    world.api.put(clusterKind, { namespace: 'ns', name: 'c2' }, { spec: {} });
    world.api.fail(infraKind, undefined);
    expect(await world.run(isNotDue)).toEqual(['cluster ns/c1', 'cluster ns/c2']);
    expect(await world.runWithError(isNotDue)).toEqual(nothing);
  });

  it('is unknown from the first run on, if there is nothing to compare with', async () => {
    const world = await aComparedFleet(1);
    await world.server.others.delete({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'capi-serverless-resync',
    });
    world.api.fail(infraKind, failure);
    const both = ['cluster ns/c0', 'cluster ns/without'];
    expect((await world.runWithError(isNotDue)).messages).toEqual(both);
    expect((await world.runWithError(isNotDue)).messages).toEqual(['cluster ns/c0']);
    world.api.fail(infraKind, undefined);
    expect(await world.run(isNotDue)).toEqual(['cluster ns/c0']);
    expect(await world.runWithError(isNotDue)).toEqual(nothing);
  });

  it('every third run costs no message: each Cluster is enqueued once a day', async () => {
    const world = await aComparedFleet(19);
    let messages = 0;
    let failed = 0;
    for (let run = 0; run < 144; run += 1) {
      world.api.fail(infraKind, run % 3 === 0 ? failure : undefined);
      const ended = await world.runWithError();
      messages += ended.messages.length;
      failed += ended.error === '' ? 0 : 1;
    }
    expect({ messages, failed }).toEqual({ messages: 20, failed: 48 });
  });
});

/** Parts enqueue the widget of their label, policies all widgets. */
async function aComparedWorld(): Promise<ResyncWorld> {
  const watches: readonly Watch[] = [
    {
      source: partKind,
      as: 'metadata',
      map: ({ object: { metadata } }) => [{ namespace: metadata.namespace ?? '', name: metadata.labels?.['of'] ?? '' }],
    },
    { source: policyKind, as: 'metadata', map: () => 'expand', matches: () => true },
  ];
  const declarations = [aDeclaration({ watches }), aDeclaration({ name: 'other', primary: other })];
  const world = new ResyncWorld(declarations, [widgetKind, partKind, policyKind, other]);
  world.api.put(widgetKind, { namespace: 'ns', name: 'a' });
  world.api.put(partKind, { namespace: 'ns', name: 'part', labels: { of: 'a' } });
  world.api.put(policyKind, { name: 'policy' });
  world.api.put(other, { name: 'o' });
  await world.run();
  return world;
}

describe('a watched kind that cannot be listed', () => {
  it.each([
    { kind: partKind, reason: 'its objects map to the primary' },
    { kind: policyKind, reason: 'its objects may affect each primary' },
  ])('$kind.kind stops the comparison of the primaries of its watches, and of no others: $reason', async ({ kind }) => {
    const world = await aComparedWorld();
    world.api.fail(kind, failure);
    world.api.put(widgetKind, { namespace: 'ns', name: 'a' });
    world.api.put(other, { name: 'o' });
    expect((await world.runWithError(isNotDue)).messages).toEqual(['other o']);
    expect((await world.runWithError(isNotDue)).messages).toEqual(['widget ns/a']);
    world.api.fail(kind, undefined);
    expect(await world.run(isNotDue)).toEqual(['widget ns/a']);
    expect(await world.runWithError(isNotDue)).toEqual(nothing);
  });

  it('has its expansion sent if its last object was deleted meanwhile', async () => {
    const world = await aComparedWorld();
    world.api.fail(policyKind, failure);
    await world.runWithError(isNotDue);
    world.api.remove(policyKind, { name: 'policy' });
    world.api.fail(policyKind, undefined);
    expect(await world.run(isNotDue)).toEqual(['expand widget Policy *']);
  });

  it('keeps what is known of its objects, if it is the primary kind', async () => {
    const world = await aComparedWorld();
    world.api.fail(widgetKind, failure);
    expect((await world.runWithError(isNotDue)).messages).toEqual([]);
    world.api.fail(widgetKind, undefined);
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('enqueues the primaries although another kind failed in the run before', async () => {
    const world = await aComparedWorld();
    for (let run = 0; run < 6; run += 1) {
      const [failing, listed] = run % 2 === 0 ? [partKind, policyKind] : [policyKind, partKind];
      world.api.fail(failing, failure);
      world.api.fail(listed, undefined);
      expect((await world.runWithError(isNotDue)).messages).toEqual(run === 0 ? [] : ['widget ns/a']);
    }
  });
});
