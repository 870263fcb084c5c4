// What the look-up of a Machine's Node found. The input of the Node phase and of the conditions NodeReady and
// NodeHealthy.
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';

export type NodeLookup =
  /** The Machine has no providerID, so no Node was looked up. */
  | { readonly state: 'noProviderID' }
  /** The workload cluster did not answer. `isUnsent`: this was known without sending a request. */
  | { readonly state: 'notConnected'; readonly isUnsent?: true }
  | { readonly state: 'missing' }
  /** The look-up failed, or more than one Node has the providerID. `isUnsent`: no request was sent. */
  | { readonly state: 'failed'; readonly error: string; readonly isUnsent?: true }
  /** The time limit of the pass ended the look-up. What is stored about the Node is kept. */
  | { readonly state: 'aborted'; readonly error: string }
  | { readonly state: 'found'; readonly node: WorkloadNode };

export const connectionDown = 'connection to the workload cluster is down';
