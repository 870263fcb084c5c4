// The ConfigMap in which the resync stores its last run. It is not an object of a user, and only some runs have a resync.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { isState } from '../../../shared/event-source/state-config-map.ts';

export function isResyncState(object: Pick<Unstructured, 'kind' | 'metadata'>): boolean {
  return isState(object, { stateNamespace: 'kube-system' });
}
