// What observe has read for one Machine. What it plans in between is in phases/scope.ts.
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { TemplateOwner } from '../../shared/api/machine/template-owner.ts';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { External } from '../../shared/external/external.ts';
import type { ConnectionState } from './phases/node/connection.ts';
import type { NodeLookup } from './phases/node/lookup.ts';
import type { NodeSettings } from './phases/node/node-patch.ts';

/** The settings for all Machines of this deployment. */
export interface MachineSettings extends NodeSettings {
  /** The time without a successful probe after which NodeReady and NodeHealthy become Unknown. */
  readonly remoteConditionsGracePeriodMs: number;
  readonly resyncPeriodMs: number;
  /** The time until a healthy Node is read again. If `undefined`, the full resync reads it. */
  readonly nodePeriodMs: number | undefined;
  /** Whether Clusters are probed, so that their condition RemoteConnectionProbe reports the state of the connection. */
  readonly probesRemote: boolean;
  /** The feature gate InPlaceUpdates. */
  readonly updatesInPlace: boolean;
  /** Whether a drain waits for Pods that are Succeeded or Failed until they are deleted, as upstream does. */
  readonly waitsForFinishedPods: boolean;
  /** Whether an inline data secret counts as created bootstrap data. Upstream never sets the flag in this case. */
  readonly countsInlineDataSecret: boolean;
}

/** The Machine and the objects that it references, before its Node is looked up. */
export interface ObservedObjects {
  readonly machine: WholeMachine;
  /** `undefined` only for a Machine in deletion: its Cluster is gone. */
  readonly cluster: Cluster | undefined;
  /** `undefined` if the Machine belongs to no MachineSet. */
  readonly machineSet: TemplateOwner | undefined;
  /** `undefined` if the MachineSet belongs to no MachineDeployment. */
  readonly machineDeployment: TemplateOwner | undefined;
  readonly bootstrap: External;
  readonly infrastructure: External;
  readonly settings: MachineSettings;
}

/** The objects, the Node and the connection. */
export interface ObservedMachine extends ObservedObjects {
  readonly lookup: NodeLookup;
  /** Whether the workload cluster was asked for the Node in this pass. */
  readonly isAsked: boolean;
  readonly connection: ConnectionState;
  /** Whether this Machine notes on its Cluster that the workload cluster does not answer. */
  readonly reportsOutage: boolean;
  /** The time for reads was up before all were answered. What is stored about unread objects is kept. */
  readonly isLate?: true;
}
