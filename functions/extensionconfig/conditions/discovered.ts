// Discovered, in both condition families: whether it is known what the extension server serves.
import type { ConditionDraft, V1Beta1Draft } from '../../../shared/conditions/condition.ts';
import { v1Beta1False, v1Beta1True } from '../../../shared/conditions/v1beta1.ts';

export const discoveredType = 'Discovered';

export interface Told {
  readonly condition: ConditionDraft;
  readonly v1beta1: V1Beta1Draft;
}

export function discovered(): Told {
  return {
    condition: { type: discoveredType, status: 'True', reason: 'Discovered' },
    v1beta1: v1Beta1True(discoveredType),
  };
}

/** `message`: all that a user needs to know. */
export function notDiscovered(message: string): Told {
  return {
    condition: { type: discoveredType, status: 'False', reason: 'NotDiscovered', message },
    v1beta1: v1Beta1False(discoveredType, { reason: 'DiscoveryFailed', severity: 'Error', message }),
  };
}
