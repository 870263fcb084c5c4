// The shared core of aggregate and summary: priorities, order, and what they make of status and reason.
import { type Checked, invalid, valid } from '../api/checked.ts';
import type { PartialObject } from '../api/object.ts';
import type { ConditionStatus, ReportedCondition } from './condition.ts';
import { timeOf } from './timestamp.ts';

/** Whose condition it is, as far as a message tells. */
export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly isControlPlaneMachine: boolean;
}

export interface OwnedCondition {
  readonly owner: Owner;
  readonly condition: ReportedCondition;
}

export type Priority = 'Issue' | 'Unknown' | 'Info';
export type PriorityOf = (condition: ReportedCondition) => Priority;
/** Positive: True is good. Negative: False is good. */
export type Polarity = 'positive' | 'negative';

/** The reasons a merged condition can have, by its most pressing group. */
export interface MergeReasons {
  readonly issue: string;
  readonly unknown: string;
  readonly info: string;
}

export const defaultReasons: MergeReasons = {
  issue: 'IssuesReported',
  unknown: 'UnknownReported',
  info: 'InfoReported',
};

/** How conditions become one; each part has its default. */
export interface MergeStrategy {
  readonly reasons?: MergeReasons;
  readonly priorityOf?: PriorityOf;
}

/** Most pressing first. */
export const priorities: readonly Priority[] = ['Issue', 'Unknown', 'Info'];

/** The owner facts of an object; `kind` stands in for an item of a typed list, which carries none. */
export function ownerOf(object: PartialObject, kind = ''): Owner {
  const ownKind = object.kind || kind;
  const labels = object.metadata.labels ?? {};
  return {
    kind: ownKind,
    name: object.metadata.name,
    isControlPlaneMachine: ownKind === 'Machine' && Object.hasOwn(labels, 'cluster.x-k8s.io/control-plane'),
  };
}

/** By status alone: the bad one for its polarity is an issue, the good one info, anything else unknown. */
export function defaultPriorityOf(negativePolarity: readonly string[] = []): PriorityOf {
  return ({ type, status }) => {
    if (status !== 'True' && status !== 'False') {
      return 'Unknown';
    }
    const good: ConditionStatus = negativePolarity.includes(type) ? 'False' : 'True';
    return status === good ? 'Info' : 'Issue';
  };
}

/** A condition with the place it takes in the merge. */
export interface Ranked extends OwnedCondition {
  readonly priority: Priority;
}

export interface Merge {
  readonly status: ConditionStatus;
  readonly reason: string;
  /** In merge order: by the place of the type, then oldest transition first. */
  readonly ranked: readonly Ranked[];
}

/** Status and reason of all these conditions together; the most pressing group decides. Fails for no conditions. */
export function mergeState(
  inputs: readonly OwnedCondition[],
  options: {
    readonly order: readonly string[];
    readonly priorityOf: PriorityOf;
    readonly targetPolarity: Polarity;
    readonly reasons?: MergeReasons | undefined;
  },
): Checked<Merge> {
  const ranked = sortForMerge(inputs, options.order).map(
    (input): Ranked => ({ ...input, priority: options.priorityOf(input.condition) }),
  );
  const first = priorities.find(priority => ranked.some(input => input.priority === priority));
  if (first === undefined) {
    return invalid("can't merge an empty list of conditions");
  }
  const reasons = options.reasons ?? defaultReasons;
  const isPositive = options.targetPolarity === 'positive';
  switch (first) {
    case 'Issue':
      return valid({ status: isPositive ? 'False' : 'True', reason: reasons.issue, ranked });
    case 'Unknown':
      return valid({ status: 'Unknown', reason: reasons.unknown, ranked });
    case 'Info':
      return valid({ status: isPositive ? 'True' : 'False', reason: reasons.info, ranked });
  }
}

function sortForMerge(inputs: readonly OwnedCondition[], order: readonly string[]): readonly OwnedCondition[] {
  return inputs
    .map(input => ({
      input,
      place: order.lastIndexOf(input.condition.type),
      time: timeOf(input.condition.lastTransitionTime),
    }))
    .toSorted((a, b) => a.place - b.place || a.time - b.time)
    .map(({ input }) => input);
}
