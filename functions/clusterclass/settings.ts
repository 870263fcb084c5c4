// How this deployment treats all ClusterClasses, from its environment.
import type { Config } from '../../shared/config/env.ts';
import type { Settings } from './seen.ts';

/** ClusterTopology is not read here: the declaration names it, and where it is off, the reconciler does not run. */
export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): Settings {
  return { callsExtensions: featureGates.RuntimeSDK };
}
