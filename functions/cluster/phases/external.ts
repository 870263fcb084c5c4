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
import { concluded, isDeleting, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { failureOfObject, type InScope } from '../../../shared/external/external.ts';
import { ownActionId } from '../../../shared/external/object-owner.ts';
import { type EndpointOffer, type PlannedEndpoint, takeEndpoint } from './endpoint.ts';
import type { ExternalRole, PlannedOwnership } from './ownership.ts';
import type { ClusterPassChange, ClusterPhase } from './pass-progress.ts';

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
  withoutObject(cluster: Cluster): ClusterPassChange;
  /** Further deprecated conditions. They are written only while the object is not being deleted. */
  conditions(cluster: Cluster, isAchieved: boolean): readonly V1Beta1Draft[];
  /** Further fields that are read when the object becomes provisioned or initialized. An error prevents this change. */
  take(external: InScope, cluster: Cluster): Checked<ClusterPassChange>;
}

interface Referring {
  readonly cluster: Cluster;
  readonly endpoint: PlannedEndpoint;
}

/** Returns the phase with these rules. */
export function externalPhase(
  rules: ExternalRules,
  { role, scoped, error, actions, needs }: PlannedOwnership,
  { cluster, endpoint }: Referring,
): ClusterPhase {
  switch (scoped.state) {
    case 'undefined':
      return concluded(rules.withoutObject(cluster));
    case 'missing':
      return concluded(whenMissing(rules, scoped.ref.kind, cluster));
    case 'unknown':
      return { actions, steps: [{ change: { errors: [error] }, needs }] };
    case 'inScope': {
      const first = { change: changeOf(rules, scoped, cluster), needs };
      const taken = {
        change: (outcomes: Outcomes) => {
          const problem = takeEndpoint(endpoint, outcomes).errors[role];
          return problem === undefined ? achieve(rules, scoped, cluster) : { errors: [problem] };
        },
        needs: [{ id: ownActionId(role), problem: undefined }],
      };
      return { actions, steps: isAchieved(rules, scoped, cluster) ? [first, taken] : [first] };
    }
  }
}

/** Returns the endpoint of an object whose values are used. */
export function offerOf(
  rules: ExternalRules,
  { role, scoped }: PlannedOwnership,
  cluster: Cluster,
): readonly EndpointOffer[] {
  return scoped.state === 'inScope' && isAchieved(rules, scoped, cluster)
    ? [{ role, endpoint: readOffer(role, scoped.object, cluster) }]
    : [];
}

/** Whether the object is provisioned or initialized, or was so in an earlier pass. */
function isAchieved(rules: ExternalRules, { object, contract }: InScope, cluster: Cluster): boolean {
  const found = rules.readAchieved(object, contract);
  return (
    found.state !== 'wrongType' &&
    object.metadata.deletionTimestamp === undefined &&
    (valueOr(found, false) || cluster.status.initialization[rules.field])
  );
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
function whenMissing({ field, achievement }: ExternalRules, kind: string, cluster: Cluster): ClusterPassChange {
  if (isDeleting(cluster)) {
    return {};
  }
  return cluster.status.initialization[field]
    ? { errors: [`${kind} has been deleted after being ${achievement}`] }
    : { requeues: [externalMissingRequeueMs] };
}

/** The failure fields and the deprecated conditions. */
function changeOf(rules: ExternalRules, { object, contract }: InScope, cluster: Cluster): ClusterPassChange {
  const failure = failureOfObject(object);
  const found = rules.readAchieved(object, contract);
  if (found.state === 'wrongType') {
    return { failure, errors: [found.error] };
  }
  const isReady = valueOr(found, false);
  const fallback = readyFallback(cluster, isReady, rules.ready.waitingReason);
  const ready = mirrorV1Beta1Ready(readV1Beta1Conditions(object), rules.ready.type, fallback);
  const others = object.metadata.deletionTimestamp === undefined ? rules.conditions(cluster, isReady) : [];
  return { failure, v1beta1: [ready, ...others] };
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
function achieve(rules: ExternalRules, external: InScope, cluster: Cluster): ClusterPassChange {
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
