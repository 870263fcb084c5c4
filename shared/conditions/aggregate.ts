// One condition type of many objects, merged into one condition.
import type { Checked } from '../api/checked.ts';
import type { ReportedCondition } from './condition.ts';
import type { MergeStrategy, Owner, Polarity } from './merge.ts';

export interface AggregateSource {
  readonly owner: Owner;
  readonly conditions: readonly ReportedCondition[] | undefined;
}

export interface AggregateOptions extends MergeStrategy {
  /** Default: the source's type. */
  readonly targetType?: string;
  /** Either empty or exactly the source's type. */
  readonly negativePolarity?: readonly string[];
  /** Default: the source's polarity. */
  readonly targetPolarity?: Polarity;
}

/** An object that does not report the type counts as Unknown. The message names at most three messages' objects. */
export function aggregateConditions(
  sources: readonly AggregateSource[],
  sourceType: string,
  options: AggregateOptions = {},
): Checked<ReportedCondition> {
  throw new Error(`not written: ${sources} ${sourceType} ${options}`);
}
