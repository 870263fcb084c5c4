// Decides the write of the caBundle. It is the only write to an ExtensionConfig besides its status.
import { toRef } from '@capi-serverless/apimachinery';
import type { Action } from '@capi-serverless/reconciler';
import type { ExtensionConfigSeen } from './seen.ts';

export const injectId = 'caBundle';

/**
 * If a pass ends before the write, the next pass writes the caBundle. If it ends after the write, the next pass calls
 * the extension server.
 */
export function decide(seen: ExtensionConfigSeen): readonly Action[] {
  switch (seen.step) {
    case 'pausedCondition':
    case 'failed':
    case 'discovery':
      return [];
    case 'inject': {
      const { config, caBundle } = seen;
      return [
        {
          id: injectId,
          onError: 'stop',
          do: 'patch',
          ref: toRef(config.object),
          body: { spec: { clientConfig: { caBundle: caBundle === '' ? null : caBundle } } },
          resourceVersion: config.metadata.resourceVersion,
        },
      ];
    }
  }
}
