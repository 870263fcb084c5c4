// The maximum number of MachineDeployments, and of MachinePools, that upgrade at the same time.
import type { Annotations } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import { upgradeConcurrencyAnnotation } from '../../../../shared/topology/model/keys.ts';

/** Returns 1, unless the annotation of the Cluster is a larger whole number. */
export function upgradeConcurrency(annotations: Annotations): number {
  const text = annotations[upgradeConcurrencyAnnotation] ?? '';
  const given = /^\+?\d+$/.test(text) ? Number(text) : 1;
  return Math.max(1, given);
}
