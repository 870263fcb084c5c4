// A class as large as published classes of providers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toRecord } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { applyManifests, parseManifests } from '../../../../local/manifests.ts';
import { aWorld } from './reconciled-class.ts';

const file = 'test/fixtures/broad-cluster-class.yaml';
const text = readFileSync(path.resolve(import.meta.dirname, '../../../..', file), 'utf8');
const objects = parseManifests(text, file);
const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'default', name: 'broad' };

async function aBroadWorld() {
  const world = aWorld(undefined, { templates: [], settings: { callsExtensions: false } });
  const results = await applyManifests(world.api.others, objects, { fieldManager: 'user' });
  expect(results.map(({ outcome }) => outcome)).toEqual(objects.map(() => 'created'));
  return world;
}

describe('a class with ten templates, more than thirty variables and twenty patches', () => {
  it('settles in one invocation', async () => {
    const world = await aBroadWorld();
    const reconciled = await world.settle(ref);
    expect(reconciled.result).toBe('done');
    expect(reconciled.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(reconciled.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
    expect(reconciled.observedGeneration).toBe(1);
    expect(reconciled.writes).toHaveLength(12);
    const { variables, patches } = toRecord(reconciled.object?.['spec']) as Readonly<
      Record<string, readonly unknown[]>
    >; // True: the schema requires it.
    expect([objects.length, variables?.length, patches?.length]).toEqual([11, 32, 21]);
    expect(reconciled.variables).toHaveLength(32);
  });

  it('is not written again', async () => {
    const world = await aBroadWorld();
    await world.settle(ref);
    expect((await world.settle(ref)).writes).toEqual([]);
  });
});
