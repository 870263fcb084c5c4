// The control plane phase. The Cluster becomes initialized when the control plane object reports it, and never becomes
// uninitialized again. The phase also reads the endpoint if the infrastructure object reports none.
import { valid } from '@capi-serverless/apimachinery';
import { isTrue, v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { readInitialized } from '@capi-serverless/cluster-api/contract';
import type { ExternalRules } from './external.ts';

const initializedType = 'ControlPlaneInitialized';

export const controlPlaneRules: ExternalRules = {
  field: 'controlPlaneInitialized',
  achievement: 'initialized',
  readAchieved: readInitialized,
  ready: { type: 'ControlPlaneReady', waitingReason: 'WaitingForControlPlane' },
  event: { reason: 'ControlPlaneInitialized', subject: 'ControlPlaneInitialized' },
  /** In this case the control plane Machines determine the value, see initialized.ts. */
  withoutObject: () => ({}),
  conditions: ({ status }, isInitialized) => {
    if (isTrue(status.deprecated.v1beta1.conditions, initializedType)) {
      return [];
    }
    return [
      isInitialized
        ? v1Beta1True(initializedType)
        : v1Beta1False(initializedType, {
            reason: 'WaitingForControlPlaneProviderInitialized',
            severity: 'Info',
            message: 'Waiting for control plane provider to indicate the control plane has been initialized',
          }),
    ];
  },
  take: () => valid({}),
};
