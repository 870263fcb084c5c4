// The one write of a pass over an ExtensionConfig besides its status: the caBundle.
import { toRef } from '../../shared/api/object.ts';
import type { Action } from '../../shared/kernel/types.ts';
import type { Seen } from './seen.ts';

export const injectId = 'caBundle';

/** A crash before the write leaves the old caBundle, one after it the new one: either way the next pass asks again. */
export function decide(seen: Seen): readonly Action[] {
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
