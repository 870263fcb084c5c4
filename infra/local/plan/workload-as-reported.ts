// Stands in for workload clusters that must not be asked: each answers as its Cluster last reported.
import { readCluster } from '../../../shared/api/cluster/reader.ts';
import { isTrue } from '../../../shared/conditions/get.ts';
import type { Workload } from '../../../shared/workload/port.ts';
import type { Asking } from './plan.ts';

const probeCondition = 'RemoteConnectionProbe';

/** Tells of every probe that would be made. */
export function workloadAsReported({ reads, ref, wouldAsk }: Asking): Workload {
  return {
    async probe({ origin }) {
      const answered = await reads.get(ref);
      const reported = answered.ok && isTrue(readCluster(answered.value).status.conditions, probeCondition);
      wouldAsk(
        `the workload cluster whether it answers, with the kubeconfig ${origin}; ` +
          `${reported ? 'taken to answer' : 'taken not to answer'}, as condition ${probeCondition} says`,
      );
      return reported ? { ok: true } : { ok: false, error: 'not asked' };
    },
  };
}
