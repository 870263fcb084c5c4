// The writes for one health check. A desired one takes over whatever has its name, and one that is not desired goes.
import type { Intent, Unstructured } from '../../../shared/api/object.ts';
import { deleteStep, nothingToDo, type Plan } from '../../../shared/topology/changes/step.ts';
import { toHealthCheckWords } from '../../../shared/topology/changes/words.ts';
import { type PlanAsk, planObject } from './plan-object.ts';

export interface HealthCheckPlan {
  readonly current: Unstructured | undefined;
  readonly desired: Intent | undefined;
}

/** One that is going already is not deleted again. */
export function planHealthCheck({ current, desired }: HealthCheckPlan, ask: PlanAsk): Promise<Plan> {
  if (desired !== undefined) {
    const { created, patched } = toHealthCheckWords;
    return planObject({ desired, current, created, patched }, ask);
  }
  const isThere = current !== undefined && current.metadata.deletionTimestamp === undefined;
  const steps = isThere ? [deleteStep(current, toHealthCheckWords.deleted(current))] : [];
  return Promise.resolve(steps.length === 0 ? nothingToDo : { steps });
}
