// Conditions of both families, as Cluster API computes them. Pure.

// The types of conditions.

export {
  type Condition,
  type ConditionDraft,
  noReasonReported,
  type ReportedCondition,
  type V1Beta1Condition,
  type V1Beta1Draft,
} from './conditions/condition.ts';

// Reading and setting the conditions of an object.

export { hasSameStateExceptGeneration } from './conditions/equality.ts';
export { getCondition, hasCondition, isFalse, isTrue, reasonOf } from './conditions/get.ts';
export { toFittingMessage, toFittingV1Beta1 } from './conditions/message-limits.ts';
export { readConditions, storedConditions } from './conditions/read.ts';
export { selectConditions } from './conditions/select.ts';
export { deleteCondition, type SetOptions, setCondition, setConditions } from './conditions/set.ts';

// Merging several conditions into one: summaries, aggregates, mirrors.

export { type AggregateSource, aggregateConditions } from './conditions/aggregate.ts';
export { defaultPriorityOf, ownerOf, type PriorityOf } from './conditions/merge-state.ts';
export { mirrorConditionOf } from './conditions/mirror.ts';
export { summarizeConditions } from './conditions/summary.ts';

// Three-way merges for lists with several writers.

export { mergeConditions, mergeV1Beta1Conditions, type ThreeWay } from './conditions/three-way.ts';

// The conditions Paused and InternalError.

export {
  internalError,
  internalErrorMessage,
  isInternalError,
  orInternalError,
} from './conditions/internal-error.ts';

export { type PauseGate, pausedAnnotation, pausedCondition, pauseGate } from './conditions/paused.ts';

// The deprecated condition family.

export {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  setV1Beta1Condition,
  setV1Beta1Conditions,
  storedV1Beta1Conditions,
  type V1Beta1Fallback,
  v1Beta1False,
  v1Beta1True,
  v1Beta1Unknown,
} from './conditions/v1beta1.ts';
export { aggregateV1Beta1, summarizeV1Beta1 } from './conditions/v1beta1-summary.ts';
