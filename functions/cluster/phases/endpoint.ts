// The endpoint that the provider's objects report, written to the Cluster's spec before its status shows it.

import { type MergePatch, toRef } from '@capi-serverless/apimachinery';
import { type Endpoint, isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { noOutcomes, patchProblem } from './outcomes.ts';
import { ownActionId } from './ownership.ts';
import type { Role } from './scope.ts';
import type { EndpointOffer, PhaseStep } from './step.ts';

const endpointActionId = 'endpoint';

export interface EndpointPlan {
  /** In the Cluster's spec. */
  readonly stored: Endpoint;
  /** In order of precedence. */
  readonly offers: readonly EndpointOffer[];
}

/** `steps`: those of the infrastructure phase and of the control plane phase, in this order. */
export function planEndpoint({ spec }: Cluster, steps: readonly PhaseStep[]): EndpointPlan {
  return { stored: spec.controlPlaneEndpoint, offers: steps.flatMap(({ offer }) => offer ?? []) };
}

interface TakenEndpoint {
  readonly endpoint: Endpoint;
  /** Why an endpoint that was needed could not be read. */
  readonly errors: Readonly<Partial<Record<Role, string>>>;
}

/**
 * A valid endpoint stays; otherwise an offer replaces it, also by nothing. An object that could not be marked as this
 * Cluster's gives no endpoint.
 */
export function takeEndpoint({ stored, offers }: EndpointPlan, outcomes: Outcomes): TakenEndpoint {
  let endpoint = stored;
  const errors: Partial<Record<Role, string>> = {};
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

/** The Cluster's endpoint, given the outcomes so far. An endpoint that could not be written is not the Cluster's. */
export function endpointAfter(plan: EndpointPlan, outcomes: Outcomes): Endpoint {
  return failureOf(outcomes, endpointActionId) === undefined ? takeEndpoint(plan, outcomes).endpoint : plan.stored;
}

/** Writes the endpoint if it differs from the stored one, also by the outcomes of the writes before. */
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
 * metadata.generation of the state that the status describes. The endpoint is our own locked patch, so the generation it
 * made is known completely, unless something else moved the generation too.
 */
export function observedGeneration({ metadata }: Cluster, outcomes: Outcomes): number {
  const outcome = outcomes.get(endpointActionId);
  const after = outcome?.state === 'done' ? outcome.object?.metadata.generation : undefined;
  return after === metadata.generation + 1 ? after : metadata.generation;
}

function toPatch({ host, port }: Endpoint): MergePatch {
  if (host === '' && port === 0) {
    return { spec: { controlPlaneEndpoint: null } };
  }
  return { spec: { controlPlaneEndpoint: { host: host === '' ? null : host, port: port === 0 ? null : port } } };
}

function isSame(a: Endpoint, b: Endpoint): boolean {
  return a.host === b.host && a.port === b.port;
}
