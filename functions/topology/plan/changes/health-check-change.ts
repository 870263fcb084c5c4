// The writes for one MachineHealthCheck. If it is desired, an existing object with its name is adopted. Otherwise it is
// deleted.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import type { AskingPlan } from '@capi-serverless/reconciler';
import { toHealthCheckWords } from '../change-texts.ts';
import type { DryRunQuestion } from '../questions.ts';
import { planObject } from './object-change.ts';
import { deleteStep, nothingToDo, type PlannedWrites } from './step.ts';

interface HealthCheckPair {
  readonly current: Unstructured | undefined;
  readonly desired: Intent | undefined;
}

/** An object that is already being deleted is not deleted again. */
export function* planHealthCheck({ current, desired }: HealthCheckPair): AskingPlan<DryRunQuestion, PlannedWrites> {
  if (desired !== undefined) {
    const { created, patched } = toHealthCheckWords;
    return yield* planObject({ desired, current, created, patched });
  }
  return current !== undefined && current.metadata.deletionTimestamp === undefined
    ? { steps: [deleteStep(current, toHealthCheckWords.deleted(current))] }
    : nothingToDo;
}
