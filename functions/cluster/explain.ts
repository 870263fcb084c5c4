// The public interface of the Cluster reconciler for CLI commands.
import { toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, readEndpoint, toEndpointText } from '@capi-serverless/cluster-api/contract';
import { addFinalizerId, type EarlyEnd, isEarlyEnd, removeFinalizerId } from '@capi-serverless/reconciler';
import { readCluster } from '../../shared/api/cluster/reader.ts';
import { type ExplainContext, type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { ownActionId } from '../../shared/external/object-owner.ts';
import type { WorkloadClusters } from '../../shared/workload/port.ts';
import { endpointActionId } from './phases/endpoint.ts';
import { clusterFinalizer } from './phases/gate.ts';
import { kubeconfigActionId } from './phases/kubeconfig-secret.ts';
import type { ExternalRole } from './phases/ownership.ts';
import { failingSinceActionId } from './phases/remote-connection.ts';
import type { ClusterPlan } from './plan.ts';
import { clusterReconciler } from './reconciler.ts';
import type { ObservedCluster } from './seen.ts';
import { waitOf } from './why/cluster-view.ts';
import { describeCluster } from './why/describe.ts';

export const face = toFace({
  reconciler: clusterReconciler,
  asReported: { workload: workloadAsReported },
  whyOf: whyOfCluster,
  waitOf,
  describe: describeCluster,
  isDefault: true,
});

const probeCondition = 'RemoteConnectionProbe';

/** Reports every probe that would be sent. */
function workloadAsReported({ reads, ref, wouldAsk }: ExplainContext): WorkloadClusters {
  return {
    async probe({ origin }) {
      const answered = await reads.get(ref);
      const reported = answered.ok && isTrue(readCluster(answered.value).status.conditions, probeCondition);
      wouldAsk(
        `the workload cluster for a probe, with the kubeconfig ${origin}; ` +
          `${reported ? 'assumed to answer' : 'assumed not to answer'}, as condition ${probeCondition} says`,
      );
      return reported ? { ok: true } : { ok: false, error: 'not called' };
    },
  };
}

const roles = ['controlPlane', 'infrastructure'] as const;

const refFields: Readonly<Record<ExternalRole, string>> = {
  infrastructure: 'spec.infrastructureRef',
  controlPlane: 'spec.controlPlaneRef',
};

/** Returns `undefined` for an unknown action. */
function whyOfCluster(because: ExplainedAction<ClusterPlan | EarlyEnd>): string | undefined {
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
