// How this deployment treats all topologies, from its environment.
import type { Config } from '../../shared/config/env.ts';

export interface Settings {
  /** Extensions are asked: hooks of the life of Clusters, external patches, upgrade plans. */
  readonly callsExtensions: boolean;
}

/** ClusterTopology is not asked for: the declaration names it, and where it is off, the reconciler does not run. */
export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): Settings {
  return { callsExtensions: featureGates.RuntimeSDK };
}
