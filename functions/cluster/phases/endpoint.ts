// Determines the endpoint that the provider objects report. The endpoint is written to the spec before the status
// reports it.

import { type MergePatch, toRef } from '@capi-serverless/apimachinery';
import { type ControlPlaneEndpoint, isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { ownActionId } from '../../../shared/external/object-owner.ts';
import { noOutcomes, patchProblem } from './outcomes.ts';
import type { ExternalRole } from './scope.ts';
import type { EndpointOffer, PhaseStep } from './step.ts';

const endpointActionId = 'endpoint';

export interface EndpointPlan {
  /** The endpoint in the spec of the Cluster. */
  readonly stored: ControlPlaneEndpoint;
  /** The endpoints of provider objects, in order of precedence. */
  readonly offers: readonly EndpointOffer[];
}

/** `steps`: the steps of the infrastructure phase and the control plane phase, in this order. */
export function planEndpoint({ spec }: Cluster, steps: readonly PhaseStep[]): EndpointPlan {
  return { stored: spec.controlPlaneEndpoint, offers: steps.flatMap(({ offer }) => offer ?? []) };
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
export function takeEndpoint({ stored, offers }: EndpointPlan, outcomes: Outcomes): TakenEndpoint {
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
export function endpointAfter(plan: EndpointPlan, outcomes: Outcomes): ControlPlaneEndpoint {
  return failureOf(outcomes, endpointActionId) === undefined ? takeEndpoint(plan, outcomes).endpoint : plan.stored;
}

/** Writes the endpoint if it differs from the stored one. The condition on earlier outcomes can prevent the write. */
export function endpointActions(cluster: Cluster, plan: EndpointPlan): readonly Action[] {
  const isStored = (outcomes: Outcomes) => isSame(plan.stored, endpointAfter(plan, outcomes));
  if (isStored(noOutcomes)) {
    return [];
  }
  return [
    {
      id: endpointActionId,
      onError: 'continue',
      do: 'patch',
      when: outcomes => !isStored(outcomes),
      ref: toRef(cluster.object),
      body: outcomes => toPatch(endpointAfter(plan, outcomes)),
      resourceVersion: cluster.metadata.resourceVersion,
    },
  ];
}

export function endpointStep({ object }: Cluster): PhaseStep {
  return { change: {}, needs: [{ id: endpointActionId, problem: patchProblem(object) }] };
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
