// Describes the reason of each action of the Cluster reconciler. Derived from the action and the plan. Pure.

import { toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { clusterNameLabel, readEndpoint, toEndpointText } from '@capi-serverless/cluster-api/contract';
import { addFinalizerId, isEarlyEnd, removeFinalizerId } from '@capi-serverless/reconciler';
import type { ExplainedAction } from '../../shared/explain/face.ts';
import { ownActionId } from '../../shared/external/object-owner.ts';
import { endpointActionId } from './phases/endpoint.ts';
import { clusterFinalizer } from './phases/gate.ts';
import { kubeconfigActionId } from './phases/kubeconfig-secret.ts';
import type { ExternalRole } from './phases/ownership.ts';
import { failingSinceActionId } from './phases/remote-connection.ts';
import type { ClusterPlan } from './plan.ts';
import type { ObservedCluster } from './seen.ts';

const roles = ['controlPlane', 'infrastructure'] as const;

const refFields: Readonly<Record<ExternalRole, string>> = {
  infrastructure: 'spec.infrastructureRef',
  controlPlane: 'spec.controlPlaneRef',
};

/** Returns `undefined` for an unknown action. */
export function whyOfCluster(because: ExplainedAction<ClusterPlan>): string | undefined {
  const { action, seen: plan, write } = because;
  if (action.id === addFinalizerId) {
    return `the finalizer ${clusterFinalizer} is missing: without it, the Cluster could be deleted before its dependent objects`;
  }
  if (isEarlyEnd(plan)) {
    return undefined;
  }
  const { seen } = plan.scope;
  const owned = roles.find(role => action.id === ownActionId(role));
  if (owned !== undefined) {
    return whyOwned(owned, seen, write?.body);
  }
  switch (action.id) {
    case endpointActionId:
      return whyEndpoint(seen, write?.body);
    case kubeconfigActionId:
      return action.do === 'create'
        ? 'no control plane provider creates a kubeconfig for this Cluster, and its certificate authority exists'
        : 'its client certificate expires in less than six months';
    case failingSinceActionId:
      return seen.remote.state === 'failed'
        ? 'the API server of the workload cluster does not answer: the time of the first failure is recorded'
        : 'the last connection probe succeeded';
    case removeFinalizerId:
      return 'the Cluster is being deleted, and all objects that its deletion waits for are deleted';
    default:
      return action.do === 'delete' ? whyDeleted(action.ref, seen) : undefined;
  }
}

function whyOwned(role: ExternalRole, { cluster }: ObservedCluster, body: unknown): string {
  const lacks = [
    ...(valueAt(body, 'metadata.ownerReferences') === undefined ? [] : ['this owner reference']),
    ...(valueAt(body, 'metadata.labels') === undefined ? [] : [`the label ${clusterNameLabel}`]),
  ];
  return `${refFields[role]} of Cluster ${toDisplayName(cluster.metadata)} references it, and it lacks ${lacks.join(' and ')}`;
}

/** Names the object whose endpoint is written. */
function whyEndpoint(seen: ObservedCluster, body: unknown): string {
  const wanted = readEndpoint(body);
  if (wanted.state !== 'value') {
    return 'the control plane endpoint of the Cluster is incomplete, and no provider reports an endpoint';
  }
  const source = roles.map(role => seen[role]).find(external => reports(external, toEndpointText(wanted.value)));
  const reporter = source?.state === 'found' ? describe(source.object) : 'a provider';
  return `the Cluster has no control plane endpoint yet, and ${reporter} reports ${toEndpointText(wanted.value)}`;
}

function reports(external: ObservedCluster[ExternalRole], endpoint: string): boolean {
  const found = external.state === 'found' ? readEndpoint(external.object) : undefined;
  return found?.state === 'value' && toEndpointText(found.value) === endpoint;
}

function whyDeleted(ref: { readonly kind: string; readonly name: string }, seen: ObservedCluster): string {
  const role = roles.find(each => {
    const external = seen[each];
    return external.state === 'found' && external.object.kind === ref.kind && external.ref.name === ref.name;
  });
  switch (role) {
    case 'controlPlane':
      return 'the Cluster is being deleted, and its workers are deleted';
    case 'infrastructure':
      return 'the Cluster is being deleted, and its workers and its control plane are deleted';
    case undefined:
      return 'the Cluster is being deleted and owns it; workers are deleted before the control plane';
  }
}

function describe({ kind, metadata }: Unstructured): string {
  return `${kind} ${toDisplayName(metadata)}`;
}
