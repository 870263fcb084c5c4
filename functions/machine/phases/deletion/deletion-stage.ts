// One stage of a deletion. All stages run from the first on in every pass, because nothing stores the current stage.
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import { always, type MachineChange, type MachineStep } from '../step.ts';
import type { DeletionQuestion, DeletionScope } from './deletion-facts.ts';

export type StageEnd =
  /**
   * The next stage runs in the same pass. `awaited`: the id of an action of this stage. If it fails, the Machine keeps its
   * finalizer.
   */
  | {
      readonly end: 'passed';
      readonly step: MachineStep;
      readonly actions: readonly Action[];
      readonly awaited?: string;
    }
  /** The deletion waits. Later stages do not run. */
  | { readonly end: 'held'; readonly step: MachineStep; readonly actions: readonly Action[] }
  /** The stage needs the answer of this question. */
  | { readonly end: 'asks'; readonly question: DeletionQuestion };

export type DeletionStage = (scope: DeletionScope) => StageEnd;

export function passed(change: MachineChange = {}): StageEnd {
  return { end: 'passed', step: always(change), actions: [] };
}

export function held(change: MachineChange): StageEnd {
  return { end: 'held', step: always(change), actions: [] };
}

/** The result of the stage depends on its writes. */
export function heldAfter(actions: readonly Action[], after: (outcomes: Outcomes) => MachineChange): StageEnd {
  return { end: 'held', step: { change: {}, after }, actions };
}

export function asks(question: DeletionQuestion): StageEnd {
  return { end: 'asks', question };
}
