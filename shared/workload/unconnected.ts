// The clients for a workload cluster without a connection. Each request is refused.
import { type ApiFailure, refused } from '@capi-serverless/apimachinery';
import type { WorkloadWrites } from '@capi-serverless/reconciler/runner';
import type { WorkloadReads } from './api.ts';

const failure: ApiFailure = { reason: 'Unavailable', message: 'connection to the workload cluster is down' };

/** Each read fails with this failure. Default reason: as if the cluster did not answer. */
export function unconnectedReads(message: string, reason: ApiFailure['reason'] = 'Unavailable'): WorkloadReads {
  const fail = async () => refused({ reason, message });
  return { get: fail, list: fail, nodes: fail, resources: fail };
}

export const unconnectedWrites: WorkloadWrites = {
  mergePatch: async () => refused(failure),
  delete: async () => refused(failure),
  metadata: async () => refused(failure),
  evict: async () => refused(failure),
  createManifest: async () => refused(failure),
};
