// Reads the settings for all ExtensionConfigs of this deployment from the environment.
import type { Config } from '../../shared/config/env.ts';
import type { Settings } from './seen.ts';

export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): Settings {
  return { runtimeSdk: featureGates.RuntimeSDK };
}
