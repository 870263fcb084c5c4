// Reads the settings for all ClusterClasses of this deployment from the environment.
import type { Config } from '../../shared/config/env.ts';
import type { ClusterClassSettings } from './seen.ts';

/** The feature gate ClusterTopology is in the declaration. If the gate is disabled, the reconciler does not run. */
export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): ClusterClassSettings {
  return { callsExtensions: featureGates.RuntimeSDK };
}
