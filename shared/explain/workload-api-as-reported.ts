// Replaces the workload cluster port if its cluster must not be asked. No request is answered.
import { refused } from '@capi-serverless/apimachinery';
import type { WorkloadApi } from '../workload/api.ts';
import type { ExplainContext } from './face.ts';

/** Reports the first request that would be sent. The object is planned as without connection. */
export function workloadApiAsReported({ wouldAsk }: Pick<ExplainContext, 'wouldAsk'>): WorkloadApi {
  return {
    reads({ origin }) {
      const fail = async () => {
        wouldAsk(`the workload cluster for Nodes, with the kubeconfig ${origin}; assumed not to answer`);
        return refused({ reason: 'Unavailable', message: 'not called' });
      };
      return { get: fail, list: fail, nodes: fail, resources: fail };
    },
  };
}
