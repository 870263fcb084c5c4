// Copying one condition from one object to another.
import type { Checked } from '../api/checked.ts';
import type { Unstructured } from '../api/object.ts';
import type { ConditionDraft, ReportedCondition } from './condition.ts';

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
  options: MirrorOptions = {},
): ReportedCondition {
  throw new Error(`not written: ${source} ${sourceType} ${options}`);
}

/** The same from an object of any kind; fails as `readConditions` does. */
export function mirrorConditionOf(
  object: Unstructured,
  sourceType: string,
  options: MirrorOptions = {},
): Checked<ReportedCondition> {
  throw new Error(`not written: ${object.kind} ${sourceType} ${options}`);
}
