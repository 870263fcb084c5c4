// One phase of a pass over a MachineSet: its actions, and the result for given outcomes. Pure.
import type { V1Beta1Draft } from '@capi-serverless/cluster-api/conditions';
import { type Action, type EventDraft, failureOf, type Outcomes } from '@capi-serverless/reconciler';

export interface PhaseResult {
  readonly errors?: readonly string[];
  /** The milliseconds until the next reconcile, for each request. */
  readonly requeues?: readonly number[];
  readonly events?: readonly EventDraft[];
  /** The deprecated condition MachinesCreated, if this pass creates Machines. */
  readonly machinesCreated?: V1Beta1Draft;
  /** The reasons why no Machine is created. */
  readonly preflightMessages?: readonly string[];
  /** Whether another pass must observe the writes of this one. */
  readonly again?: true;
}

export interface MachineSetPhase {
  readonly actions: readonly Action[];
  /** Pure. An action without an outcome is treated as successful. */
  readonly conclude: (outcomes: Outcomes) => PhaseResult;
}

export function concluded(result: PhaseResult): MachineSetPhase {
  return { actions: [], conclude: () => result };
}

export const noPhase: MachineSetPhase = concluded({});

/** Returns the phases as one. Each concludes for itself. */
export function sequence(phases: readonly MachineSetPhase[]): MachineSetPhase {
  return {
    actions: phases.flatMap(({ actions }) => actions),
    conclude: outcomes => merged(phases.map(({ conclude }) => conclude(outcomes))),
  };
}

function merged(results: readonly PhaseResult[]): PhaseResult {
  const machinesCreated = results.find(result => result.machinesCreated !== undefined)?.machinesCreated;
  return {
    errors: results.flatMap(({ errors = [] }) => errors),
    requeues: results.flatMap(({ requeues = [] }) => requeues),
    events: results.flatMap(({ events = [] }) => events),
    preflightMessages: results.flatMap(({ preflightMessages = [] }) => preflightMessages),
    ...(machinesCreated === undefined ? {} : { machinesCreated }),
    ...(results.some(({ again }) => again === true) ? { again: true as const } : {}),
  };
}

/** Returns the errors of the actions that failed, in order. */
export function errorsOf(
  outcomes: Outcomes,
  actions: readonly { readonly id: string; readonly problem: string | undefined }[],
): readonly string[] {
  return actions.flatMap(({ id, problem }) => {
    const failure = failureOf(outcomes, id);
    if (failure === undefined) {
      return [];
    }
    return [problem === undefined ? failure.message : `${problem}: ${failure.message}`];
  });
}
