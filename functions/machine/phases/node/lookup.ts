// What the look-up of a Machine's Node found. The input of the Node phase and of the conditions NodeReady and
// NodeHealthy.
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';

export type NodeLookup =
  /** The Machine has no providerID, so no Node was looked up. */
  | { readonly state: 'noProviderID' }
  /** The workload cluster did not answer. `message` contains nothing of the kubeconfig. */
  | { readonly state: 'notConnected' }
  | { readonly state: 'missing' }
  /** The look-up failed, or more than one Node has the providerID. */
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'found'; readonly node: WorkloadNode };

export const connectionDown = 'connection to the workload cluster is down';
