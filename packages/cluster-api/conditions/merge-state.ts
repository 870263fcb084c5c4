// The common part of aggregate and summary: priorities, order, and the resulting status and reason.

import { type Checked, invalid, type PartialObject, valid } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { ConditionStatus, ReportedCondition } from './condition.ts';

/** The object of a condition, with the fields that messages need. */
export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly isControlPlaneMachine: boolean;
}

interface OwnedCondition {
  readonly owner: Owner;
  readonly condition: ReportedCondition;
}

export type Priority = 'Issue' | 'Unknown' | 'Info';
export type PriorityOf = (condition: ReportedCondition) => Priority;
/** Positive: the status True is good. Negative: the status False is good. */
export type Polarity = 'positive' | 'negative';

/** The reasons of a merged condition, by its worst group. */
interface MergeReasons {
  readonly issue: string;
  readonly unknown: string;
  readonly info: string;
}

const defaultReasons: MergeReasons = {
  issue: 'IssuesReported',
  unknown: 'UnknownReported',
  info: 'InfoReported',
};

/** The parts of a merge. Each part has a default. */
export interface MergeStrategy {
  readonly reasons?: MergeReasons;
  readonly priorityOf?: PriorityOf;
}

/** The groups, worst first. */
export const priorities: readonly Priority[] = ['Issue', 'Unknown', 'Info'];

/** The object of the conditions. `kind` is for items of typed lists, which have no kind. */
export function ownerOf(object: PartialObject, kind = ''): Owner {
  const ownKind = object.kind || kind;
  const labels = object.metadata.labels ?? {};
  return {
    kind: ownKind,
    name: object.metadata.name,
    isControlPlaneMachine: ownKind === 'Machine' && Object.hasOwn(labels, 'cluster.x-k8s.io/control-plane'),
  };
}

/**
 * Determines the group from the status. The bad status of the polarity is an issue, the good status is info, any other
 * status is unknown.
 */
export function defaultPriorityOf(negativePolarity: readonly string[] = []): PriorityOf {
  return ({ type, status }) => {
    if (status !== 'True' && status !== 'False') {
      return 'Unknown';
    }
    const good: ConditionStatus = negativePolarity.includes(type) ? 'False' : 'True';
    return status === good ? 'Info' : 'Issue';
  };
}

/** A condition with its rank in the merge. */
export interface Ranked extends OwnedCondition {
  readonly priority: Priority;
}

export interface Merge {
  readonly status: ConditionStatus;
  readonly reason: string;
  /** Sorts in merge order: by rank of the type, then by transition time, oldest first. */
  readonly ranked: readonly Ranked[];
}

/**
 * Returns status and reason of all these conditions together. The worst group determines them. Fails without
 * conditions.
 */
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
      // A missing or invalid time is older than any other.
      time: instantOf(input.condition.lastTransitionTime) ?? Number.MIN_SAFE_INTEGER,
    }))
    .toSorted((a, b) => a.place - b.place || a.time - b.time)
    .map(({ input }) => input);
}
