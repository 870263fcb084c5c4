// Whether a change was missed by every event source, so that only the resync found it (docs/decisions/0016). Pure.

import { isJsonObject } from '../api/json.ts';
import type { Unstructured } from '../api/object.ts';
import { getCondition } from '../conditions/get.ts';
import { storedConditions } from '../conditions/read.ts';
import type { Work } from './coalesce.ts';
import type { Reconciled } from './reconcile.ts';
import type { Declaration } from './types.ts';

/**
 * A reconcile that nothing but the resync asked for, and that wrote something. Not counted: failures (their retry was as
 * good), what no event tells, and objects that look again by themselves, unless it was they who changed.
 */
export function isMissedEvent(
  { causes, attempt }: Pick<Work, 'causes' | 'attempt'>,
  { result, writes, unseen, unheralded }: Reconciled,
): boolean {
  const isResync = causes.every(cause => cause === 'resync') && attempt === 0;
  return isResync && writes > 0 && result.kind !== 'failed' && (unseen === true || isByEventAlone(result, unheralded));
}

/** Whether nothing but an event would have told of it in time. */
function isByEventAlone({ kind }: Reconciled['result'], unheralded: true | undefined): boolean {
  return kind !== 'requeueAfter' && unheralded !== true;
}

/** Whether the object changed itself since it was reconciled; never where its status does not tell which generation that was. */
export function isUnseen({ owns }: Pick<Declaration, 'owns'>, { metadata, status }: Unstructured): boolean {
  const observed = isJsonObject(status) ? status['observedGeneration'] : undefined;
  return owns.status.includes('observedGeneration') && metadata.generation !== observed;
}

/** Whether a condition of `owns.unheralded` that was there has another status or reason; an object that went has none. */
export function changedUnheralded(
  { owns: { unheralded = [] } }: Pick<Declaration, 'owns'>,
  before: Unstructured,
  after: Unstructured | undefined,
): boolean {
  if (after === undefined || unheralded.length === 0) {
    return false;
  }
  const [earlier, later] = [conditionsOf(before), conditionsOf(after)];
  return unheralded.some(type => {
    const [was, is] = [getCondition(earlier, type), getCondition(later, type)];
    return was !== undefined && (was.status !== is?.status || was.reason !== is.reason);
  });
}

function conditionsOf({ status }: Unstructured) {
  return storedConditions(isJsonObject(status) ? status['conditions'] : undefined);
}
