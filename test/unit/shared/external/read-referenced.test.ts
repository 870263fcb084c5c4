import { describe, expect, it } from 'vitest';
import { readReferenced } from '../../../../shared/external/read-referenced.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

const ref = { apiGroup: 'example.com', kind: 'FooMachine', name: 'f1' };
const crd = new ObjectBuilder({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'foomachines.example.com',
}).clusterScoped();
const labelled = crd.labelled({ 'cluster.x-k8s.io/v1beta2': 'v1_v2' });
const object = new ObjectBuilder({ apiVersion: 'example.com/v2', kind: 'FooMachine', name: 'f1' });
const definition = 'metadata CustomResourceDefinition foomachines.example.com';

const read = (objects: readonly ObjectBuilder[], faults: readonly ReadFault[] = []) => {
  const ask = fakeReads(objects, faults);
  return { ask, found: readReferenced({ ref, namespace: 'ns' }, ask) };
};

describe('a referenced object', () => {
  it('is read in the newest version of the contract, after its definition', async () => {
    const { ask, found } = read([labelled, object]);
    expect(await found).toEqual({ state: 'found', ref, object: object.build(), contract: 'v1beta2' });
    expect(ask.trips).toEqual([[definition], ['get FooMachine ns/f1']]);
  });

  it('is not read without a reference', async () => {
    const ask = fakeReads([labelled, object]);
    const found = await readReferenced({ ref: { apiGroup: '', kind: '', name: '' }, namespace: 'ns' }, ask);
    expect(found).toEqual({ state: 'undefined' });
    expect(ask.trips).toEqual([]);
  });

  it('may be missing', async () => {
    expect(await read([labelled]).found).toEqual({ state: 'missing', ref });
  });

  it.each([
    {
      objects: [object],
      faults: [],
      error:
        'failed to get object from ref: failed to get CustomResourceDefinition metadata: customresourcedefinitions.apiextensions.k8s.io "foomachines.example.com" not found',
      reason: 'its definition is missing',
    },
    {
      objects: [crd, object],
      faults: [],
      error: expect.stringContaining('cannot find any versions matching contract versions'),
      reason: 'its definition has no version of the contract',
    },
    {
      objects: [labelled, object],
      faults: [{ at: 'get FooMachine ns/f1', message: 'boom' }],
      error: 'failed to retrieve FooMachine ns/f1: boom',
      reason: 'the read fails',
    },
  ])('is unreadable if $reason', async ({ objects, faults, error }) => {
    expect(await read(objects, faults).found).toEqual({ state: 'unreadable', ref, error });
  });
});
