import { expect, it } from 'vitest';
import { readOwningCluster } from '../../../../shared/external/read-owning-cluster.ts';
import { aCluster } from '../../../support/builders.ts';
import { fakeReads } from '../../../support/fake-reads.ts';

const living = { metadata: { namespace: 'ns' }, spec: { clusterName: 'c1' } };
const deletionTimestamp = '2026-01-01T00:00:00Z';
const inDeletion = { ...living, metadata: { ...living.metadata, deletionTimestamp } };

it('returns the Cluster that the spec names, in the namespace of the object', async () => {
  const cluster = await readOwningCluster(living, fakeReads([aCluster().paused().build()]));
  expect(cluster).toMatchObject({ ok: true, value: { metadata: { name: 'c1' }, spec: { paused: true } } });
});

it('allows the deletion of an object whose Cluster is gone', async () => {
  expect(await readOwningCluster(inDeletion, fakeReads([]))).toEqual({ ok: true, value: undefined });
});

it.each([
  { object: living, faults: [], reason: 'the Cluster does not exist' },
  {
    object: inDeletion,
    faults: [{ at: 'get Cluster ns/c1', message: 'boom' }],
    reason: 'it is not known whether it exists',
  },
] as const)('is an error if $reason', async ({ object, faults }) => {
  const cluster = await readOwningCluster(object, fakeReads([], faults));
  expect(cluster).toMatchObject({ ok: false, error: expect.stringMatching(/^failed to get Cluster ns\/c1: ./) });
});
