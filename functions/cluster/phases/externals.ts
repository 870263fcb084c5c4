// Plans the infrastructure object and the control plane object, and the endpoint that they report.
import { invalid, valid } from '@capi-serverless/apimachinery';
import { isTrue, v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { readFailureDomains, readInitialized, readProvisioned, valueOr } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { External } from '../../../shared/external/external.ts';
import type { PlannedEndpoint } from './endpoint.ts';
import { type ExternalRules, externalPhase, offerOf, retrievalError } from './external.ts';
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

const initializedType = 'ControlPlaneInitialized';

/**
 * The Cluster becomes initialized when the control plane object reports it, and never becomes uninitialized again. The endpoint is
 * read if the infrastructure object reports none.
 */
const controlPlaneRules: ExternalRules = {
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

const readyType = 'InfrastructureReady';

/** Provisioned is never reset. */
const infrastructureRules: ExternalRules = {
  field: 'infrastructureProvisioned',
  achievement: 'provisioned',
  readAchieved: readProvisioned,
  ready: { type: readyType, waitingReason: 'WaitingForInfrastructure' },
  event: { reason: 'InfrastructureReady', subject: 'InfrastructureProvisioned' },
  /** A Cluster without an infrastructure reference is provisioned, unless it is being deleted. */
  withoutObject: cluster =>
    isDeleting(cluster) ? {} : { infrastructureProvisioned: true, v1beta1: [v1Beta1True(readyType)] },
  conditions: () => [],
  take: ({ object, contract }, cluster) => {
    const domains = readFailureDomains(object, contract);
    return domains.state === 'wrongType'
      ? invalid(retrievalError('status.failureDomains', 'infrastructure', { cluster, error: domains.error }))
      : valid({ failureDomains: valueOr(domains, []) });
  },
};
