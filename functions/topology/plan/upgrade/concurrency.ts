// How many MachineDeployments, and how many MachinePools, may be upgrading at once.
import type { Annotations } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import { upgradeConcurrencyAnnotation } from '../../../../shared/topology/model/keys.ts';

/** 1, unless the Cluster's annotation is a whole number above it. */
export function upgradeConcurrency(annotations: Annotations): number {
  const text = annotations[upgradeConcurrencyAnnotation] ?? '';
  const given = /^\+?\d+$/.test(text) ? Number(text) : 1;
  return Math.max(1, given);
}
