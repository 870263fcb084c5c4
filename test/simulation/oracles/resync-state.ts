// The ConfigMap in which the resync stores its last run. It is not an object of a user, and only some runs have a resync.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { stateName } from '../../../functions/resync/stored-fingerprints.ts';

export function isResyncState({ kind, metadata }: Pick<Unstructured, 'kind' | 'metadata'>): boolean {
  return kind === 'ConfigMap' && metadata.name === stateName;
}
