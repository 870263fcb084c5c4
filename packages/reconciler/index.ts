// The definition of a reconciler. Pure.

// The four parts and their results, and the declaration from which a deployment is generated.

export { deprecatedConditionsPath } from './deprecated-conditions.ts';
export type {
  Action,
  Declaration,
  DeclarationOf,
  EventDraft,
  ListScope,
  NodeOfPrimary,
  Outcome,
  Outcomes,
  Pass,
  PolicyRule,
  Reconciler,
  Report,
  Result,
  SourceEvent,
  StatusChange,
  Stop,
  Watch,
  WorkloadTarget,
} from './types.ts';

// The ports of a reconciler.

export { declare, makePorts, type PortFactories, type WiredPorts } from './ports.ts';

// The phases of a pass, its gates, and a reconciler with a plan.

export {
  addFinalizerId,
  blocked,
  type EarlyEnd,
  finalizerGate,
  isEarlyEnd,
  type Primary,
  patchProblem,
  pausedGate,
} from './early-end.ts';
export { isDeleting, lacksFinalizer, patchFinalizers, removeFinalizer, removeFinalizerId } from './finalizers.ts';
export { phasedReconciler, type WholePlan } from './phased-reconciler.ts';
export {
  applied,
  changesAfter,
  concluded,
  failedResult,
  inOrder,
  noProgress,
  onlyIf,
  type PassChange,
  type PassProgress,
  type Phase,
  reportResult,
  resultOf,
  type Step,
} from './phases.ts';

// Plans that must ask before they can continue.

export {
  type AnswersTo,
  type AskingPlan,
  answerQuestions,
  ask,
  PlanEnd,
  type Question,
  together,
} from './asking-plan.ts';

// The limits of work for one object.

export { allowsPass, workOfPass, workOfReconcile, workOfShare, workShareOf } from './work.ts';

// Outcomes. Keys are action ids.

export { failedWrites, failureOf, haveSucceeded, type NeededWrite, noOutcomes } from './outcomes.ts';

// Errors that control retries, and the log.

export { RetryableError, TerminalError, toError } from './errors.ts';
export type { Log, LogFields } from './log.ts';
