// The settings for all Machines of a deployment: the defaults, and those in the environment.
import { prefixed } from '@capi-serverless/apimachinery';
import { type Config, ConfigError } from '../../shared/config/env.ts';
import type { MachineSettings } from './seen.ts';

/** The defaults of upstream's manager. */
export const defaultSettings: MachineSettings = {
  propagatesTaints: false,
  syncsLabel: () => false,
  syncsAnnotation: () => false,
  remoteConditionsGracePeriodMs: 300_000,
  resyncPeriodMs: 600_000,
  nodePeriodMs: undefined,
  probesRemote: true,
  updatesInPlace: false,
  waitsForFinishedPods: false,
  countsInlineDataSecret: false,
};

/** Loads the engine of regular expressions if there are any. Rejects with ConfigError if an expression is not valid. */
export async function toSettings(
  config: Pick<
    Config,
    | 'featureGates'
    | 'remoteProbe'
    | 'remoteConditionsGracePeriodSeconds'
    | 'resyncPeriodSeconds'
    | 'nodePeriodSeconds'
    | 'machineKeys'
    | 'waitsForFinishedPods'
    | 'countsInlineDataSecret'
  >,
): Promise<MachineSettings> {
  const { featureGates, machineKeys } = config;
  const [syncsLabel, syncsAnnotation] = await Promise.all([
    selecting('CAPI_ADDITIONAL_SYNC_MACHINE_LABELS', machineKeys.labels),
    selecting('CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS', machineKeys.annotations),
  ]);
  return {
    propagatesTaints: featureGates.MachineTaintPropagation,
    syncsLabel,
    syncsAnnotation,
    remoteConditionsGracePeriodMs: config.remoteConditionsGracePeriodSeconds * 1000,
    resyncPeriodMs: config.resyncPeriodSeconds * 1000,
    nodePeriodMs: config.nodePeriodSeconds === 0 ? undefined : config.nodePeriodSeconds * 1000,
    probesRemote: config.remoteProbe === 'on-reconcile',
    updatesInPlace: featureGates.InPlaceUpdates,
    waitsForFinishedPods: config.waitsForFinishedPods,
    countsInlineDataSecret: config.countsInlineDataSecret,
  };
}

async function selecting(name: string, expressions: readonly string[]): Promise<(key: string) => boolean> {
  if (expressions.length === 0) {
    return () => false;
  }
  const { compilePattern } = await import('@capi-serverless/apimachinery/pattern');
  const patterns = expressions.map(expression => {
    const compiled = prefixed(compilePattern(expression), `"${expression}" is no regular expression`);
    if (!compiled.ok) {
      throw new ConfigError(`Environment is not valid: ${name}: ${compiled.error}`);
    }
    return compiled.value;
  });
  return key => patterns.some(pattern => pattern.test(key) === 'matches');
}
