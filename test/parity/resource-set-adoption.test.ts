// The first reconcile writes nothing to ClusterResourceSets and bindings that upstream's controllers have reconciled, nor
// to their ConfigMaps and Secrets, nor to the workload cluster.
import { expect, it } from 'vitest';
import { seed } from '../../cli/plan/files.ts';
import { expectAdoptedResourceSets, readResourceSetSnapshots, resourceSetExceptions } from './adopted-resource-sets.ts';
import { recordedAt, withoutState } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds } from './corpus.ts';
import { withEncodedData } from './etcd-objects.ts';

describeCorpus('adoption of the ClusterResourceSets that upstream left', () => {
  const crds = readCorpusCrds();
  const snapshots = readResourceSetSnapshots(crds);
  const stored = snapshots.flatMap(({ objects }) => objects.map(withEncodedData));
  // All snapshots use one server, because parsing the definitions takes longer than a reconcile.
  const { kubernetes } = seed([...crds, ...stored], recordedAt);

  it.each(snapshots)('$scenario, $name', snapshot => expectAdoptedResourceSets(kubernetes, snapshot));

  it('has no exception for a state that does not exist, and states of both kinds', () => {
    expect(withoutState(resourceSetExceptions, snapshots)).toEqual([]);
    const kinds = new Set(stored.map(({ kind }) => kind));
    expect(['ClusterResourceSet', 'ClusterResourceSetBinding'].filter(kind => !kinds.has(kind))).toEqual([]);
  });
});
