// The content of ConfigMaps and Secrets, and its digest.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { readResources } from '../../../../functions/clusterresourceset/observe/read-resources.ts';
import { readResourceSet } from '../../../../shared/api/cluster-resource-set/reader.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { aSet, configMap, SetObject, secret } from './set-objects.ts';

async function contentsOf(...objects: readonly Unstructured[]) {
  const set = readResourceSet(aSet().build());
  const found = await readResources(fakeReads(objects), { set, bindings: [undefined] });
  return found.map(resource => (resource.state === 'found' ? resource.content : resource.state));
}

describe('a digest', () => {
  it('is that of the values in the order of their keys, without keys and borders', async () => {
    const hash = 'sha256:5d18f2d888da9042b2805faa8a91a17a5e04c888766d448b159b001e8994a24a';
    const [one, another] = [
      await contentsOf(configMap({ b: 'c: d', a: 'a: b' })),
      await contentsOf(configMap({ x: 'a: bc: d' })),
    ];
    expect(one[0]).toMatchObject({ ok: true, value: { hash } });
    expect(another[0]).toMatchObject({ ok: false });
    const moved = await contentsOf(configMap({ c: 'a: b', d: 'c: d' }));
    expect(moved[0]).toMatchObject({ ok: true, value: { hash } });
  });

  it('of a Secret is that of its bytes', async () => {
    const [fromMap, fromSecret] = await contentsOf(configMap({ a: 'k: ä' }), secret({ b: 'k: ä' }));
    expect(fromMap).toEqual(fromSecret);
  });
});

describe('data', () => {
  it('with a value that is no text are an error', async () => {
    const object = new SetObject({ apiVersion: 'v1', kind: 'ConfigMap', name: 'cm1' }).holding({ data: { a: 1 } });
    expect(await contentsOf(object.build(), secret({}))).toEqual([
      { ok: false, error: 'getting value for field a in data from resource ns/cm1: it is not a text' },
      { ok: false, error: 'failed to get data field from resource ns/s1' },
    ]);
  });

  it('that are missing are reported as such', async () => {
    expect(await contentsOf()).toEqual(['missing', 'missing']);
  });
});
