// The requests for external remediations of one pass: created for unhealthy Machines, deleted for healthy ones. Pure.
import {
  groupOf,
  type Intent,
  type ObjectRef,
  type PartialObject,
  toRef,
  type Unstructured,
  versionOf,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf, type Outcomes } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { MachineHealthCheck, RemediationTemplateRef } from '../../../shared/api/machine-health-check/reader.ts';
import { objectFromTemplate } from '../../../shared/external/object-from-template.ts';
import type { ExternalRemediation, ObservedRequest } from '../seen.ts';
import type { RequestState } from './machine-conditions.ts';

interface NeededAction {
  readonly id: string;
  readonly problem: string;
}

interface RequestPlan {
  readonly actions: readonly Action[];
  readonly needed: readonly NeededAction[];
  readonly errors: readonly string[];
  /** `undefined` if the state of the request is not known. */
  readonly stateOf: (outcomes: Outcomes) => RequestState | undefined;
}

export function createRequestId(machine: string): string {
  return `request:create:${machine}`;
}

export function planRequest(
  machine: WholeMachine,
  check: MachineHealthCheck,
  external: ExternalRemediation,
): RequestPlan {
  const ref = check.spec.remediation.templateRef;
  const request = requestOf(machine, external);
  const { template } = external;
  if (request.state === 'unreadable') {
    return unchanged(undefined, [readProblem(machine, request.error)]);
  }
  if (request.state === 'found' || template.state === 'notRead') {
    return unchanged({ state: 'exists' }, []);
  }
  if (template.state === 'unreadable') {
    const of = `${gvkOf(ref, ref.kind)} "${ref.name}" for ${inCluster(machine)}`;
    const state = { state: 'noTemplate', template: `${ref.kind} ${machine.metadata.namespace}/${ref.name}` } as const;
    return unchanged(state, [`error retrieving remediation template ${of}: ${template.error}`]);
  }
  const id = createRequestId(machine.metadata.name);
  return {
    actions: [
      {
        id,
        onError: 'continue',
        do: 'create',
        object: toRequest(machine, template.object),
        ours: existing => isRequestOf(existing, machine),
      },
    ],
    needed: [{ id, problem: `error creating remediation request for ${inCluster(machine)}` }],
    errors: [],
    stateOf: outcomes => ({ state: failureOf(outcomes, id) === undefined ? 'created' : 'refused' }),
  };
}

function unchanged(state: RequestState | undefined, errors: readonly string[]): RequestPlan {
  return { actions: [], needed: [], errors, stateOf: () => state };
}

interface DeletedRequest {
  readonly actions: readonly Action[];
  readonly needed: readonly NeededAction[];
  readonly errors: readonly string[];
  /** Whether the Machine is reported as healthy. */
  readonly isPatched: boolean;
  readonly isDone: (outcomes: Outcomes) => boolean;
}

const always = (): boolean => true;

/** As in upstream, the creator of the request is not checked. */
export function planDeletedRequest(machine: WholeMachine, external: ExternalRemediation): DeletedRequest {
  const request = requestOf(machine, external);
  switch (request.state) {
    case 'missing':
      return { actions: [], needed: [], errors: [], isPatched: false, isDone: always };
    case 'unreadable':
      return {
        actions: [],
        needed: [],
        errors: [readProblem(machine, request.error)],
        isPatched: false,
        isDone: always,
      };
    case 'found':
      return deleteRequest(machine, request);
  }
}

function deleteRequest(
  machine: WholeMachine,
  { object }: Extract<ObservedRequest, { readonly state: 'found' }>,
): DeletedRequest {
  if (object.metadata.deletionTimestamp !== undefined) {
    return { actions: [], needed: [], errors: [], isPatched: true, isDone: always };
  }
  const { name, uid } = object.metadata;
  const id = `request:delete:${name}`;
  const problem = `failed to delete ${gvkOf(object, object.kind)} "${name}" for Machine "${machine.metadata.name}"`;
  return {
    actions: [{ id, onError: 'continue', do: 'delete', ref: toRef(object), uid }],
    needed: [{ id, problem }],
    errors: [],
    isPatched: true,
    isDone: outcomes => failureOf(outcomes, id) === undefined,
  };
}

function requestOf(machine: WholeMachine, external: ExternalRemediation): ObservedRequest {
  return external.requests.get(machine.metadata.name) ?? { state: 'missing' };
}

function readProblem(machine: WholeMachine, error: string): string {
  return `failed to fetch remediation request for ${inCluster(machine)}: failed to retrieve external remediation request object: ${error}`;
}

function inCluster({ metadata, spec }: WholeMachine): string {
  return `machine "${metadata.name}" in namespace "${metadata.namespace}" within cluster "${spec.clusterName}"`;
}

/** The form in which Go prints a kind. */
function gvkOf({ apiVersion }: Pick<RemediationTemplateRef, 'apiVersion'>, kind: string): string {
  return `${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind}`;
}

export type RequestKind = Pick<ObjectRef, 'apiVersion' | 'kind'>;

/** As in upstream, the version of the reference is used. No contract determines it. */
export function requestKindOf({ apiVersion, kind }: RemediationTemplateRef): RequestKind {
  return { apiVersion, kind: kind.replace(/Template$/, '') };
}

/**
 * The object that asks an external controller to remediate a Machine: a copy of the template. Its name is that of the
 * Machine, so there is at most one request per Machine and kind.
 */
export function toRequest({ metadata, spec }: WholeMachine, template: Unstructured): Intent {
  const { name, namespace, uid } = metadata;
  return objectFromTemplate(template, {
    name,
    namespace,
    labels: { [clusterNameLabel]: spec.clusterName },
    annotations: {},
    owner: { apiVersion: clusterApiVersion, kind: 'Machine', name, uid },
  });
}

/** An object of the same name that was created for another Machine is not taken for the request of this one. */
export function isRequestOf({ metadata }: PartialObject, machine: WholeMachine): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === machine.metadata.uid);
}
