// Annotations by which people and tools hold up an upgrade without an extension.

import { compareText } from '../../names/text-order.ts';
import type { Annotations } from '../../runtime-hooks/rules/annotations.ts';
import type { RetryResponse } from '../../runtime-hooks/rules/hook.ts';
import { beforeUpgradeAnnotationPrefix } from '../model/keys.ts';

/** Upstream's: taking the annotation off is an event, so nobody waits that long. */
const retrySeconds = 1200;

/** What BeforeClusterUpgrade would answer for them; undefined when there is none. */
export function annotationHold(annotations: Annotations): RetryResponse | undefined {
  const keys = Object.keys(annotations)
    .filter(key => key.startsWith(beforeUpgradeAnnotationPrefix))
    .toSorted(compareText);
  if (keys.length === 0) {
    return undefined;
  }
  const message = keys.length === 1 ? `annotation ${keys[0]} is set` : `annotations ${keys.join(', ')} are set`;
  return { status: 'Success', message, retryAfterSeconds: retrySeconds };
}
