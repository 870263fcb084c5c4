// Upstream's controllers reconciled the corpus's topologies without webhooks: nothing that they took may be wrong to us.
import { expect, it } from 'vitest';
import { problemsOfTopologyAlone, problemsOfTopologyInClass } from '../../../../shared/admission/topology.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { printFieldError } from '../../../../shared/api/field-error.ts';
import { toRecord } from '../../../../shared/api/fields.ts';
import type { Unstructured } from '../../../../shared/api/object.ts';
import { readClassSpec } from '../../../../shared/topology/model/class-spec.ts';
import { readClusterTopology } from '../../../../shared/topology/model/cluster-topology.ts';
import { describeCorpus, readResult, readScenarios } from '../../../parity/corpus.ts';
import { toSettledSnapshots } from '../../../parity/recorded-state.ts';

const settings = { apiVersions: new Map<string, string>(), namespace: 'ns', time: '2026-01-01T00:00:00Z' };

/** Undefined where there is no topology with its class. */
function problemsOf(objects: readonly Unstructured[]): readonly string[] | undefined {
  const cluster = objects.find(({ kind }) => kind === 'Cluster');
  const clusterClass = objects.find(({ kind }) => kind === 'ClusterClass');
  const raw = toRecord(cluster?.spec)['topology'];
  if (cluster === undefined || clusterClass === undefined || raw === undefined) {
    return undefined;
  }
  const topology = readClusterTopology(raw);
  const { name } = clusterClass.metadata;
  const classSpec = readClassSpec(clusterClass.spec);
  return [
    ...problemsOfTopologyAlone(topology, true),
    ...problemsOfTopologyInClass({ cluster: readCluster(cluster).metadata, topology, className: { name }, classSpec }),
  ].map(printFieldError);
}

describeCorpus('topologies that upstream reconciled', () => {
  const judged = readScenarios()
    .filter(({ kind }) => kind === 'Topology')
    .flatMap(scenario =>
      toSettledSnapshots(readResult(scenario), settings).flatMap(({ name, objects }) => {
        // True: `toSettledSnapshots` gives every object a uid, and nothing here looks at versions of resources.
        const problems = problemsOf(objects as readonly Unstructured[]);
        return problems === undefined ? [] : [{ title: `${scenario.folder}, ${name}`, problems }];
      }),
    );

  it.each(judged)('$title: have nothing wrong with them', ({ problems }) => {
    expect(problems).toEqual([]);
  });
});
