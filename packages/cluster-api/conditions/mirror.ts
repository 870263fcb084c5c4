// Copies one condition from one object to another.

import { type Checked, mapChecked, type Unstructured } from '@capi-serverless/apimachinery';
import { type ConditionDraft, notYetReported, type ReportedCondition } from './condition.ts';
import { getCondition } from './get.ts';
import { readConditions } from './read.ts';

interface MirrorOptions {
  /** The type of the target. Default: the type of the source. */
  readonly targetType?: string;
  /** Used if the source does not report the condition. */
  readonly fallback?: Pick<ConditionDraft, 'status' | 'reason' | 'message'>;
}

/**
 * Returns the source's condition with the target's type, or else the fallback, or else Unknown with reason
 * `NotYetReported`.
 */
export function mirrorCondition(
  source: readonly ReportedCondition[] | undefined,
  sourceType: string,
  { targetType = sourceType, fallback }: MirrorOptions = {},
): ReportedCondition {
  const condition = getCondition(source, sourceType);
  if (condition !== undefined) {
    const { observedGeneration: _, ...copied } = condition;
    return { ...copied, type: targetType };
  }
  if (fallback !== undefined) {
    return { type: targetType, status: fallback.status, reason: fallback.reason, message: fallback.message ?? '' };
  }
  return { ...toMissing(sourceType), type: targetType };
}

/** The same for an object of any kind. Fails like `readConditions`. */
export function mirrorConditionOf(
  object: Unstructured,
  sourceType: string,
  options: MirrorOptions = {},
): Checked<ReportedCondition> {
  return mapChecked(readConditions(object), source => mirrorCondition(source, sourceType, options));
}

/** The condition if its object does not report it. */
export function toMissing(type: string): ReportedCondition {
  return { type, status: 'Unknown', reason: notYetReported, message: `Condition ${type} not yet reported` };
}
