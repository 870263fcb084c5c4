// Reads the settings for all ClusterClasses of this deployment from the environment.
import type { Config } from '../../shared/config/env.ts';
import type { Settings } from './seen.ts';

/** The feature gate ClusterTopology is in the declaration. If the gate is disabled, the reconciler does not run. */
export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): Settings {
  return { callsExtensions: featureGates.RuntimeSDK };
}
