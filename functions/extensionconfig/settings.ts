// How this deployment treats all ExtensionConfigs, from its environment.
import type { Config } from '../../shared/config/env.ts';
import type { Settings } from './seen.ts';

export function toSettings({ featureGates }: Pick<Config, 'featureGates'>): Settings {
  return { runtimeSdk: featureGates.RuntimeSDK };
}
