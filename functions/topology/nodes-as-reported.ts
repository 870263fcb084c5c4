// Replaces workload clusters whose Nodes must not be read. Each Node is assumed to have the version of its MachinePool.
import { type Checked, valid, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import type { ExplainContext } from '../../shared/explain/face.ts';
import { workerVersion } from '../../shared/topology/upgrade/worker-version.ts';
import { nodesOfPool } from '../../shared/topology/upgrade/workers-upgrading.ts';
import type { WorkloadNodes } from '../../shared/workload/port.ts';

/** Records each read of Nodes that would be sent. */
export function nodesAsReported({
  reads,
  ref,
  wouldAsk,
}: Pick<ExplainContext, 'reads' | 'ref' | 'wouldAsk'>): WorkloadNodes {
  return {
    async kubeletVersions(_, nodes) {
      wouldAsk(
        `the workload cluster for the versions of its Nodes: ${nodes.join(', ')}; assumed to run the versions of their MachinePools`,
      );
      const place = withoutUndefined({ namespace: ref.namespace });
      const labels = { [clusterNameLabel]: ref.name };
      const pools = await reads.list({ apiVersion: clusterApiVersion, kind: 'MachinePool', labels, ...place });
      const versions = (pools.ok ? pools.value : []).flatMap(pool =>
        nodesOfPool(pool).map((node): readonly [string, Checked<string>] => [node, valid(workerVersion(pool))]),
      );
      return new Map(versions);
    },
  };
}
