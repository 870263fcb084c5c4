// Copying one condition from one object to another.
import { type Checked, mapChecked } from '../api/checked.ts';
import type { Unstructured } from '../api/object.ts';
import { type ConditionDraft, notYetReported, type ReportedCondition } from './condition.ts';
import { getCondition } from './get.ts';
import { readConditions } from './read.ts';

export interface MirrorOptions {
  /** Default: the source's type. */
  readonly targetType?: string;
  /** Used when the source does not report the condition. */
  readonly fallback?: Pick<ConditionDraft, 'status' | 'reason' | 'message'>;
}

/** The source's condition under the target's type, else the fallback, else Unknown, `NotYetReported`. */
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

/** The same from an object of any kind; fails as `readConditions` does. */
export function mirrorConditionOf(
  object: Unstructured,
  sourceType: string,
  options: MirrorOptions = {},
): Checked<ReportedCondition> {
  return mapChecked(readConditions(object), source => mirrorCondition(source, sourceType, options));
}

/** What a condition that its object does not report is taken for. */
export function toMissing(type: string): ReportedCondition {
  return { type, status: 'Unknown', reason: notYetReported, message: `Condition ${type} not yet reported` };
}
