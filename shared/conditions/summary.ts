// Many condition types of one object, merged into one condition.
import type { Checked } from '../api/checked.ts';
import type { ReportedCondition } from './condition.ts';
import type { MergeStrategy } from './merge.ts';

export interface SummaryOptions extends MergeStrategy {
  /** The types to look at, in the order of the message. */
  readonly forTypes: readonly string[];
  /** The types that are good when False. */
  readonly negativePolarity?: readonly string[];
  readonly ignoreIfMissing?: readonly string[];
  /** Values used in place of the reported ones, for this computation only. */
  readonly override?: readonly ReportedCondition[];
  /** Has the last word on the lines of the message. */
  readonly transformLines?: (lines: readonly string[]) => readonly string[];
}

/** The target's polarity is always positive. A type that is missing and not ignored counts as Unknown. */
export function summarizeConditions(
  conditions: readonly ReportedCondition[] | undefined,
  targetType: string,
  options: SummaryOptions,
): Checked<ReportedCondition> {
  throw new Error(`not written: ${conditions} ${targetType} ${options}`);
}
