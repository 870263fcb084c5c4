// Computes the next replica counts of the MachineSets of a MachineDeployment. It scales up new sets, then scales down
// old ones. Pure. https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment

export interface Sized {
  readonly name: string;
  /** The desired count. */
  readonly replicas: number;
  readonly available: number;
}

interface RolloutLimits {
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

interface Step {
  readonly name: string;
  readonly replicas: number;
}

/** Returns the next scale steps, new set first. Empty if nothing changes. `old` is in the order of scaling down. */
export function nextSteps(current: Sized, old: readonly Sized[], limits: RolloutLimits): readonly Step[] {
  const grown = grow(current, old, limits);
  const steps: Step[] = grown === current.replicas ? [] : [{ name: current.name, replicas: grown }];
  let room = spare({ ...current, replicas: grown }, old, limits);
  for (const { name, replicas, available } of old) {
    // The removal of unavailable Machines does not reduce availability.
    const broken = replicas - Math.min(replicas, available);
    const fewer = Math.min(replicas, broken + Math.max(0, room));
    room -= Math.max(0, fewer - broken);
    if (fewer > 0) {
      steps.push({ name, replicas: replicas - fewer });
    }
  }
  return steps;
}

function grow(current: Sized, old: readonly Sized[], { desired, maxSurge }: RolloutLimits): number {
  if (current.replicas >= desired) {
    return desired;
  }
  const total = old.reduce((sum, { replicas }) => sum + replicas, current.replicas);
  return Math.min(desired, current.replicas + Math.max(0, desired + maxSurge - total));
}

/** Returns the number of available old Machines that can be removed within maxUnavailable. */
function spare(current: Sized, old: readonly Sized[], { desired, maxUnavailable }: RolloutLimits): number {
  const available = old.reduce(
    (sum, each) => sum + Math.min(each.replicas, each.available),
    Math.min(current.replicas, current.available),
  );
  return available - (desired - maxUnavailable);
}

/** Returns a number or a percentage of `total`, rounded as in Deployments. */
export function resolve(value: unknown, total: number, round: (share: number) => number): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  return percent === undefined ? undefined : round((Number(percent) / 100) * total);
}
