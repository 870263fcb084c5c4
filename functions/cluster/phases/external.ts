// Marking the infrastructure and control plane objects as the Cluster's, and what both have in common once marked.

import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { toDisplayName, toRef, type Unstructured } from '../../../shared/api/object.ts';
import type { V1Beta1Fallback } from '../../../shared/conditions/v1beta1.ts';
import { type Endpoint, isValidEndpoint, readEndpoint, zeroEndpoint } from '../../../shared/contract/endpoint.ts';
import { readFailureMessage, readFailureReason } from '../../../shared/contract/infra-cluster.ts';
import { decideOwnership } from '../../../shared/contract/owner-references.ts';
import { type Found, valueOr } from '../../../shared/contract/path.ts';
import type { Action, Outcomes } from '../../../shared/kernel/types.ts';
import type { External } from '../seen.ts';
import { isDeleting } from './gate.ts';
import { failureOf } from './outcomes.ts';
import {
  type Failure,
  type InScope,
  type PhaseContext,
  type Progress,
  type Scoped,
  withError,
  withRequeue,
} from './scope.ts';

/** How long a Cluster waits before it looks again for an object that nobody has created yet. */
const externalMissingRequeueMs = 30_000;

export type Role = 'infrastructure' | 'controlPlane';

/** How messages name the provider of each object. */
const providerNames: Readonly<Record<Role, string>> = {
  infrastructure: 'infrastructure provider',
  controlPlane: 'control plane provider',
};

interface Given {
  readonly cluster: Cluster;
  readonly outcomes: Outcomes;
}

export function ownActionId(role: Role): string {
  return `own:${role}`;
}

/** The write that makes the object this Cluster's, if one is needed and allowed. */
export function ownAction(role: Role, external: External, cluster: Cluster): readonly Action[] {
  if (external.state !== 'found') {
    return [];
  }
  const ownership = decideOwnership(external.object, toOwner(cluster));
  if (ownership.state !== 'change') {
    return [];
  }
  const { resourceVersion } = external.object.metadata;
  return [
    {
      id: ownActionId(role),
      onError: 'continue',
      do: 'patch',
      ref: toRef(external.object),
      body: ownership.patch,
      resourceVersion,
    },
  ];
}

/** An object is worked with only once it is marked as this Cluster's and its failure fields can be read. */
export function toScoped(role: Role, external: External, given: Given): Scoped {
  switch (external.state) {
    case 'undefined':
    case 'missing':
      return external;
    case 'unreadable':
      return { state: 'unknown', ref: external.ref, error: external.error };
    case 'found': {
      const error = ownershipError(role, external.object, given) ?? failureFieldsError(external.object);
      return error === undefined ? { ...external, state: 'inScope' } : { state: 'unknown', ref: external.ref, error };
    }
  }
}

/** The Cluster's failure fields after looking at the object; the object's own win. */
export function mergeFailure(before: Failure, { object }: InScope): Failure {
  const reason = readFailureReason(object);
  const message = readFailureMessage(object);
  return {
    ...before,
    ...(isFilled(reason) ? { failureReason: reason.value } : {}),
    ...(isFilled(message) ? { failureMessage: `${failurePrefix(object)}: ${message.value}` } : {}),
  };
}

/** The Cluster's endpoint after looking at the object: a valid one stays, otherwise what the object reports, or nothing. */
export function takeEndpoint(
  role: Role,
  { object }: InScope,
  { cluster, before }: { readonly cluster: Cluster; readonly before: Endpoint },
): Checked<Endpoint> {
  if (isValidEndpoint(before)) {
    return valid(before);
  }
  const found = readEndpoint(object);
  return found.state === 'wrongType'
    ? invalid(retrievalError('spec.controlPlaneEndpoint', role, { cluster, error: found.error }))
    : valid(valueOr(found, zeroEndpoint));
}

/** A missing object is awaited, unless it had been there before or nobody needs it any more. */
export function withMissing(
  { seen }: PhaseContext,
  progress: Progress,
  { kind, achieved }: { readonly kind: string; readonly achieved: string | undefined },
): Progress {
  if (isDeleting(seen.cluster)) {
    return progress;
  }
  return achieved === undefined
    ? withRequeue(progress, externalMissingRequeueMs)
    : withError(progress, `${kind} has been deleted after being ${achieved}`);
}

/** What the deprecated ready conditions say of an object that does not report `Ready`. */
export function readyFallback(cluster: Cluster, isReady: boolean, waitingReason: string): V1Beta1Fallback {
  if (isDeleting(cluster)) {
    return { value: false, reason: 'Deleting', severity: 'Info' };
  }
  return isReady ? { value: true } : { value: false, reason: waitingReason, severity: 'Info' };
}

export function retrievalError(
  path: string,
  role: Role,
  { cluster, error }: { readonly cluster: Cluster; readonly error: string },
): string {
  const { name, namespace } = cluster.metadata;
  return `failed to retrieve ${path} from ${providerNames[role]} for Cluster "${name}" in namespace "${namespace}": ${error}`;
}

function toOwner({ metadata, spec }: Cluster) {
  return { name: metadata.name, uid: metadata.uid, hasTopology: spec.topology.isDefined };
}

function ownershipError(role: Role, object: Unstructured, { cluster, outcomes }: Given): string | undefined {
  const ownership = decideOwnership(object, toOwner(cluster));
  if (ownership.state === 'refused') {
    return ownership.error;
  }
  const failure = failureOf(outcomes, ownActionId(role));
  return failure === undefined ? undefined : patchError(object, failure.message);
}

/** Worded as upstream words a refused patch of an object's metadata or spec. */
export function patchError(object: Unstructured, message: string): string {
  return `failed to patch ${object.kind} ${toDisplayName(object.metadata)}: failed to patch spec and metadata: ${message}`;
}

function failureFieldsError(object: Unstructured): string | undefined {
  const fields = { failureReason: readFailureReason(object), failureMessage: readFailureMessage(object) };
  for (const [field, found] of Object.entries(fields)) {
    if (found.state === 'wrongType') {
      return `failed to determine ${field} on ${describe(object)} "${object.metadata.name}": ${found.error}`;
    }
  }
  return undefined;
}

function isFilled(found: Found<string>): found is { readonly state: 'value'; readonly value: string } {
  return found.state === 'value' && found.value !== '';
}

function failurePrefix(object: Unstructured): string {
  return `Failure detected from referenced resource ${describe(object)} with name "${object.metadata.name}"`;
}

function describe({ apiVersion, kind }: Unstructured): string {
  return `${apiVersion}, Kind=${kind}`;
}
