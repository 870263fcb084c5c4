// The annotations with which users and tools block an upgrade without an extension.

import { compareText } from '@capi-serverless/apimachinery';
import type { Annotations } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import type { RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { beforeUpgradeAnnotationPrefix } from '../../../../shared/topology/model/keys.ts';

/** The retry time is upstream's. Removal of the annotation is an event, which enqueues the Cluster sooner. */
const retrySeconds = 1200;

/** Returns the response of BeforeClusterUpgrade that these annotations produce, or undefined without annotations. */
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
