// The settings of all topologies of this deployment, from its environment.
import type { Config } from '../../shared/config/env.ts';

export interface Settings {
  /** Extensions are called: lifecycle hooks, external patches and upgrade plans. */
  readonly callsExtensions: boolean;
}

/** The feature gate ClusterTopology is in the declaration. If the gate is disabled, the reconciler does not run. */
export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): Settings {
  return { callsExtensions: featureGates.RuntimeSDK };
}
