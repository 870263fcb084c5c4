// The endpoint that the phases found, written to the Cluster's spec before its status tells of it.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { type MergePatch, toRef } from '../../../shared/api/object.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import type { Action, Outcomes } from '../../../shared/kernel/types.ts';
import { patchError } from './external.ts';
import { failureOf } from './outcomes.ts';
import { type PhaseContext, type Progress, withError } from './scope.ts';

const endpointActionId = 'endpoint';

/**
 * Writes the endpoint that `endpointAfter` computes from the outcomes so far, if it differs from the stored one by then:
 * a provider's object that could not be marked as this Cluster's does not give its endpoint.
 */
export function endpointActions(cluster: Cluster, endpointAfter: (outcomes: Outcomes) => Endpoint): readonly Action[] {
  const stored = cluster.spec.controlPlaneEndpoint;
  if (isSame(stored, endpointAfter(new Map()))) {
    return [];
  }
  return [
    {
      id: endpointActionId,
      onError: 'continue',
      do: 'patch',
      when: outcomes => !isSame(stored, endpointAfter(outcomes)),
      ref: toRef(cluster.object),
      body: outcomes => toPatch(endpointAfter(outcomes)),
      resourceVersion: cluster.metadata.resourceVersion,
    },
  ];
}

/** An endpoint that could not be written is not the Cluster's. */
export function endpointPhase({ seen, outcomes }: PhaseContext, progress: Progress): Progress {
  const failure = failureOf(outcomes, endpointActionId);
  return failure === undefined
    ? progress
    : withError(
        { ...progress, endpoint: seen.cluster.spec.controlPlaneEndpoint },
        patchError(seen.cluster.object, failure.message),
      );
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
