// Determines the endpoint that the provider objects report. The endpoint is written to the spec before the status
// reports it.

import { type Checked, type MergePatch, toRef } from '@capi-serverless/apimachinery';
import { type ControlPlaneEndpoint, isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import { concluded, failureOf, noOutcomes, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { ownActionId } from '../../../shared/external/object-owner.ts';
import type { ExternalRole } from './ownership.ts';
import type { ClusterPhase } from './pass-progress.ts';

export const endpointActionId = 'endpoint';

export interface PlannedEndpoint {
  /** The endpoint in the spec of the Cluster. */
  readonly stored: ControlPlaneEndpoint;
  /** The endpoints of provider objects, in order of precedence. */
  readonly offers: readonly EndpointOffer[];
}

/** The endpoint that an object reports. */
export interface EndpointOffer {
  readonly role: ExternalRole;
  readonly endpoint: Checked<ControlPlaneEndpoint>;
}

interface TakenEndpoint {
  readonly endpoint: ControlPlaneEndpoint;
  /** The reasons why a required endpoint could not be read. */
  readonly errors: Readonly<Partial<Record<ExternalRole, string>>>;
}

/**
 * A valid stored endpoint is kept. Otherwise it is replaced by the offered endpoint, or cleared if there is none. An
 * object whose owner reference could not be set offers no endpoint.
 */
export function takeEndpoint({ stored, offers }: PlannedEndpoint, outcomes: Outcomes): TakenEndpoint {
  let endpoint = stored;
  const errors: Partial<Record<ExternalRole, string>> = {};
  for (const { role, endpoint: offered } of offers) {
    if (isValidEndpoint(endpoint) || failureOf(outcomes, ownActionId(role)) !== undefined) {
      continue;
    }
    if (offered.ok) {
      endpoint = offered.value;
    } else {
      errors[role] = offered.error;
    }
  }
  return { endpoint, errors };
}

/**
 * Returns the endpoint of the Cluster after these outcomes. If the write of the endpoint failed, the stored endpoint is
 * returned.
 */
export function endpointAfter(plan: PlannedEndpoint, outcomes: Outcomes): ControlPlaneEndpoint {
  return failureOf(outcomes, endpointActionId) === undefined ? takeEndpoint(plan, outcomes).endpoint : plan.stored;
}

interface Placing {
  readonly seen: { readonly cluster: Cluster };
  readonly externals: { readonly endpoint: PlannedEndpoint };
}

/** Writes the endpoint if it differs from the stored one. The condition on earlier outcomes can prevent the write. */
export function endpointPhase({ seen: { cluster }, externals: { endpoint: plan } }: Placing): ClusterPhase {
  const isStored = (outcomes: Outcomes) => isSame(plan.stored, endpointAfter(plan, outcomes));
  if (isStored(noOutcomes)) {
    return concluded();
  }
  return {
    actions: [
      {
        id: endpointActionId,
        onError: 'continue',
        do: 'patch',
        when: outcomes => !isStored(outcomes),
        ref: toRef(cluster.object),
        body: outcomes => toPatch(endpointAfter(plan, outcomes)),
        resourceVersion: cluster.metadata.resourceVersion,
      },
    ],
    steps: [],
  };
}

/**
 * Returns the metadata.generation of the state that the status describes. The endpoint is written with a
 * resourceVersion precondition. Therefore the new generation is known, unless another writer changed the spec.
 */
export function observedGeneration({ metadata }: Cluster, outcomes: Outcomes): number {
  const outcome = outcomes.get(endpointActionId);
  const after = outcome?.state === 'done' ? outcome.object?.metadata.generation : undefined;
  return after === metadata.generation + 1 ? after : metadata.generation;
}

function toPatch({ host, port }: ControlPlaneEndpoint): MergePatch {
  if (host === '' && port === 0) {
    return { spec: { controlPlaneEndpoint: null } };
  }
  return { spec: { controlPlaneEndpoint: { host: host === '' ? null : host, port: port === 0 ? null : port } } };
}

function isSame(a: ControlPlaneEndpoint, b: ControlPlaneEndpoint): boolean {
  return a.host === b.host && a.port === b.port;
}
