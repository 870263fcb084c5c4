// The plan of one pass over a ClusterResourceSetBinding: its name and owners, then its deletion.
import {
  type Checked,
  groupOf,
  invalid,
  type MergePatch,
  type OwnerReference,
  toRef,
  valid,
} from '@capi-serverless/apimachinery';
import { type Action, failureOf, type Outcomes, type PassChange, type Phase } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import type { ResourceSetBinding } from '../../shared/api/cluster-resource-set-binding/reader.ts';

/** The result of observe for one ClusterResourceSetBinding. */
export interface ObservedBinding {
  readonly binding: ResourceSetBinding;
  readonly clusterName: string;
  readonly cluster:
    | { readonly state: 'exists' }
    /** It does not exist, or its deletion no longer needs what was applied. */
    | { readonly state: 'ended' }
    | { readonly state: 'unreadable'; readonly error: string };
}

/** If the patch fails, nothing is deleted. */
export function plan(seen: ObservedBinding): Phase<PassChange> {
  const actions = actionsOf(seen);
  const unreadable = seen.cluster.state === 'unreadable' ? [seen.cluster.error] : [];
  const change = (outcomes: Outcomes): PassChange => ({
    errors: [...unreadable, ...actions.flatMap(({ id }) => failureOf(outcomes, id)?.message ?? [])],
  });
  return { actions, steps: [{ change }] };
}

function actionsOf({ binding, clusterName, cluster }: ObservedBinding): readonly Action[] {
  const { uid, resourceVersion } = binding.metadata;
  const ref = toRef(binding.object);
  const body = nameChange(binding, clusterName);
  return [
    ...(Object.keys(body).length === 0
      ? []
      : [{ id: 'binding:patch', onError: 'stop', do: 'patch', ref, body, resourceVersion } as const]),
    ...(cluster.state === 'ended' ? [{ id: 'binding:delete', onError: 'stop', do: 'delete', ref, uid } as const] : []),
  ];
}

const problem = 'failed to find cluster name in ownerRefs';

/**
 * The Cluster of a ClusterResourceSetBinding. Bindings made before Cluster API v1.4 name it in an owner reference
 * only.
 */
export function clusterNameOf({ metadata, spec }: ResourceSetBinding): Checked<string> {
  if (spec.clusterName !== '') {
    return valid(spec.clusterName);
  }
  const owner = metadata.ownerReferences.find(isCluster);
  if (owner === undefined) {
    return invalid(`${problem}: no cluster ownerRef`);
  }
  return owner.name === '' ? invalid(`${problem}: ref name is empty`) : valid(owner.name);
}

/** Returns the change that stores the name in the spec and removes the owner reference. It may be empty. */
function nameChange({ metadata, spec }: ResourceSetBinding, clusterName: string): MergePatch {
  const owners = metadata.ownerReferences.filter(owner => !(isCluster(owner) && owner.name === clusterName));
  return {
    ...(owners.length === metadata.ownerReferences.length ? {} : { metadata: { ownerReferences: owners } }),
    ...(spec.clusterName === '' ? { spec: { clusterName } } : {}),
  };
}

function isCluster({ apiVersion, kind }: OwnerReference): boolean {
  return groupOf(apiVersion) === clusterGroup && kind === 'Cluster';
}
