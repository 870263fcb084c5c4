// The public interface of the topology reconciler for CLI commands.
import { type ObjectRef, toRecord, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import { toFace } from '../../shared/explain/face.ts';
import { hooksThatAgree } from '../../shared/explain/hooks-that-agree.ts';
import { remediesOfTopology, waitOfTopology } from '../../shared/explain/topology-waits.ts';
import { readClusterTopology } from '../../shared/topology/model/cluster-topology.ts';
import { nodesAsReported } from './nodes-as-reported.ts';
import { replacedBy, whyOfTopology } from './plan-reasons.ts';
import { createTopologyReconciler } from './reconciler.ts';
import { stepsOfTopology } from './upgrade-steps.ts';

export const face = toFace({
  reconciler: createTopologyReconciler({ callsExtensions: true }),
  asReported: { hooks: hooksThatAgree, nodes: nodesAsReported },
  concerns: cluster => valueAt(cluster.spec, 'topology') !== undefined,
  fromFiles: cluster => {
    const ref = classOf(cluster);
    return ref === undefined ? undefined : { reconciler: 'clusterclass', ref };
  },
  whyOf: whyOfTopology,
  replacedBy,
  conclude: stepsOfTopology,
  waitOf: waitOfTopology,
  remediesOf: (cluster, { condition }) => (condition === undefined ? [] : remediesOfTopology(cluster, condition)),
});

function classOf(cluster: Unstructured): ObjectRef | undefined {
  const topology = toRecord(cluster.spec)['topology'];
  const { name, namespace } = readClusterTopology(topology).classRef;
  const { namespace: own = '' } = cluster.metadata;
  const place = { namespace: namespace === '' ? own : namespace };
  return name === '' ? undefined : { apiVersion: clusterApiVersion, kind: 'ClusterClass', name, ...place };
}
