// Reads the settings for all Clusters of this deployment from the environment.
import type { Config } from '../../shared/config/env.ts';
import type { ClusterSettings } from './seen.ts';

export function toSettings(
  config: Pick<
    Config,
    'featureGates' | 'remoteProbe' | 'remoteConnectionGracePeriodSeconds' | 'resyncPeriodSeconds' | 'classNamespaces'
  >,
): ClusterSettings {
  const { ClusterTopology, RuntimeSDK, MachinePool } = config.featureGates;
  return {
    honorsDeleteHook: ClusterTopology && RuntimeSDK,
    countsMachinePools: MachinePool,
    probesRemote: config.remoteProbe === 'on-reconcile',
    remoteGracePeriodMs: config.remoteConnectionGracePeriodSeconds * 1000,
    resyncPeriodMs: config.resyncPeriodSeconds * 1000,
    classNamespaces: config.classNamespaces,
  };
}
