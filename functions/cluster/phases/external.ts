// The common part of the infrastructure phase and the control plane phase. Both read provisioned or initialized, the
// endpoint and the failure fields from the referenced object. Provisioned and initialized are never reset.

import { type Checked, invalid, type Unstructured, valid } from '@capi-serverless/apimachinery';
import {
  mirrorV1Beta1Ready,
  readV1Beta1Conditions,
  type V1Beta1Draft,
  type V1Beta1Fallback,
} from '@capi-serverless/cluster-api/conditions';
import {
  type ContractVersion,
  type ControlPlaneEndpoint,
  type Found,
  readEndpoint,
  valueOr,
  zeroEndpoint,
} from '@capi-serverless/cluster-api/contract';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { failureOfObject, type InScope } from '../../../shared/external/external.ts';
import { isDeleting } from './gate.ts';
import type { OwnershipPlan } from './ownership.ts';
import type { ExternalRole } from './scope.ts';
import { always, failedStep, type PhaseChange, type PhaseStep } from './step.ts';

/** The time until the next reconcile if the referenced object does not exist yet. */
const externalMissingRequeueMs = 30_000;

/** The provider names in messages. */
const providerNames: Readonly<Record<ExternalRole, string>> = {
  infrastructure: 'infrastructure provider',
  controlPlane: 'control plane provider',
};

/** The differences between the two phases. */
export interface ExternalRules {
  /** The field of the Cluster status that stores provisioned or initialized. */
  readonly field: 'infrastructureProvisioned' | 'controlPlaneInitialized';
  /** The word for this field in the error about a missing object. */
  readonly achievement: string;
  readonly readAchieved: (object: Unstructured, contract: ContractVersion) => Found<boolean>;
  /** The deprecated condition that mirrors Ready of the object, and its reason while the object reports none. */
  readonly ready: { readonly type: string; readonly waitingReason: string };
  /** The event when the field becomes true. */
  readonly event: { readonly reason: string; readonly subject: string };
  /** The change if the Cluster has no reference to this object. */
  withoutObject(cluster: Cluster): PhaseChange;
  /** Further deprecated conditions. They are written only while the object is not being deleted. */
  conditions(cluster: Cluster, isAchieved: boolean): readonly V1Beta1Draft[];
  /** Further fields that are read when the object becomes provisioned or initialized. An error prevents this change. */
  take(external: InScope, cluster: Cluster): Checked<PhaseChange>;
}

/** Returns the step of the phase with these rules. */
export function externalStep(rules: ExternalRules, ownership: OwnershipPlan, cluster: Cluster): PhaseStep {
  const { role, scoped, error, needs } = ownership;
  switch (scoped.state) {
    case 'undefined':
      return always(rules.withoutObject(cluster));
    case 'missing':
      return missingStep(rules, scoped.ref.kind, cluster);
    case 'unknown':
      return { ...failedStep(error), needs };
    case 'inScope':
      return { ...objectStep({ rules, role, cluster }, scoped), needs };
  }
}

/** The message has upstream's wording for an unreadable field. */
export function retrievalError(
  path: string,
  role: ExternalRole,
  { cluster, error }: { readonly cluster: Cluster; readonly error: string },
): string {
  const { name, namespace } = cluster.metadata;
  return `failed to retrieve ${path} from ${providerNames[role]} for Cluster "${name}" in namespace "${namespace}": ${error}`;
}

/** The phase waits for a missing object, unless the object existed before or the Cluster is being deleted. */
function missingStep({ field, achievement }: ExternalRules, kind: string, cluster: Cluster): PhaseStep {
  if (isDeleting(cluster)) {
    return always({});
  }
  return cluster.status.initialization[field]
    ? failedStep(`${kind} has been deleted after being ${achievement}`)
    : always({ requeues: [externalMissingRequeueMs] });
}

interface Given {
  readonly rules: ExternalRules;
  readonly role: ExternalRole;
  readonly cluster: Cluster;
}

function objectStep(given: Given, external: InScope): PhaseStep {
  const { rules, role, cluster } = given;
  const { object, contract } = external;
  const failure = failureOfObject(object);
  const found = rules.readAchieved(object, contract);
  if (found.state === 'wrongType') {
    return always({ failure, errors: [found.error] });
  }
  const isAchieved = valueOr(found, false);
  const fallback = readyFallback(cluster, isAchieved, rules.ready.waitingReason);
  const ready = mirrorV1Beta1Ready(readV1Beta1Conditions(object), rules.ready.type, fallback);
  if (object.metadata.deletionTimestamp !== undefined) {
    return always({ failure, v1beta1: [ready] });
  }
  const change = { failure, v1beta1: [ready, ...rules.conditions(cluster, isAchieved)] };
  if (!isAchieved && !cluster.status.initialization[rules.field]) {
    return always(change);
  }
  return { change, offer: { role, endpoint: readOffer(role, object, cluster), change: achieve(given, external) } };
}

/** The deprecated ready conditions if the object does not report `Ready`. */
function readyFallback(cluster: Cluster, isReady: boolean, waitingReason: string): V1Beta1Fallback {
  if (isDeleting(cluster)) {
    return { value: false, reason: 'Deleting', severity: 'Info' };
  }
  return isReady ? { value: true } : { value: false, reason: waitingReason, severity: 'Info' };
}

function readOffer(role: ExternalRole, object: Unstructured, cluster: Cluster): Checked<ControlPlaneEndpoint> {
  const found = readEndpoint(object);
  return found.state === 'wrongType'
    ? invalid(retrievalError('spec.controlPlaneEndpoint', role, { cluster, error: found.error }))
    : valid(valueOr(found, zeroEndpoint));
}

/** The event is recorded once, because later passes find the value in the stored status. */
function achieve({ rules, cluster }: Given, external: InScope): PhaseChange {
  const taken = rules.take(external, cluster);
  if (!taken.ok) {
    return { errors: [taken.error] };
  }
  const { field, event } = rules;
  const message = `Cluster ${cluster.metadata.name} ${event.subject} is now True`;
  const isNew = !cluster.status.initialization[field];
  return {
    ...taken.value,
    [field]: true,
    events: isNew ? [{ type: 'Normal', reason: event.reason, message }] : [],
  };
}
