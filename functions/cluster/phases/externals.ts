// Plans the infrastructure object and the control plane object. The infrastructure is first, because its endpoint has
// precedence.

import type { ObservedCluster } from '../seen.ts';
import { controlPlaneRules } from './control-plane-rules.ts';
import { type EndpointPlan, planEndpoint } from './endpoint.ts';
import { externalStep } from './external.ts';
import { infrastructureRules } from './infrastructure.ts';
import { type OwnershipPlan, planOwnership } from './ownership.ts';
import type { ExternalRole } from './scope.ts';
import type { PhaseStep } from './step.ts';

export interface ExternalsPlan {
  readonly infrastructure: OwnershipPlan;
  readonly controlPlane: OwnershipPlan;
  readonly steps: readonly PhaseStep[];
  readonly endpoint: EndpointPlan;
}

export function planExternals(view: Pick<ObservedCluster, 'cluster' | ExternalRole>): ExternalsPlan {
  const { cluster } = view;
  const infrastructure = planOwnership('infrastructure', view.infrastructure, cluster);
  const controlPlane = planOwnership('controlPlane', view.controlPlane, cluster);
  const steps = [
    externalStep(infrastructureRules, infrastructure, cluster),
    externalStep(controlPlaneRules, controlPlane, cluster),
  ];
  return { infrastructure, controlPlane, steps, endpoint: planEndpoint(cluster, steps) };
}
