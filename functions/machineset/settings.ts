// The settings for all MachineSets of a deployment: the defaults, and those in the environment.
import { type Config, ConfigError } from '../../shared/config/env.ts';
import { allChecks, preflightChecks } from '../../shared/machine-collections/preflight-scope.ts';
import type { MachineSetSettings } from './seen.ts';

/** The defaults of upstream's manager. */
export const defaultSettings: MachineSetSettings = { preflightChecks: [allChecks], hasTopologies: false };

/** Disables all checks, because an empty variable is treated as unset. */
const noChecks = 'None';

/** Throws ConfigError if a check is unknown. */
export function toSettings({
  featureGates,
  machineSetPreflightChecks: names,
}: Pick<Config, 'featureGates' | 'machineSetPreflightChecks'>): MachineSetSettings {
  const known: readonly string[] = [allChecks, noChecks, ...preflightChecks];
  const unknown = names.find(name => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `Environment is not valid: CAPI_MACHINESET_PREFLIGHT_CHECKS: "${unknown}" is not one of ${known.join(', ')}`,
    );
  }
  return {
    preflightChecks: names.filter(name => name !== noChecks),
    hasTopologies: featureGates.ClusterTopology,
  };
}
