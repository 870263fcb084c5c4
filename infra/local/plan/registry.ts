// The reconcilers that can be planned.
import { clusterReconciler } from '../../../functions/cluster/reconciler.ts';
import type { RemotePorts } from '../../../functions/cluster/remote.ts';
import { createSigner } from '../../../shared/certificates/x509/lazy-signer.ts';
import { userAgent } from '../../../shared/kubernetes/rest/version.ts';
import { createWorkload } from '../../../shared/kubernetes/rest/workload.ts';
import { waitOf } from '../view/waiting.ts';
import { whyOfCluster } from './cluster-reasons.ts';
import { type Asking, type Plannable, toPlannable } from './plan.ts';
import { workloadAsReported } from './workload-as-reported.ts';

/** A probe is a request that changes nothing; what the signer makes here is thrown away. */
function ports(asking: Asking): RemotePorts {
  const workload = asking.probeWorkloads ? createWorkload({ userAgent }) : workloadAsReported(asking);
  return { signer: createSigner(), workload };
}

export const plannables: readonly Plannable[] = [
  toPlannable({ reconciler: clusterReconciler, ports, whyOf: whyOfCluster, waitOf }),
];
