// Computes the result of a plan for given outcomes.

import type { ControlPlaneEndpoint } from '@capi-serverless/cluster-api/contract';
import { changesAfter, noProgress, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { scopedAfter } from '../../../shared/external/object-owner.ts';
import type { ClusterPlan } from '../plan.ts';
import { endpointAfter } from './endpoint.ts';
import { applyChange, type ClusterProgress } from './pass-progress.ts';
import type { PhaseScope } from './scope.ts';

export interface Conclusion {
  /** Does not contain objects whose owner reference could not be set. */
  readonly scope: PhaseScope;
  readonly progress: ClusterProgress;
  readonly endpoint: ControlPlaneEndpoint;
}

export function conclude({ scope, steps }: ClusterPlan, outcomes: Outcomes): Conclusion {
  const { seen, now, externals } = scope;
  return {
    scope: {
      ...scope,
      infrastructure: scopedAfter(externals.infrastructure, outcomes),
      controlPlane: scopedAfter(externals.controlPlane, outcomes),
    },
    progress: changesAfter(steps, outcomes).reduce<ClusterProgress>(
      (progress, change) => applyChange(progress, change, now),
      startOf(seen.cluster),
    ),
    endpoint: endpointAfter(externals.endpoint, outcomes),
  };
}

function startOf({ status }: Cluster): ClusterProgress {
  return {
    ...noProgress,
    ...status.initialization,
    failureDomains: undefined,
    failure: {},
    v1beta1: status.deprecated.v1beta1.conditions,
    deleting: { reason: '', message: '' },
  };
}
