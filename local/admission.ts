// The rules of Cluster API's webhooks, for an API server without webhooks.

import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import {
  type AdmissionReads,
  type AdmissionRequest,
  type Admit,
  type Mutate,
  type ObjectDraft,
  StatusError,
} from '@capi-serverless/apiserver/core';
import { admitCluster } from '../shared/admission/cluster.ts';
import {
  type AdmissionGates,
  denialOfClass,
  forbidsClassDeletion,
  usesClass,
} from '../shared/admission/cluster-class.ts';
import {
  type DenialStatus,
  denialStatus,
  forbiddenStatus,
  invalidStatus,
  undeletableStatus,
} from '../shared/admission/denial-status.ts';
import { defaultExtensionConfig, denialOfExtensionConfig } from '../shared/admission/extension-config.ts';
import { type HookKind, hookName } from '../shared/admission/hooks.ts';
import { rulesOf } from '../shared/admission/kinds/core-rules.ts';
import { claimNameOf, ipamApiVersion } from '../shared/admission/kinds/ip-address.ts';
import type { CheckedWrite, Denial, FoundClaim, RuleGates } from '../shared/admission/kinds/kind-rules.ts';
import { textAt } from '../shared/admission/kinds/object-fields.ts';
import { clusterApiVersion, clusterGroup } from '../shared/api/cluster/reader.ts';
import { extensionConfigKind, runtimeGroup } from '../shared/api/extension-config/kind.ts';
import { dryRunAnnotation } from '../shared/topology/model/keys.ts';
import { clusterLookups } from './admission-of-clusters.ts';

/** The feature gates of a local run. Gates that upstream disables by default are enabled. */
export const localAdmissionGates: LocalGates = {
  clusterTopology: true,
  runtimeSdk: true,
  taintPropagation: true,
  machinePool: true,
  machineSetPreflightChecks: true,
};

type LocalGates = AdmissionGates & RuleGates;

/** Both functions throw the error that the API server returns when a webhook denies a write. */
export function createAdmission(gates: LocalGates): { readonly mutate: Mutate; readonly admit: Admit } {
  return {
    mutate: request => (isWithoutRules(request) ? undefined : setDefaults(request, gates)),
    admit: (request, reads) => (isAskedByTopology(request) ? undefined : admit(request, reads, gates)),
  };
}

function admit(request: AdmissionRequest, reads: AdmissionReads, gates: LocalGates): ObjectDraft | undefined {
  const { resource } = request;
  if (resource.group === clusterGroup && resource.kind === 'ClusterClass') {
    decide(request, reads, gates);
  }
  if (resource.group === clusterGroup && resource.kind === 'Cluster') {
    return decideCluster(request, reads, gates);
  }
  if (resource.group === runtimeGroup && resource.kind === extensionConfigKind.kind) {
    return decideExtension(request, gates);
  }
  if (!isWithoutRules(request)) {
    refuseByRules(request, reads, gates);
  }
  return undefined;
}

/**
 * Deletions have no rules. An object that is being deleted may lose its finalizers although it is no longer valid, for
 * example because a gate was disabled.
 */
function isWithoutRules(request: AdmissionRequest): boolean {
  return request.operation === 'DELETE' || request.object.metadata.deletionTimestamp !== undefined;
}

function changeOf(request: AdmissionRequest, gates: RuleGates): CheckedWrite {
  const old = request.operation === 'CREATE' ? undefined : request.old;
  return { object: request.operation === 'DELETE' ? {} : request.object, old, gates };
}

function setDefaults(request: AdmissionRequest, gates: RuleGates): ObjectDraft | undefined {
  const defaulted = rulesOf(request.resource)?.defaults?.(changeOf(request, gates));
  if (defaulted?.ok === false) {
    throw deny(request.resource, forbiddenStatus(defaulted.error), 'mutate');
  }
  // True: defaults keep the other fields.
  return defaulted?.value as ObjectDraft | undefined;
}

function refuseByRules(request: AdmissionRequest, reads: AdmissionReads, gates: RuleGates): void {
  const { resource } = request;
  const change = changeOf(request, gates);
  refuse(request, rulesOf(resource)?.denialOf({ ...change, claim: claimOf(change.object, reads) }));
}

function claimOf(object: JsonObject, reads: AdmissionReads): FoundClaim {
  const name = claimNameOf(object);
  const namespace = textAt(object, 'metadata.namespace');
  const claim =
    name === ''
      ? undefined
      : reads
          .list(ipamApiVersion, 'IPAddressClaim')
          .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return claim === undefined ? 'absent' : { object: claim };
}

/**
 * The topology reconciler sends dry runs to compare objects. These dry runs are admitted even if they change immutable
 * fields.
 */
function isAskedByTopology(request: AdmissionRequest): boolean {
  return (
    request.dryRun &&
    request.operation === 'UPDATE' &&
    Object.hasOwn(request.object.metadata.annotations ?? {}, dryRunAnnotation)
  );
}

/** Applies the defaults to the object. */
function decideExtension(request: AdmissionRequest, gates: AdmissionGates): ObjectDraft | undefined {
  if (request.operation === 'DELETE') {
    return undefined;
  }
  const object = defaultExtensionConfig(request.object);
  // True: an admitted draft has a name. Other fields that the server sets are not read here.
  refuse(request, denialOfExtensionConfig(object as Unstructured, gates));
  return object;
}

/** Applies the defaults to the object. */
function decideCluster(
  request: AdmissionRequest,
  reads: AdmissionReads,
  gates: AdmissionGates,
): ObjectDraft | undefined {
  if (request.operation === 'DELETE') {
    return undefined;
  }
  const verdict = admitCluster({
    // True: an admitted draft has a name. Other fields that the server sets are not read here.
    cluster: request.object as Unstructured,
    old: request.operation === 'CREATE' ? undefined : request.old,
    gates,
    ...clusterLookups(reads),
  });
  for (const text of verdict.warnings) {
    reads.warn(text);
  }
  if (verdict.admitted) {
    return verdict.cluster;
  }
  const status = invalidStatus(deniedObject(request), verdict.errors);
  throw deny(request.resource, status, verdict.by === 'default' ? 'mutate' : 'validate');
}

function decide(request: AdmissionRequest, reads: AdmissionReads, gates: AdmissionGates): void {
  const old = request.operation === 'CREATE' ? undefined : request.old;
  const usedBy = old === undefined ? [] : clustersOf(old, reads);
  if (request.operation === 'DELETE') {
    refuseDeletion(request, forbidsClassDeletion(usedBy));
    return;
  }
  refuse(request, denialOfClass({ old, new: request.object, usedBy, gates }));
}

function refuse(request: AdmissionRequest, denial: Denial | undefined): void {
  if (denial !== undefined) {
    throw deny(request.resource, denialStatus(deniedObject(request), denial), 'validate');
  }
}

const deniedObject = ({ resource: { group, kind }, name }: AdmissionRequest) => ({ group, kind, name });

function clustersOf(of: Unstructured, reads: AdmissionReads): readonly Unstructured[] {
  const { name, namespace = '' } = of.metadata;
  return reads.list(clusterApiVersion, 'Cluster').filter(cluster => usesClass(cluster, { namespace, name }));
}

function refuseDeletion(request: AdmissionRequest, why: string | undefined): void {
  if (why !== undefined) {
    throw deny(request.resource, undeletableStatus(deniedObject(request), why), 'validate');
  }
}

function deny(
  resource: AdmissionRequest['resource'],
  { code, reason = '', message, details }: DenialStatus,
  hook: HookKind,
): StatusError {
  const text = `admission webhook "${hookName(hook, resource)}" denied the request: ${message}`;
  return new StatusError(code, reason, text, details);
}
