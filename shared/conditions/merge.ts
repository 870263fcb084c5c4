// The shared core of aggregate and summary: priorities, order, and what they make of status and reason.
import type { PartialObject } from '../api/object.ts';
import type { ConditionStatus, ReportedCondition } from './condition.ts';

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

/** The owner facts of an object; `kind` stands in for an item of a typed list, which carries none. */
export function ownerOf(object: PartialObject, kind?: string): Owner {
  throw new Error(`not written: ${object.kind} ${kind}`);
}

/** By status alone: the bad one for its polarity is an issue, the good one info, anything else unknown. */
export function defaultPriorityOf(negativePolarity: readonly string[] = []): PriorityOf {
  throw new Error(`not written: ${negativePolarity}`);
}

export type { ConditionStatus };
