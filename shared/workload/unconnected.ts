// The client for writes to a workload cluster without a connection.
import { type ApiFailure, refused } from '@capi-serverless/apimachinery';
import type { WorkloadWrites } from '@capi-serverless/reconciler/runner';

const failure: ApiFailure = { reason: 'Unavailable', message: 'connection to the workload cluster is down' };

/** Refuses each request. */
export const unconnectedWrites: WorkloadWrites = {
  mergePatch: async () => refused(failure),
  delete: async () => refused(failure),
  metadata: async () => refused(failure),
  evict: async () => refused(failure),
  createManifest: async () => refused(failure),
};
