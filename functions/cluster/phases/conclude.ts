// Computes the result of a plan. The outcome of each write selects a branch of the steps that depend on it.

import type { ControlPlaneEndpoint } from '@capi-serverless/cluster-api/contract';
import type { Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { scopedAfter } from '../../../shared/external/object-owner.ts';
import type { WholePlan } from '../plan.ts';
import { endpointAfter, takeEndpoint } from './endpoint.ts';
import type { PhaseScope } from './scope.ts';
import { applyStep, type PhaseProgress } from './step.ts';

export interface Conclusion {
  /** Does not contain objects whose owner reference could not be set. */
  readonly scope: PhaseScope;
  readonly progress: PhaseProgress;
  readonly endpoint: ControlPlaneEndpoint;
}

/** All steps are applied, even if an earlier step failed. A write without an outcome is treated as successful. */
export function conclude(plan: WholePlan, outcomes: Outcomes): Conclusion {
  const { scope, externals, steps } = plan;
  const { seen, now } = scope;
  const applying = { outcomes, now, endpointErrors: takeEndpoint(externals.endpoint, outcomes).errors };
  return {
    scope: {
      ...scope,
      infrastructure: scopedAfter(externals.infrastructure, outcomes),
      controlPlane: scopedAfter(externals.controlPlane, outcomes),
    },
    progress: steps.reduce((progress, step) => applyStep(progress, step, applying), startOf(seen.cluster)),
    endpoint: endpointAfter(externals.endpoint, outcomes),
  };
}

function startOf({ status }: Cluster): PhaseProgress {
  return {
    ...status.initialization,
    failureDomains: undefined,
    failure: {},
    v1beta1: status.deprecated.v1beta1.conditions,
    deleting: { reason: '', message: '' },
    errors: [],
    requeues: [],
    events: [],
  };
}
