// One write of a plan, with the words for what becomes of it; and the writes that belong to one part of a topology.
import type { ApiFailure } from '../../api/answer.ts';
import { type Intent, toRef, type Unstructured } from '../../api/object.ts';
import type { Action } from '../../kernel/types.ts';
import { topologyManager } from '../model/keys.ts';

export interface Step {
  /** Without `when`: the whole plan decides. */
  readonly action: Action;
  /** How its failure reads. */
  toProblem(failure: ApiFailure): string;
  /** A new object that nothing names before the step of its plan that refers to it. */
  readonly isDisposable?: true;
  /** Writes the references to the objects before it. */
  readonly isReferrer?: true;
}

/** Steps in order. `failure`: what kept the plan from going on; the steps before it are still to be done. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly failure?: string;
}

export const nothingToDo: Plan = { steps: [] };

/** The words that go with a write. */
export type Words = Pick<Step, 'toProblem'> & Pick<Action, 'toEvent'>;

/** `uid` undefined: the read before said that there is no such object. */
export function applyStep(intent: Intent, uid: string | undefined, { toProblem, ...told }: Words): Step {
  const id = `apply ${intent.kind} ${intent.metadata.name}`;
  const write = { do: 'apply', object: intent, manager: topologyManager, uid } as const;
  return { toProblem, action: { id, onError: 'continue', ...write, ...told } };
}

export function deleteStep(object: Unstructured, { toProblem, ...told }: Words): Step {
  const id = `delete ${object.kind} ${object.metadata.name}`;
  const { uid } = object.metadata;
  return { toProblem, action: { id, onError: 'continue', do: 'delete', ref: toRef(object), uid, ...told } };
}

/** One after the other as far as the first failure. What would only have been taken away again then is not made at all. */
export function inOrder(plans: readonly Plan[]): Plan {
  const reached = asFarAsPlanned(plans);
  const steps = reached.flatMap(plan => plan.steps);
  const failure = reached.at(-1)?.failure;
  return failure === undefined ? { steps } : { steps: steps.filter(step => step.isDisposable !== true), failure };
}

/** The plans up to the first that could not be made whole, that one included. */
export function asFarAsPlanned(plans: readonly Plan[]): readonly Plan[] {
  const broken = plans.findIndex(({ failure }) => failure !== undefined);
  return broken < 0 ? plans : plans.slice(0, broken + 1);
}

/** The same with these words before every problem. */
export function withPrefix(prefix: string, { steps, failure }: Plan): Plan {
  return {
    steps: steps.map(step => ({ ...step, toProblem: problem => `${prefix}: ${step.toProblem(problem)}` })),
    ...(failure === undefined ? {} : { failure: `${prefix}: ${failure}` }),
  };
}
