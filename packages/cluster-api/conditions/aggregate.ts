// Merges one condition type of many objects into one condition.
import { type Checked, invalid, mapChecked } from '@capi-serverless/apimachinery';
import { aggregateMessage } from './aggregate-message.ts';
import type { ReportedCondition } from './condition.ts';
import { getCondition } from './get.ts';
import { defaultPriorityOf, type MergeStrategy, mergeState, type Owner, type Polarity } from './merge-state.ts';
import { toMissing } from './mirror.ts';

export interface AggregateSource {
  readonly owner: Owner;
  readonly conditions: readonly ReportedCondition[] | undefined;
}

export interface AggregateOptions extends MergeStrategy {
  /** The type of the target. Default: the type of the source. */
  readonly targetType?: string;
  /** The ignored types: either empty or exactly the type of the source. */
  readonly negativePolarity?: readonly string[];
  /** The polarity of the target. Default: the polarity of the source. */
  readonly targetPolarity?: Polarity;
}

/** An object without the type is treated as Unknown. The message contains at most three complete messages. */
export function aggregateConditions(
  sources: readonly AggregateSource[],
  sourceType: string,
  options: AggregateOptions = {},
): Checked<ReportedCondition> {
  const { targetType = sourceType, negativePolarity = [] } = options;
  if (sources.length === 0) {
    return invalid("sourceObjs can't be empty");
  }
  const isNegative = negativePolarity.length === 1 && negativePolarity[0] === sourceType;
  if (negativePolarity.length > 0 && !isNegative) {
    return invalid(`negativePolarityConditionTypes can only be set to [${JSON.stringify(sourceType)}]`);
  }
  const inputs = sources.map(({ owner, conditions }) => ({
    owner,
    condition: getCondition(conditions, sourceType) ?? toMissing(sourceType),
  }));
  const merged = mergeState(inputs, {
    order: [sourceType],
    priorityOf: options.priorityOf ?? defaultPriorityOf(negativePolarity),
    targetPolarity: options.targetPolarity ?? (isNegative ? 'negative' : 'positive'),
    reasons: options.reasons,
  });
  return mapChecked(merged, ({ status, reason, ranked }) => ({
    type: targetType,
    status,
    reason,
    message: aggregateMessage(ranked),
  }));
}
