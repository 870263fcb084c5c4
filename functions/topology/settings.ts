// The settings of all topologies of this deployment, from its environment.
import type { Config } from '../../shared/config/env.ts';

export interface TopologySettings {
  /** Extensions are called: lifecycle hooks, external patches and upgrade plans. */
  readonly callsExtensions: boolean;
  /** The namespaces whose ClusterClasses all Clusters may use, in addition to their own namespace. Default: 'any'. */
  readonly classNamespaces?: Config['classNamespaces'];
}

/** The feature gate ClusterTopology is in the declaration. If the gate is disabled, the reconciler does not run. */
export function toSettings({
  featureGates,
  classNamespaces,
}: Pick<Config, 'featureGates' | 'classNamespaces'>): TopologySettings {
  return { callsExtensions: featureGates.RuntimeSDK, classNamespaces };
}
