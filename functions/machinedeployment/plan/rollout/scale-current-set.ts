// Scales the current MachineSet: up while the number of all Machines allows it, down to the replicas of the deployment.
import { type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { RolloutLimits } from './limits.ts';
import { emptyPlan, type PlannedRollout, type SetCounts, total, withReplicas } from './rollout-plan.ts';

interface Scaling {
  readonly limits: RolloutLimits;
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
}

/** Fails if the surge is needed and not valid. */
export function scaleCurrentByRolling(scaling: Scaling): Checked<PlannedRollout> {
  const { limits, current } = scaling;
  if (current.spec >= limits.replicas) {
    return valid(alignDown(scaling));
  }
  return mapChecked(limits.maxSurge, surge => {
    const machines = machinesOf(scaling);
    const up = Math.min(limits.replicas + surge - machines, limits.replicas - current.spec);
    const reason = `${machines} current Machines < ${limits.replicas} MachineDeployment spec.replicas + ${surge} maxSurge`;
    return scaleUp(current, up, reason);
  });
}

/** Machines that a user has deleted make room for new ones. */
export function scaleCurrentOnDelete(scaling: Scaling): PlannedRollout {
  const { limits, current } = scaling;
  const machines = machinesOf(scaling);
  const reason = `${machines} current Machines < ${limits.replicas} MachineDeployment spec.replicas`;
  return current.spec > limits.replicas ? alignDown(scaling) : scaleUp(current, limits.replicas - machines, reason);
}

/** Counts Machines that exist and those that a set is about to create. */
function machinesOf({ current, old }: Scaling): number {
  return total([current, ...old], ({ spec, status }) => Math.max(spec, status));
}

function scaleUp({ name, spec }: SetCounts, up: number, reason: string): PlannedRollout {
  return up > 0 ? withReplicas(emptyPlan, name, spec + up, reason) : emptyPlan;
}

function alignDown({ limits: { replicas }, current: { name, spec } }: Scaling): PlannedRollout {
  const reason = 'scale down to align MachineSet spec.replicas to MachineDeployment spec.replicas';
  return spec > replicas ? withReplicas(emptyPlan, name, replicas, reason) : emptyPlan;
}
