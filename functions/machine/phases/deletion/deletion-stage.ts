// One stage of a deletion. All stages run from the first on in every pass, because nothing stores the current stage.
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { Action, AskingPlan, Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { MachineChange, MachineStep, Stage } from '../pass-progress.ts';
import type { DeletionQuestion, DeletionScope } from './deletion-scope.ts';

/** A check of the Node that is repeated after some time, and not before. The name is the reason of its stage. */
export type DeletionCheck = 'DrainingNode' | 'WaitingForVolumeDetach';

/** Cluster API's time between two checks. */
export const betweenChecksMs = 20_000;

export type StageEnd =
  /**
   * The next stage runs in the same pass. `isDone`: whether the writes of this stage allow the end of the deletion.
   * Default: they always do.
   */
  | {
      readonly end: 'passed';
      readonly step: MachineStep;
      readonly actions: readonly Action[];
      readonly isDone?: (outcomes: Outcomes) => boolean;
    }
  /** The deletion waits. Later stages do not run. */
  | {
      readonly end: 'held';
      readonly step: MachineStep;
      readonly actions: readonly Action[];
      readonly check?: DeletionCheck;
    };

/** A stage may have to ask. */
export type DeletionStage<Scope extends DeletionScope = DeletionScope> = (
  scope: Scope,
) => StageEnd | AskingPlan<DeletionQuestion, StageEnd>;

export function passed(change: MachineChange = {}): StageEnd {
  return { end: 'passed', step: { change }, actions: [] };
}

export function held(change: MachineChange): StageEnd {
  return { end: 'held', step: { change }, actions: [] };
}

/** The check is repeated later. Its result depends on its writes. */
export function heldUntilCheck(
  check: DeletionCheck,
  actions: readonly Action[],
  change: (outcomes: Outcomes) => MachineChange,
): StageEnd {
  return { end: 'held', step: { change }, actions, check };
}

/** The result of the stage depends on its writes. */
export function heldAfter(actions: readonly Action[], change: (outcomes: Outcomes) => MachineChange): StageEnd {
  return { end: 'held', step: { change }, actions };
}

/** The time limit of the pass ended a read. It decides nothing, so the stored stage stays. */
export function unanswered({ machine }: Pick<DeletionScope, 'machine'>, error: string): MachineChange {
  return { deleting: storedStage(machine), errors: [error] };
}

/** The stage that the Machine reports. `undefined` before its first one. */
export function storedStage({ status }: WholeMachine): Stage | undefined {
  const stored = getCondition(status.conditions, 'Deleting');
  return stored?.status === 'True' ? { reason: stored.reason, message: stored.message } : undefined;
}
