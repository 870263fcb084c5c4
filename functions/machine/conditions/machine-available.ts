// The condition Available: the Machine is ready for minReadySeconds.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, type ConditionDraft, getCondition } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readyType } from './ready.ts';

export const availableType = 'Available';

/** Returns the milliseconds until the Machine is available. `undefined` if it is not ready. */
export function availableInMs(
  { spec }: WholeMachine,
  conditions: readonly Condition[],
  now: Instant,
): number | undefined {
  const ready = getCondition(conditions, readyType);
  if (ready?.status !== 'True') {
    return undefined;
  }
  const since = instantOf(ready.lastTransitionTime) ?? now;
  return Math.max(0, since + spec.minReadySeconds * 1000 - now);
}

export function available(machine: WholeMachine, conditions: readonly Condition[], now: Instant): ConditionDraft {
  const inMs = availableInMs(machine, conditions, now);
  if (inMs === undefined) {
    return { type: availableType, status: 'False', reason: 'NotReady', message: '' };
  }
  return inMs === 0
    ? { type: availableType, status: 'True', reason: 'Available', message: '' }
    : { type: availableType, status: 'False', reason: 'WaitingForMinReadySeconds', message: '' };
}
