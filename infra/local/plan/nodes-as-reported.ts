// Stands in for workload clusters whose Nodes must not be read: each Node runs what its MachinePool asks for.
import { type Checked, valid } from '../../../shared/api/checked.ts';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import { workerVersion } from '../../../shared/topology/upgrade/worker-objects.ts';
import { nodesOfPool } from '../../../shared/topology/upgrade/workers-upgrading.ts';
import type { WorkloadNodes } from '../../../shared/workload/port.ts';
import type { Asking } from './plan.ts';

/** Tells that they would be read. */
export function nodesAsReported({ reads, ref, wouldAsk }: Pick<Asking, 'reads' | 'ref' | 'wouldAsk'>): WorkloadNodes {
  return {
    async kubeletVersions(_, nodes) {
      wouldAsk(
        `the workload cluster what its Nodes run: ${nodes.join(', ')}; taken to run what their MachinePools ask for`,
      );
      const place = ref.namespace === undefined ? {} : { namespace: ref.namespace };
      const labels = { [clusterNameLabel]: ref.name };
      const pools = await reads.list({ apiVersion: clusterApiVersion, kind: 'MachinePool', labels, ...place });
      const versions = (pools.ok ? pools.value : []).flatMap(pool =>
        nodesOfPool(pool).map((node): readonly [string, Checked<string>] => [node, valid(workerVersion(pool))]),
      );
      return new Map(versions);
    },
  };
}
