// What observe has read for one MachinePool: the input of the plan.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { WholeMachinePool } from '../../shared/api/machine-pool/whole-machine-pool.ts';
import type { PoolNode } from '../../shared/api/node/pool-reader.ts';
import type { External } from '../../shared/external/external.ts';
import type { PoolExternals } from './phases/externals.ts';

/** The Nodes of the workload cluster. */
export type PoolNodesRead =
  /** This pass does not need them. */
  | { readonly state: 'unread' }
  | { readonly state: 'listed'; readonly nodes: readonly PoolNode[] }
  /** The workload cluster did not answer. */
  | { readonly state: 'down' }
  | { readonly state: 'failed'; readonly error: string };

/** The objects that represent the machines of the pool one by one. */
export type PoolMembersRead =
  /** The infrastructure has no such objects, or this pass does not need them. */
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly error: string }
  | {
      readonly state: 'listed';
      /** The objects of the infrastructure provider, sorted by name. */
      readonly infraMachines: readonly Unstructured[];
      /** The Machines with the labels of the pool, sorted by name. Those of other controllers are included. */
      readonly machines: readonly WholeMachine[];
    };

export interface ObservedPool {
  readonly pool: WholeMachinePool;
  readonly cluster: Cluster;
  readonly bootstrap: External;
  readonly infrastructure: External;
  readonly externals: PoolExternals;
  readonly members: PoolMembersRead;
  readonly nodes: PoolNodesRead;
}
