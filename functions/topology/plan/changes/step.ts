// One write of a plan, with the wording of its outcome; and the writes of one part of a topology.
import { type ApiFailure, type Intent, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action } from '@capi-serverless/reconciler';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';

export interface Step {
  /** Without `when`: the condition is that of the whole plan. */
  readonly action: Action;
  /** The text of its failure. */
  toProblem(failure: ApiFailure): string;
  /** A new object that is not referenced before a later step of its plan. */
  readonly isDisposable?: true;
  /** Writes the references to the earlier objects. */
  readonly isReferrer?: true;
}

/** Steps in order. `failure`: why planning stopped; the steps before it are still executed. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly failure?: string;
}

export const nothingToDo: Plan = { steps: [] };

/** The wording of a write. */
export type Words = Pick<Step, 'toProblem'> & Pick<Action, 'toEvent'>;

/** `uid` undefined: the previous read found no such object. */
export function applyStep(intent: Intent, uid: string | undefined, { toProblem, ...words }: Words): Step {
  const id = `apply ${intent.kind} ${intent.metadata.name}`;
  const write = { do: 'apply', object: intent, manager: topologyManager, uid } as const;
  return { toProblem, action: { id, onError: 'continue', ...write, ...words } };
}

export function deleteStep(object: Unstructured, { toProblem, ...words }: Words): Step {
  const id = `delete ${object.kind} ${object.metadata.name}`;
  const { uid } = object.metadata;
  return { toProblem, action: { id, onError: 'continue', do: 'delete', ref: toRef(object), uid, ...words } };
}

/** The plans in order, up to the first failure. A write that would be undone after the failure is omitted. */
export function inOrder(plans: readonly Plan[]): Plan {
  const reached = asFarAsPlanned(plans);
  const steps = reached.flatMap(plan => plan.steps);
  const failure = reached.at(-1)?.failure;
  return failure === undefined ? { steps } : { steps: steps.filter(step => step.isDisposable !== true), failure };
}

/** The plans up to and including the first incomplete one. */
export function asFarAsPlanned(plans: readonly Plan[]): readonly Plan[] {
  const broken = plans.findIndex(({ failure }) => failure !== undefined);
  return broken < 0 ? plans : plans.slice(0, broken + 1);
}

/** The plan with this prefix on every problem. */
export function withPrefix(prefix: string, { steps, failure }: Plan): Plan {
  return {
    steps: steps.map(step => ({ ...step, toProblem: problem => `${prefix}: ${step.toProblem(problem)}` })),
    ...(failure === undefined ? {} : { failure: `${prefix}: ${failure}` }),
  };
}
