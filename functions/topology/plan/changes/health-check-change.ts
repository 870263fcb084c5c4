// The writes for one MachineHealthCheck. If it is desired, an existing object with its name is adopted. Otherwise it is
// deleted.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { toHealthCheckWords } from '../change-texts.ts';
import type { ObjectChange } from './object-change.ts';
import { deleteStep, nothingToDo, type TopologyPlan } from './step.ts';

export interface HealthCheckPair {
  readonly current: Unstructured | undefined;
  readonly desired: Intent | undefined;
}

type HealthCheckChange =
  | { readonly state: 'planned'; readonly plan: TopologyPlan }
  | { readonly state: 'object'; readonly change: ObjectChange };

/** An object that is already being deleted is not deleted again. */
export function toHealthCheckChange({ current, desired }: HealthCheckPair): HealthCheckChange {
  if (desired !== undefined) {
    const { created, patched } = toHealthCheckWords;
    return { state: 'object', change: { desired, current, created, patched } };
  }
  const isThere = current !== undefined && current.metadata.deletionTimestamp === undefined;
  const plan = isThere ? { steps: [deleteStep(current, toHealthCheckWords.deleted(current))] } : nothingToDo;
  return { state: 'planned', plan };
}
