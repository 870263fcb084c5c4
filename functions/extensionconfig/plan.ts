// The plan of one pass over an ExtensionConfig: the caBundle, then the discovery.
import { toRef } from '@capi-serverless/apimachinery';
import { concluded, type EarlyEnd, type PassChange, type PassProgress, type Phase } from '@capi-serverless/reconciler';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';
import { type DiscoveredConditions, discovered, notDiscovered } from './conditions/discovered.ts';
import type { ExtensionConfigSeen } from './seen.ts';

export const injectId = 'caBundle';

/** The resync period of upstream's manager. The timer also replaces a watch on Secrets. */
export const recheckMs = 600_000;

interface DiscoveryStatus {
  /** If absent, no status is written. */
  readonly conditions?: DiscoveredConditions;
  /** If absent, the handlers stay in the status, because callers still need them. */
  readonly handlers?: readonly ExtensionHandler[];
}

interface ConfigChange extends PassChange, DiscoveryStatus {}

export interface ConfigProgress extends PassProgress, DiscoveryStatus {}

export interface WholeConfigPlan extends Phase<ConfigChange> {
  readonly config: ExtensionConfig;
}

export type ConfigPlan = EarlyEnd | WholeConfigPlan;

export function plan(seen: ExtensionConfigSeen): WholeConfigPlan {
  return { config: seen.config, ...phaseOf(seen) };
}

function phaseOf(seen: ExtensionConfigSeen): Phase<ConfigChange> {
  switch (seen.step) {
    case 'failed':
      return concluded({
        errors: [seen.error],
        ...(seen.isReported ? { conditions: notDiscovered(seen.error) } : {}),
      });
    case 'inject':
      return injectionPhase(seen.config, seen.caBundle);
    case 'discovery':
      return concluded(
        seen.discovered.ok
          ? { conditions: discovered(), handlers: seen.discovered.value, requeues: [recheckMs] }
          : {
              conditions: notDiscovered(`Error in discovery: ${seen.discovered.error}`),
              errors: [seen.discovered.error],
            },
      );
  }
}

/**
 * The only write besides the status. If a pass ends before it, the next pass writes the caBundle. If it ends after it,
 * the next pass calls the extension server.
 */
function injectionPhase({ object, metadata }: ExtensionConfig, caBundle: string): Phase<ConfigChange> {
  const problem = `failed to patch ExtensionConfig ${metadata.name} with the caBundle of its Secret`;
  return {
    actions: [
      {
        id: injectId,
        onError: 'stop',
        do: 'patch',
        ref: toRef(object),
        body: { spec: { clientConfig: { caBundle: caBundle === '' ? null : caBundle } } },
        resourceVersion: metadata.resourceVersion,
      },
    ],
    steps: [{ change: { again: true }, needs: [{ id: injectId, problem }] }],
  };
}
