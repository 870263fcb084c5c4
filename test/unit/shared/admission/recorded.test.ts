// Upstream's controllers reconciled the topologies of the corpus without webhooks. The admission checks must accept all
// of them.

import { printFieldError, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { problemsOfTopologyAlone, problemsOfTopologyInClass } from '../../../../shared/admission/managed-topology.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { readClassSpec } from '../../../../shared/api/cluster-class/class-spec.ts';
import { readClusterTopology } from '../../../../shared/topology/model/cluster-topology.ts';
import { describeCorpus, readResult, readScenarios } from '../../../parity/corpus.ts';
import { toSettledSnapshots } from '../../../parity/recorded-state.ts';

const settings = { apiVersions: new Map<string, string>(), namespace: 'ns', time: '2026-01-01T00:00:00Z' };

/** Returns undefined without a topology and its class. */
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
        // True: `toSettledSnapshots` sets a uid on every object, and resource versions are not read here.
        const problems = problemsOf(objects as readonly Unstructured[]);
        return problems === undefined ? [] : [{ title: `${scenario.folder}, ${name}`, problems }];
      }),
    );

  it.each(judged)('$title: have nothing wrong with them', ({ problems }) => {
    expect(problems).toEqual([]);
  });
});
