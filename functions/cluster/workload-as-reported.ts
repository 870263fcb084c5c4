// Replaces the workload cluster port if probes are not allowed. Each workload cluster answers as its Cluster last
// reported.

import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { readCluster } from '../../shared/api/cluster/reader.ts';
import type { ExplainContext } from '../../shared/explain/face.ts';
import type { WorkloadClusters } from '../../shared/workload/port.ts';

const probeCondition = 'RemoteConnectionProbe';

/** Reports every probe that would be sent. */
export function workloadAsReported({ reads, ref, wouldAsk }: ExplainContext): WorkloadClusters {
  return {
    async probe({ origin }) {
      const answered = await reads.get(ref);
      const reported = answered.ok && isTrue(readCluster(answered.value).status.conditions, probeCondition);
      wouldAsk(
        `the workload cluster for a probe, with the kubeconfig ${origin}; ` +
          `${reported ? 'assumed to answer' : 'assumed not to answer'}, as condition ${probeCondition} says`,
      );
      return reported ? { ok: true } : { ok: false, error: 'not called' };
    },
  };
}
