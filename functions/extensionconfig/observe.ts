// Reads the inputs of one pass over an ExtensionConfig: the referenced Secret, then the handlers of the extension
// server.

import { type Checked, invalid, type ObjectRef, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import type { EarlyEnd, Pass, Stop } from '@capi-serverless/reconciler';
import {
  type ExtensionConfig,
  type ExtensionHandler,
  readExtensionConfig,
} from '../../shared/api/extension-config/reader.ts';
import { hooksOf } from '../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import {
  type ExtensionConfigSettings,
  gateOf,
  injectionOf,
  type ObservedExtensionConfig,
  readCaBundle,
  toHandlers,
} from './plan.ts';

interface Observing {
  readonly pass: Pass;
  readonly settings: ExtensionConfigSettings;
}

/** The extension server is called only if the caBundle equals the current content of the Secret. */
export async function observe(
  primary: Unstructured,
  ask: Reads & HooksPort,
  { pass, settings }: Observing,
): Promise<ObservedExtensionConfig | EarlyEnd | Stop> {
  if (!settings.runtimeSdk) {
    return { stop: 'the feature gate RuntimeSDK is off' };
  }
  const config = readExtensionConfig(primary);
  const early = gateOf(config);
  if (early !== undefined) {
    return early;
  }
  const injection = injectionOf(config);
  switch (injection.state) {
    case 'none':
      return discover(config, ask, pass);
    case 'malformed':
      return { step: 'failed', config, error: injection.error, isReported: true };
    case 'secret':
      return inject(config, injection.ref, { ask, pass });
  }
}

async function inject(
  config: ExtensionConfig,
  ref: ObjectRef,
  { ask, pass }: { readonly ask: Reads & HooksPort; readonly pass: Pass },
): Promise<ObservedExtensionConfig> {
  const found = readCaBundle(ref, await ask.get(ref));
  if (found.state === 'failed') {
    return { step: 'failed', config, error: found.error, isReported: found.isLasting };
  }
  const { caBundle } = found;
  return caBundle === config.spec.clientConfig.caBundle
    ? discover(config, ask, pass)
    : { step: 'inject', config, caBundle };
}

async function discover(config: ExtensionConfig, ask: Reads & HooksPort, pass: Pass): Promise<ObservedExtensionConfig> {
  const answer = await hooksOf(ask, pass).discover(config);
  if (!answer.ok && answer.why === 'time') {
    return { step: 'failed', config, error: answer.error, isReported: false };
  }
  const discovered: Checked<readonly ExtensionHandler[]> = answer.ok
    ? toHandlers(config.metadata.name, answer.value.handlers)
    : invalid(answer.error);
  return { step: 'discovery', config, discovered };
}
