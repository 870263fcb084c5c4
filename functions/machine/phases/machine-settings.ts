// The settings of a deployment that concern Machines.
import type { NodeSettings } from './node/node-patch.ts';

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
