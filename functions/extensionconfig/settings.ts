// Reads the settings for all ExtensionConfigs of this deployment from the environment.
import type { Config } from '../../shared/config/env.ts';
import type { ExtensionConfigSettings } from './seen.ts';

export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): ExtensionConfigSettings {
  return { runtimeSdk: featureGates.RuntimeSDK };
}
