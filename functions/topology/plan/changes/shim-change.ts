// The writes for the shim: a Secret that owns infrastructure cluster and control plane until the Cluster owns them.

import {
  type Answer,
  type Intent,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import { clusterSecretType } from '../../../../shared/api/secret.ts';
import type { Current } from '../current/current-topology.ts';
import type { Desired } from '../desired/desired-topology.ts';
import { clusterAsOwner } from '../desired/topology-metadata.ts';
import { isShimReference, shimNameOf } from '../names/shim-name.ts';
import type { MetadataQuestion } from '../questions.ts';
import { nothingToDo, type PlannedWrites } from './step.ts';

interface PlannedShim {
  readonly plan: PlannedWrites;
  /** The owner to add to infrastructure cluster and control plane. */
  readonly owner?: OwnerReference;
}

/** The shim is needed while the infrastructure cluster or the control plane does not exist. Then it owns both. */
export function* planShim(cluster: Cluster, current: Current): AskingPlan<MetadataQuestion, PlannedShim> {
  const { name, namespace } = cluster.metadata;
  const { infrastructureCluster, controlPlane } = current;
  if (infrastructureCluster === undefined || controlPlane.object === undefined) {
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: shimNameOf(name) };
    return planNeeded(cluster, ref, yield* ask<MetadataQuestion>('metadata', ref));
  }
  const shim = removableShim(cluster, [infrastructureCluster, controlPlane.object]);
  if (shim === undefined) {
    return { plan: nothingToDo };
  }
  const ref = { apiVersion: shim.apiVersion, kind: shim.kind, namespace, name: shim.name };
  return { plan: planRemoval(ref, shim.uid, yield* ask<MetadataQuestion>('metadata', ref)) };
}

/**
 * Returns the shim if the Cluster owns both objects. Each pass reads the deleted shim once more until the garbage collector
 * has removed the owner references.
 */
function removableShim({ metadata }: Cluster, objects: readonly Unstructured[]): OwnerReference | undefined {
  const { name } = metadata;
  const owners = objects.map(ownersOf);
  const isOwned = owners.every(list => list.some(owner => owner.kind === 'Cluster' && owner.name === name));
  return isOwned ? owners.flat().find(reference => isShimReference(reference, name)) : undefined;
}

function ownersOf({ metadata }: Unstructured): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

const createId = 'create shim';

function planNeeded(cluster: Cluster, ref: ObjectRef, answer: Answer<ObjectMeta>): PlannedShim {
  const { apiVersion, kind, name } = ref;
  if (!answer.ok) {
    return answer.missing
      ? { plan: createShim(cluster), owner: { apiVersion, kind, name, uid: uidOfNewShim() } }
      : { plan: unreadable(answer.failure.message) };
  }
  const { ownerReferences = [], deletionTimestamp, uid } = answer.value;
  const isOurs = ownerReferences.some(reference => reference.uid === cluster.metadata.uid);
  if (!isOurs || deletionTimestamp !== undefined) {
    // The garbage collector would delete the dependents of this object.
    const why = isOurs ? 'is being deleted' : 'exists already and the Cluster is not its owner; delete or rename it';
    const failure = `failed to create the cluster shim object: ${kind} ${toDisplayName(ref)} ${why}`;
    return { plan: { steps: [], failure } };
  }
  return { plan: nothingToDo, owner: { apiVersion, kind, name, uid } };
}

function unreadable(cause: string): PlannedWrites {
  return { steps: [], failure: `failed to read the cluster shim object: ${cause}` };
}

function createShim(cluster: Cluster): PlannedWrites {
  const { name, namespace, uid } = cluster.metadata;
  const object = {
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
  return reference as string; // True when it is sent, because the kernel inserts the uid of the new Secret.
}

function planRemoval(ref: ObjectRef, uid: string, answer: Answer<ObjectMeta>): PlannedWrites {
  if (!answer.ok) {
    return answer.missing ? nothingToDo : unreadable(answer.failure.message);
  }
  return answer.value.uid === uid
    ? {
        steps: [
          {
            action: { id: 'delete shim', onError: 'continue', do: 'delete', ref, uid },
            toProblem: ({ message }) => `failed to delete the cluster shim object: ${message}`,
          },
        ],
      }
    : nothingToDo;
}

/** Returns the desired state with this owner of infrastructure cluster and control plane. */
export function withOwner(desired: Desired, owner: OwnerReference): Desired {
  const { infrastructureCluster, controlPlane } = desired;
  return {
    ...desired,
    infrastructureCluster: owned(infrastructureCluster, owner),
    controlPlane: { ...controlPlane, object: owned(controlPlane.object, owner) },
  };
}

/** Replaces a reference to a shim that no longer exists. */
function owned(object: Intent, owner: OwnerReference): Intent {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const others = ownerReferences.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name);
  return { ...object, metadata: { ...metadata, ownerReferences: [...others, owner] } };
}
