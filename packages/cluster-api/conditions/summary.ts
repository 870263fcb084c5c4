// Merges many condition types of one object into one condition.
import { type Checked, invalid, mapChecked, valid } from '@capi-serverless/apimachinery';
import { notYetReported, type ReportedCondition } from './condition.ts';
import { getCondition, hasCondition } from './get.ts';
import { indentMessage } from './indent.ts';
import { defaultPriorityOf, type Merge, type MergeStrategy, mergeState, type Owner } from './merge-state.ts';

export interface SummaryOptions extends MergeStrategy {
  /** The types to merge, in the order of the message. */
  readonly forTypes: readonly string[];
  /** The types whose good status is False. */
  readonly negativePolarity?: readonly string[];
  readonly ignoreIfMissing?: readonly string[];
  /** Values that replace the reported ones, for this computation only. */
  readonly override?: readonly ReportedCondition[];
  /** Changes the final lines of the message. */
  readonly transformLines?: (lines: readonly string[]) => readonly string[];
}

/** All conditions of a summary belong to one object, so the message does not name it. */
const owner: Owner = { kind: '', name: '', isControlPlaneMachine: false };

/** The polarity of the target is always positive. A missing type that is not ignored is treated as Unknown. */
export function summarizeConditions(
  conditions: readonly ReportedCondition[] | undefined,
  targetType: string,
  options: SummaryOptions,
): Checked<ReportedCondition> {
  const scope = scopeOf(conditions ?? [], targetType, options);
  if (!scope.ok) {
    return scope;
  }
  const merged = mergeState(
    scope.value.map(condition => ({ owner, condition })),
    {
      order: options.forTypes,
      priorityOf: options.priorityOf ?? defaultPriorityOf(options.negativePolarity),
      targetPolarity: 'positive',
      reasons: options.reasons,
    },
  );
  const transform = options.transformLines ?? (lines => lines);
  return mapChecked(merged, merge => ({
    type: targetType,
    status: merge.status,
    reason: merge.reason,
    message: transform(linesOf(merge)).join('\n'),
  }));
}

function scopeOf(
  conditions: readonly ReportedCondition[],
  targetType: string,
  { forTypes, ignoreIfMissing = [], override = [] }: SummaryOptions,
): Checked<readonly ReportedCondition[]> {
  if (forTypes.length === 0) {
    return invalid('option ForConditionTypes not provided or empty');
  }
  if (forTypes.includes(targetType)) {
    return invalid(`option ForConditionTypes cannot include ${targetType} (target condition type)`);
  }
  const repeated = override.find(({ type }, index) => override.findIndex(other => other.type === type) !== index);
  if (repeated !== undefined) {
    return invalid(`override condition ${repeated.type} specified multiple times`);
  }
  const orphan = override.find(({ type }) => !hasCondition(conditions, type));
  if (orphan !== undefined) {
    return invalid(`override condition ${orphan.type} must exist in source object`);
  }
  const scope = [...new Set(forTypes)].flatMap(type => {
    const condition = getCondition(override, type) ?? getCondition(conditions, type);
    if (condition !== undefined) {
      return [condition];
    }
    return ignoreIfMissing.includes(type) ? [] : [toMissing(type)];
  });
  return scope.length > 0
    ? valid(scope)
    : invalid("summary can't be performed when the list of conditions to be summarized is empty");
}

function toMissing(type: string): ReportedCondition {
  return { type, status: 'Unknown', reason: notYetReported, message: 'Condition not yet reported' };
}

function linesOf({ status, ranked }: Merge): readonly string[] {
  return ranked.flatMap(({ priority, condition: { type, reason, message } }) => {
    if (priority !== 'Info') {
      return [`* ${type}:${message === '' ? ` ${reason}` : indentMessage(message)}`];
    }
    return status === 'True' && message !== '' ? [`* ${type}:${indentMessage(message)}`] : [];
  });
}
