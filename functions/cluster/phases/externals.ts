// Plans the infrastructure object and the control plane object, and the endpoint that they report.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { External } from '../../../shared/external/external.ts';
import { controlPlaneRules } from './control-plane-rules.ts';
import type { PlannedEndpoint } from './endpoint.ts';
import { externalPhase, offerOf } from './external.ts';
import { infrastructureRules } from './infrastructure-rules.ts';
import { type ExternalRole, type PlannedOwnership, planOwnership } from './ownership.ts';
import type { ClusterPhase } from './pass-progress.ts';

export interface PlannedExternals {
  readonly infrastructure: PlannedOwnership;
  readonly controlPlane: PlannedOwnership;
  readonly endpoint: PlannedEndpoint;
}

/** The endpoint of the infrastructure has precedence. */
export function planExternals(
  view: { readonly cluster: Cluster } & Readonly<Record<ExternalRole, External>>,
): PlannedExternals {
  const { cluster } = view;
  const infrastructure = planOwnership('infrastructure', view.infrastructure, cluster);
  const controlPlane = planOwnership('controlPlane', view.controlPlane, cluster);
  const offers = [
    ...offerOf(infrastructureRules, infrastructure, cluster),
    ...offerOf(controlPlaneRules, controlPlane, cluster),
  ];
  return { infrastructure, controlPlane, endpoint: { stored: cluster.spec.controlPlaneEndpoint, offers } };
}

interface Referring {
  readonly seen: { readonly cluster: Cluster };
  readonly externals: PlannedExternals;
}

export function infrastructurePhase({ seen, externals }: Referring): ClusterPhase {
  return externalPhase(infrastructureRules, externals.infrastructure, { ...seen, endpoint: externals.endpoint });
}

export function controlPlanePhase({ seen, externals }: Referring): ClusterPhase {
  return externalPhase(controlPlaneRules, externals.controlPlane, { ...seen, endpoint: externals.endpoint });
}
