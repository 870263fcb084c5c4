// Why the Cluster reconciler does what it does, in words: from the action and from what the reconciler saw. Pure.
import { addFinalizerId } from '../../../functions/cluster/decide.ts';
import { ownActionId, type Role } from '../../../functions/cluster/phases/external.ts';
import { clusterFinalizer } from '../../../functions/cluster/phases/gate.ts';
import { kubeconfigActionId } from '../../../functions/cluster/phases/kubeconfig.ts';
import { failingSinceActionId } from '../../../functions/cluster/phases/remote-connection.ts';
import type { Seen, WholeView } from '../../../functions/cluster/seen.ts';
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { readEndpoint, toEndpointText } from '../../../shared/contract/endpoint.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import type { Because } from './plan.ts';

const roles = ['controlPlane', 'infrastructure'] as const;

const refFields: Readonly<Record<Role, string>> = {
  infrastructure: 'spec.infrastructureRef',
  controlPlane: 'spec.controlPlaneRef',
};

/** `undefined` for an action that this does not know. */
export function whyOfCluster(because: Because<Seen>): string | undefined {
  const { action, seen, write } = because;
  if (action.id === addFinalizerId) {
    return `the finalizer ${clusterFinalizer} is missing: without it the Cluster could vanish before what belongs to it`;
  }
  if (seen.step !== 'phases') {
    return undefined;
  }
  const owned = roles.find(role => action.id === ownActionId(role));
  if (owned !== undefined) {
    return whyOwned(owned, seen, write?.body);
  }
  switch (action.id) {
    case 'endpoint':
      return whyEndpoint(seen, write?.body);
    case kubeconfigActionId:
      return action.do === 'create'
        ? 'no control plane provider makes a kubeconfig for this Cluster, and its certificate authority is there'
        : 'the certificate in it lasts less than half a year';
    case failingSinceActionId:
      return seen.remote.state === 'failed'
        ? 'the API server of the workload cluster does not answer: the time of the first failure is kept'
        : 'nothing is known to be wrong with the connection any more';
    case 'finalizer:remove':
      return 'the Cluster is being deleted, and nothing that its deletion waits for is left';
    default:
      return action.do === 'delete' ? whyDeleted(action.ref, seen) : undefined;
  }
}

function whyOwned(role: Role, { cluster }: WholeView, body: unknown): string {
  const lacks = [
    ...(valueAt(body, 'metadata.ownerReferences') === undefined ? [] : ['this owner reference']),
    ...(valueAt(body, 'metadata.labels') === undefined ? [] : [`the label ${clusterNameLabel}`]),
  ];
  return `${refFields[role]} of Cluster ${toDisplayName(cluster.metadata)} names it, and it lacks ${lacks.join(' and ')}`;
}

/** The object whose endpoint is the new one. */
function whyEndpoint(seen: WholeView, body: unknown): string {
  const wanted = readEndpoint(body);
  if (wanted.state !== 'value') {
    return 'the Cluster holds half an endpoint, and nobody reports one';
  }
  const source = roles.map(role => seen[role]).find(external => reports(external, toEndpointText(wanted.value)));
  const who = source?.state === 'found' ? describe(source.object) : 'a provider';
  return `the Cluster has no control plane endpoint yet, and ${who} reports ${toEndpointText(wanted.value)}`;
}

function reports(external: WholeView[Role], endpoint: string): boolean {
  const found = external.state === 'found' ? readEndpoint(external.object) : undefined;
  return found?.state === 'value' && toEndpointText(found.value) === endpoint;
}

function whyDeleted(ref: { readonly kind: string; readonly name: string }, seen: WholeView): string {
  const role = roles.find(each => {
    const external = seen[each];
    return external.state === 'found' && external.object.kind === ref.kind && external.ref.name === ref.name;
  });
  switch (role) {
    case 'controlPlane':
      return 'the Cluster is being deleted, and no worker is left that needs its control plane';
    case 'infrastructure':
      return 'the Cluster is being deleted, and neither workers nor control plane are left on its infrastructure';
    case undefined:
      return 'the Cluster is being deleted and owns it; workers go before the control plane';
  }
}

function describe({ kind, metadata }: Unstructured): string {
  return `${kind} ${toDisplayName(metadata)}`;
}
