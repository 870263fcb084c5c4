// What a provider's object calls for, from the object and its Cluster alone: the gate in front of the author's code.
import type { Answer, ApiFailure } from '../api/answer.ts';
import { groupOf, type ObjectRef, type OwnerReference, toRef, type Unstructured } from '../api/object.ts';
import type { Condition, ConditionDraft } from '../conditions/condition.ts';
import { hasSameStateExceptGeneration } from '../conditions/equality.ts';
import { getCondition } from '../conditions/get.ts';
import { storedConditions } from '../conditions/read.ts';
import { readFailureMessage, readFailureReason } from '../contract/infra-cluster.ts';
import { type Found, readBoolean, readList, valueOr } from '../contract/path.ts';
import type { Stop } from '../kernel/types.ts';
import type { Role, Waiting } from './role.ts';

const managedByAnnotation = 'cluster.x-k8s.io/managed-by';
const pausedAnnotation = 'cluster.x-k8s.io/paused';
const clusterGroup = 'cluster.x-k8s.io';
const clusterApiVersion = 'cluster.x-k8s.io/v1beta2';

/** `paused`: what the Paused condition must say now. */
export type Situation =
  | { readonly step: 'unreadable'; readonly failure: ApiFailure }
  /** Being deleted before the author's code ever ran: only the finalizer is in the way. */
  | { readonly step: 'release' }
  | { readonly step: 'adopt' }
  /** Paused, or the condition that says it is not must be stored before anything else happens. */
  | { readonly step: 'pause'; readonly paused: ConditionDraft }
  | { readonly step: 'terminal'; readonly paused: ConditionDraft }
  | { readonly step: 'wait'; readonly paused: ConditionDraft; readonly waiting: Waiting }
  | { readonly step: 'normal'; readonly paused: ConditionDraft; readonly cluster: Unstructured }
  | { readonly step: 'delete'; readonly paused: ConditionDraft; readonly cluster: Unstructured | undefined };

/** `undefined`: go on. Decided without reading anything. */
export function toStop(object: Unstructured, role: Pick<Role, 'finalizer' | 'kind'>): Stop | undefined {
  if (object.metadata.annotations?.[managedByAnnotation] !== undefined) {
    return { stop: `annotation ${managedByAnnotation} says that somebody else manages it` };
  }
  if (isDeleting(object)) {
    return hasFinalizer(object, role) ? undefined : { stop: 'being deleted, and nothing of ours holds it' };
  }
  return ownerOf(object) === undefined
    ? { stop: `Waiting for Cluster Controller to set OwnerRef on ${role.kind}` }
    : undefined;
}

/** The Cluster that owns the object: its first owner of that kind, whatever the version. */
export function ownerRefOf(object: Unstructured): ObjectRef | undefined {
  const owner = ownerOf(object);
  return owner && { ...toRef(object), apiVersion: clusterApiVersion, kind: 'Cluster', name: owner.name };
}

/** `owner`: what reading the owning Cluster answered; `undefined` without an owner reference. */
export function toSituation(object: Unstructured, owner: Answer<Unstructured> | undefined, role: Role): Situation {
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

/** What `Paused` must say. A Cluster that is gone pauses nothing. */
export function toPausedCondition(object: Unstructured, cluster: Unstructured | undefined): ConditionDraft {
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

function hasFinalizer(object: Unstructured, role: Pick<Role, 'finalizer'>): boolean {
  return object.metadata.finalizers?.includes(role.finalizer) === true;
}

/**
 * The author's code may have made something for this object: each of its outcomes leaves `Ready` behind. What was
 * half-made and never provisioned must be cleaned up too.
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
