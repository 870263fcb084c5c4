// Detects changes that every event source missed and only the resync found (docs/decisions/0016). Pure.

import { isJsonObject, type Unstructured } from '@capi-serverless/apimachinery';
import { getCondition, storedConditions } from '@capi-serverless/cluster-api/conditions';
import type { Declaration } from '@capi-serverless/reconciler';
import type { KeyWork } from './coalesce.ts';
import type { Reconciled } from './reconciled.ts';

/**
 * Returns true if only the resync caused the reconcile and the reconcile wrote something. Failed reconciles and retries
 * are excluded. For changes without an event and for objects with a `requeueAfter`, the object itself must have
 * changed.
 */
export function isMissedEvent(
  { causes, attempt }: Pick<KeyWork, 'causes' | 'attempt'>,
  { result, writes, unseen, unwatched }: Reconciled,
): boolean {
  const isResync = causes.every(cause => cause === 'resync') && attempt === 0;
  return isResync && writes > 0 && result.kind !== 'failed' && (unseen === true || isByEventAlone(result, unwatched));
}

/** Returns true if only an event would have caused the reconcile in time. */
function isByEventAlone({ kind }: Reconciled['result'], unwatched: true | undefined): boolean {
  return kind !== 'requeueAfter' && unwatched !== true;
}

/**
 * Returns true if the object itself changed since it was reconciled. False if the reconciler does not own
 * `observedGeneration`.
 */
export function isUnseen({ owns }: Pick<Declaration, 'owns'>, { metadata, status }: Unstructured): boolean {
  const observed = isJsonObject(status) ? status['observedGeneration'] : undefined;
  return owns.status.includes('observedGeneration') && metadata.generation !== observed;
}

/**
 * Returns true if an existing condition of `owns.unwatched` changed its status or reason, or was removed. False if the
 * object is deleted.
 */
export function changedUnwatched(
  { owns: { unwatched = [] } }: Pick<Declaration, 'owns'>,
  before: Unstructured,
  after: Unstructured | undefined,
): boolean {
  if (after === undefined || unwatched.length === 0) {
    return false;
  }
  const [earlier, later] = [conditionsOf(before), conditionsOf(after)];
  return unwatched.some(type => {
    const [was, is] = [getCondition(earlier, type), getCondition(later, type)];
    return was !== undefined && (was.status !== is?.status || was.reason !== is.reason);
  });
}

function conditionsOf({ status }: Unstructured) {
  return storedConditions(isJsonObject(status) ? status['conditions'] : undefined);
}
