// A class as broad as those that providers publish.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyManifests, parseManifests } from '../../../../infra/local/manifests.ts';
import { toRecord } from '../../../../shared/api/fields.ts';
import { aWorld } from './world.ts';

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
    const told = await world.settle(ref);
    expect(told.result).toBe('done');
    expect(told.condition('VariablesReady')).toBe('True/VariablesReady');
    expect(told.condition('RefVersionsUpToDate')).toBe('True/RefVersionsUpToDate');
    expect(told.observedGeneration).toBe(1);
    expect(told.writes).toHaveLength(12);
    const { variables, patches } = toRecord(told.object?.['spec']) as Readonly<Record<string, readonly unknown[]>>; // by its schema
    expect([objects.length, variables?.length, patches?.length]).toEqual([11, 32, 21]);
    expect(told.variables).toHaveLength(32);
  });

  it('is not written again', async () => {
    const world = await aBroadWorld();
    await world.settle(ref);
    expect((await world.settle(ref)).writes).toEqual([]);
  });
});
