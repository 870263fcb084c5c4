// The numbers of MachineSets as short texts: `ms1 status/spec aAvailable uUpToDate`, the newest set last.

import { valid } from '@capi-serverless/apimachinery';
import type { RolloutLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';
import {
  emptyPlan,
  type PlannedRollout,
  type SetCounts,
} from '../../../../../functions/machinedeployment/plan/rollout/rollout-plan.ts';

const form = /^(\w+) (\d+)\/(\d+)(?: a(\d+))?(?: u(\d+))?$/;

/** Without `a` or `u`, all Machines are available, and none is up to date. `createdAt` is the same for all sets. */
export function counts(text: string): SetCounts {
  const [, name = '', status, spec, available = status, upToDate = '0'] = form.exec(text) ?? [];
  if (name === '') {
    throw new Error(`Cannot read "${text}"`);
  }
  return {
    name,
    createdAt: 0,
    spec: Number(spec),
    status: Number(status),
    available: Number(available),
    upToDate: Number(upToDate),
  };
}

export function listOfCounts(text: string): readonly SetCounts[] {
  return text === '' ? [] : text.split('; ').map(counts);
}

/** `ms1→2, ms2→0`, by name. */
export function planText({ replicas }: PlannedRollout): string {
  return [...replicas]
    .map(([name, count]) => `${name}→${count}`)
    .toSorted()
    .join(', ');
}

/** A plan with these replicas and without notes. */
export function planned(text: string): PlannedRollout {
  const entries = text === '' ? [] : text.split(', ').map(each => each.split('→'));
  return { ...emptyPlan, replicas: new Map(entries.map(([name = '', count]) => [name, Number(count)])) };
}

/** The replicas that `after` has in addition to `before`, or that it changed. */
export function changesOf(before: PlannedRollout, after: PlannedRollout): string {
  const changed = [...after.replicas].filter(([name, count]) => before.replicas.get(name) !== count);
  return planText({ ...emptyPlan, replicas: new Map(changed) });
}

/** Replicas, surge and unavailable Machines. */
export function limitsOf([replicas, surge, unavailable]: readonly [number, number, number]): RolloutLimits {
  return { replicas, surge, unavailable, minAvailable: replicas - unavailable, maxSurge: valid(surge) };
}

/** The current MachineSet, whose number follows those of the old ones. */
export function newestSet(text: string, old: string): SetCounts {
  return counts(`ms${listOfCounts(old).length + 1} ${text}`);
}
