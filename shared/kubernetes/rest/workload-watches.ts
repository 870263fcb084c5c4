// The watches of workload clusters. Each one has a client of its own.
import { valid } from '@capi-serverless/apimachinery';
import { parseOnce } from '../../certificates/parse-once.ts';
import type { WatchWorkload } from '../../workload/watches.ts';
import type { InlineKubeconfig } from '../credentials/kubeconfig.ts';
import { createKubernetes } from './client.ts';
import type { WorkloadAccess } from './workload-connection.ts';
import { workloadCredentials } from './workload-credentials.ts';

/** A page of 500 Nodes with metadata only takes less than 2 MiB. */
const limits = {
  connectTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  maxAnswerBytes: 8 * 1024 * 1024,
  maxSockets: 1,
};

interface WorkloadWatchesOptions extends WorkloadAccess {
  /** The name of the sender in request facts. It is the name of the process. */
  readonly client: string;
}

export function createWorkloadWatches({ addresses, client, userAgent }: WorkloadWatchesOptions): WatchWorkload {
  const kubeconfigs = parseOnce<InlineKubeconfig>();
  return async target => {
    const access = await workloadCredentials(target, addresses, kubeconfigs);
    if (!access.ok) {
      return access;
    }
    const { credentials, limits: resolving } = access.value;
    return valid(createKubernetes({ credentials, client, userAgent, limits: { ...limits, ...resolving } }).watches);
  };
}
