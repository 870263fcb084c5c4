// The condition Discovered. It reports whether the handlers of the extension server are known.
import {
  type ConditionDraft,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';

export const discoveredType = 'Discovered';

export interface DiscoveredConditions {
  readonly condition: ConditionDraft;
  readonly v1beta1: V1Beta1Draft;
}

export function discovered(): DiscoveredConditions {
  return {
    condition: { type: discoveredType, status: 'True', reason: 'Discovered' },
    v1beta1: v1Beta1True(discoveredType),
  };
}

/** `message` is the error in both condition families. */
export function notDiscovered(message: string): DiscoveredConditions {
  return {
    condition: { type: discoveredType, status: 'False', reason: 'NotDiscovered', message },
    v1beta1: v1Beta1False(discoveredType, { reason: 'DiscoveryFailed', severity: 'Error', message }),
  };
}
