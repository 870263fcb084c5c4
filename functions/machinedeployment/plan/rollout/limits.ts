// The numbers of a rollout: how many Machines may exist in addition, and how many may be missing.
import type { Checked } from '@capi-serverless/apimachinery';
import { resolveIntOrPercent } from '../../../../shared/machine-collections/int-or-percent.ts';

/** How Machines are replaced. Another type is an error of the pass. */
export interface RolloutStrategy {
  readonly type: string;
  /** A number of Machines, or a percentage of the replicas. */
  readonly maxSurge: unknown;
  readonly maxUnavailable: unknown;
}

export interface RolloutLimits {
  readonly replicas: number;
  readonly surge: number;
  readonly unavailable: number;
  readonly minAvailable: number;
  /** `maxSurge` alone. Its error is reported only if the number is needed. */
  readonly maxSurge: Checked<number>;
}

export const rollingUpdate = 'RollingUpdate';
export const onDelete = 'OnDelete';

/** If one of both values is not valid, both numbers are 0. Only RollingUpdate has limits. */
export function toLimits({ type, maxSurge, maxUnavailable }: RolloutStrategy, replicas: number): RolloutLimits {
  const surge = resolveIntOrPercent(maxSurge, replicas, Math.ceil);
  const missing = resolveIntOrPercent(maxUnavailable, replicas, Math.floor);
  const hasLimits = type === rollingUpdate && surge.ok && missing.ok;
  const unavailable = hasLimits ? toUnavailable(missing.value, surge.value, replicas) : 0;
  return {
    replicas,
    surge: hasLimits ? surge.value : 0,
    unavailable,
    minAvailable: replicas - unavailable,
    maxSurge: surge,
  };
}

/** A rollout without surge needs one Machine that may be missing. */
function toUnavailable(missing: number, surge: number, replicas: number): number {
  return Math.min(missing === 0 && surge === 0 ? 1 : missing, replicas);
}
