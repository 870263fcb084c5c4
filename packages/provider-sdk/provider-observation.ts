// Determines the next step for a provider's object from the object and its Cluster only. This check runs before the
// author's function.

import {
  type Answer,
  type ApiFailure,
  groupOf,
  type ObjectRef,
  type OwnerReference,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import {
  type Condition,
  type ConditionDraft,
  getCondition,
  hasSameStateExceptGeneration,
  pausedAnnotation,
  storedConditions,
} from '@capi-serverless/cluster-api/conditions';
import {
  type Found,
  readBoolean,
  readFailureMessage,
  readFailureReason,
  readList,
  valueOr,
} from '@capi-serverless/cluster-api/contract';
import type { Stop } from '@capi-serverless/reconciler';
import type { ProviderRole, Waiting } from './role.ts';

const managedByAnnotation = 'cluster.x-k8s.io/managed-by';
const clusterGroup = 'cluster.x-k8s.io';
const clusterApiVersion = 'cluster.x-k8s.io/v1beta2';

/** `paused` is the Paused condition to set. */
export type ProviderObservation =
  | { readonly step: 'unreadable'; readonly failure: ApiFailure }
  /** The object was deleted before the author's function ran. Only the finalizer must be removed. */
  | { readonly step: 'release' }
  | { readonly step: 'adopt' }
  /** The object is paused, or the condition Paused=False must be stored first. */
  | { readonly step: 'pause'; readonly paused: ConditionDraft }
  | { readonly step: 'terminal'; readonly paused: ConditionDraft }
  | { readonly step: 'wait'; readonly paused: ConditionDraft; readonly waiting: Waiting }
  | { readonly step: 'normal'; readonly paused: ConditionDraft; readonly cluster: Unstructured }
  | { readonly step: 'delete'; readonly paused: ConditionDraft; readonly cluster: Unstructured | undefined };

/** `undefined` means that the pass continues. Uses no reads. */
export function toStop(object: Unstructured, role: Pick<ProviderRole, 'finalizer' | 'kind'>): Stop | undefined {
  if (object.metadata.annotations?.[managedByAnnotation] !== undefined) {
    return { stop: `annotation ${managedByAnnotation} says that another controller manages it` };
  }
  if (isDeleting(object)) {
    return hasFinalizer(object, role)
      ? undefined
      : { stop: 'being deleted, and no finalizer of this provider holds it' };
  }
  return ownerOf(object) === undefined
    ? { stop: `Waiting for Cluster Controller to set OwnerRef on ${role.kind}` }
    : undefined;
}

/** Returns the Cluster that owns the object: the first owner of this kind, in any version. */
export function ownerRefOf(object: Unstructured): ObjectRef | undefined {
  const owner = ownerOf(object);
  return owner && { ...toRef(object), apiVersion: clusterApiVersion, kind: 'Cluster', name: owner.name };
}

/** `owner` is the result of reading the owning Cluster. `undefined` without an owner reference. */
export function toObservation(
  object: Unstructured,
  owner: Answer<Unstructured> | undefined,
  role: ProviderRole,
): ProviderObservation {
  if (owner === undefined) {
    return { step: 'release' };
  }
  const deleting = isDeleting(object);
  if (!owner.ok && !(owner.missing && deleting)) {
    return { step: 'unreadable', failure: owner.failure };
  }
  const cluster = owner.ok ? owner.value : undefined;
  if (cluster === undefined && !wasHandedOver(object)) {
    return { step: 'release' };
  }
  if (!deleting && !hasFinalizer(object, role)) {
    return { step: 'adopt' };
  }
  const paused = toPausedCondition(object, cluster);
  if (paused.status === 'True' || !isStored(object, paused)) {
    return { step: 'pause', paused };
  }
  if (deleting || cluster === undefined) {
    return { step: 'delete', paused, cluster };
  }
  if (isFilled(readFailureReason(object)) || isFilled(readFailureMessage(object))) {
    return { step: 'terminal', paused };
  }
  const waiting = role.waits(cluster);
  return waiting === undefined ? { step: 'normal', paused, cluster } : { step: 'wait', paused, waiting };
}

/** Returns the `Paused` condition to set. A deleted Cluster does not pause the object. */
function toPausedCondition(object: Unstructured, cluster: Unstructured | undefined): ConditionDraft {
  const byCluster = cluster !== undefined && valueOr(readBoolean(cluster, 'spec.paused'), false);
  const byAnnotation = object.metadata.annotations?.[pausedAnnotation] !== undefined;
  const reasons = [
    ...(byCluster ? ['Cluster spec.paused is set to true'] : []),
    ...(byAnnotation ? [`${object.kind} has the ${pausedAnnotation} annotation`] : []),
  ];
  return reasons.length === 0
    ? { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' }
    : { type: 'Paused', status: 'True', reason: 'Paused', message: reasons.join(', ') };
}

export function conditionsOf(object: Unstructured): readonly Condition[] {
  return storedConditions(valueOr(readList(object, 'status.conditions'), []));
}

function ownerOf(object: Unstructured): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'Cluster' && groupOf(apiVersion) === clusterGroup,
  );
}

function isDeleting(object: Unstructured): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

function hasFinalizer(object: Unstructured, role: Pick<ProviderRole, 'finalizer'>): boolean {
  return object.metadata.finalizers?.includes(role.finalizer) === true;
}

/**
 * Returns true if the author's function may have created resources for this object. Each outcome sets `Ready`. Partial
 * creations that were never provisioned must also be deleted.
 */
function wasHandedOver(object: Unstructured): boolean {
  return getCondition(conditionsOf(object), 'Ready') !== undefined;
}

function isStored(object: Unstructured, draft: ConditionDraft): boolean {
  const stored = getCondition(conditionsOf(object), draft.type);
  return stored !== undefined && hasSameStateExceptGeneration(stored, { message: '', ...draft });
}

function isFilled(found: Found<string>): boolean {
  return found.state !== 'absent' && !(found.state === 'value' && found.value === '');
}
