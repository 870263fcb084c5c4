// The shim: who owns infrastructure cluster and control plane as long as the Cluster does not.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { type Intent, type OwnerReference, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { clusterSecretType } from '../../../shared/api/secret.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import { nothingToDo, type Plan } from '../../../shared/topology/changes/step.ts';
import { clusterAsOwner } from '../../../shared/topology/desired/metadata.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import { isShimReference, shimNameOf } from '../../../shared/topology/model/shim.ts';

export interface PlannedShim {
  readonly plan: Plan;
  /** To be added to infrastructure cluster and control plane. */
  readonly owner?: OwnerReference;
}

const createId = 'create shim';

/** Made while one of the two is missing; goes once the Cluster owns both. */
export async function planShim(cluster: Cluster, current: Current, ask: Pick<Reads, 'metadata'>): Promise<PlannedShim> {
  const objects = [current.infrastructureCluster, current.controlPlane.object];
  const made = objects.filter(object => object !== undefined);
  return made.length < objects.length ? makeShim(cluster, ask) : { plan: await removeShim(cluster, made, ask) };
}

async function makeShim(cluster: Cluster, ask: Pick<Reads, 'metadata'>): Promise<PlannedShim> {
  const shim = toShim(cluster);
  const { apiVersion, kind } = shim;
  const { name, namespace } = shim.metadata;
  const answer = await ask.metadata({ apiVersion, kind, name, namespace });
  if (!answer.ok && !answer.missing) {
    return { plan: { steps: [], failure: `failed to read the cluster shim object: ${answer.failure.message}` } };
  }
  const owner = { apiVersion, kind, name };
  if (!answer.ok) {
    return { plan: createShim(cluster, shim), owner: { ...owner, uid: uidOfNewShim() } };
  }
  const { ownerReferences = [], deletionTimestamp, uid } = answer.value;
  const isOurs = ownerReferences.some(reference => reference.uid === cluster.metadata.uid);
  if (!isOurs || deletionTimestamp !== undefined) {
    // What it owned would be collected with it.
    const why = isOurs ? 'is being deleted' : 'exists already and the Cluster is not its owner; delete or rename it';
    const failure = `failed to create the cluster shim object: ${kind} ${toDisplayName({ namespace, name })} ${why}`;
    return { plan: { steps: [], failure } };
  }
  return { plan: nothingToDo, owner: { ...owner, uid } };
}

function toShim(cluster: Cluster) {
  const { name, namespace } = cluster.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: shimNameOf(name),
      namespace,
      labels: { [clusterNameLabel]: name },
      ownerReferences: [clusterAsOwner(cluster)],
    },
    type: clusterSecretType,
  } satisfies Intent;
}

function createShim(cluster: Cluster, object: Intent): Plan {
  const { uid } = cluster.metadata;
  return {
    steps: [
      {
        action: {
          id: createId,
          onError: 'continue',
          do: 'create',
          object,
          ours: ({ metadata }) =>
            metadata.deletionTimestamp === undefined &&
            (metadata.ownerReferences ?? []).some(reference => reference.uid === uid),
        },
        toProblem: ({ message }) => `failed to create the cluster shim object: ${message}`,
      },
    ],
  };
}

function uidOfNewShim(): string {
  const reference: unknown = { uidOf: createId };
  return reference as string; // what is sent is the uid that stands in the answer to that action
}

/** Until the garbage collector has taken the references away, a shim that is gone is asked for once more in each pass. */
async function removeShim(
  { metadata }: Cluster,
  objects: readonly Unstructured[],
  ask: Pick<Reads, 'metadata'>,
): Promise<Plan> {
  const owners = objects.map(object => object.metadata.ownerReferences ?? []);
  const isOwned = owners.every(list => list.some(({ kind, name }) => kind === 'Cluster' && name === metadata.name));
  const shim = owners.flat().find(reference => isShimReference(reference, metadata.name));
  if (!isOwned || shim === undefined) {
    return nothingToDo;
  }
  const { apiVersion, kind, name, uid } = shim;
  const ref = { apiVersion, kind, namespace: metadata.namespace, name };
  const answer = await ask.metadata(ref);
  if (!answer.ok || answer.value.uid !== uid) {
    const isGone = answer.ok || answer.missing;
    return isGone
      ? nothingToDo
      : { steps: [], failure: `failed to read the cluster shim object: ${answer.failure.message}` };
  }
  return {
    steps: [
      {
        action: { id: 'delete shim', onError: 'continue', do: 'delete', ref, uid },
        toProblem: ({ message }) => `failed to delete the cluster shim object: ${message}`,
      },
    ],
  };
}
