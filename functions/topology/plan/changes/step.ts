// One write of a plan with the texts of its outcome, and the writes of one part of a topology.
import { type ApiFailure, type Intent, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action } from '@capi-serverless/reconciler';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';

export interface PlanStep {
  /** Without `when`, the action has the condition of the whole plan. */
  readonly action: Action;
  /** Returns the text of a failure. */
  toProblem(failure: ApiFailure): string;
  /** A new object that no object references before a later step of its plan. */
  readonly isDisposable?: true;
  /** The step writes the references to the earlier objects. */
  readonly isReferrer?: true;
}

/** Steps in order. `failure` is the reason why planning stopped. The steps before the failure are still executed. */
export interface PlannedWrites {
  readonly steps: readonly PlanStep[];
  readonly failure?: string;
}

export const nothingToDo: PlannedWrites = { steps: [] };

/** The texts of a write. */
export type Words = Pick<PlanStep, 'toProblem'> & Pick<Action, 'toEvent'>;

/** An undefined uid means that the previous read found no object. */
export function applyStep(intent: Intent, uid: string | undefined, { toProblem, ...words }: Words): PlanStep {
  const id = `apply ${intent.kind} ${intent.metadata.name}`;
  const write = { do: 'apply', object: intent, manager: topologyManager, uid } as const;
  return { toProblem, action: { id, onError: 'continue', ...write, ...words } };
}

export function deleteStep(object: Unstructured, { toProblem, ...words }: Words): PlanStep {
  const id = `delete ${object.kind} ${object.metadata.name}`;
  const { uid } = object.metadata;
  return { toProblem, action: { id, onError: 'continue', do: 'delete', ref: toRef(object), uid, ...words } };
}

/** Joins the plans in order, up to the first failure. Omits writes that the failure would undo. */
export function inOrder(plans: readonly PlannedWrites[]): PlannedWrites {
  const reached = asFarAsPlanned(plans);
  const steps = reached.flatMap(plan => plan.steps);
  const failure = reached.at(-1)?.failure;
  return failure === undefined ? { steps } : { steps: steps.filter(step => step.isDisposable !== true), failure };
}

/** Returns the plans up to and including the first incomplete one. */
export function asFarAsPlanned(plans: readonly PlannedWrites[]): readonly PlannedWrites[] {
  const broken = plans.findIndex(({ failure }) => failure !== undefined);
  return broken < 0 ? plans : plans.slice(0, broken + 1);
}

/** Adds this prefix to every problem of the plan. */
export function withPrefix(prefix: string, { steps, failure }: PlannedWrites): PlannedWrites {
  return {
    steps: steps.map(step => ({ ...step, toProblem: problem => `${prefix}: ${step.toProblem(problem)}` })),
    ...(failure === undefined ? {} : { failure: `${prefix}: ${failure}` }),
  };
}
