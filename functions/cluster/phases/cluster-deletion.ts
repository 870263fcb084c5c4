// The delete phase. It deletes descendants first, then the control plane, then the infrastructure. It removes the
// finalizer last.

import { type PartialObject, toRef } from '@capi-serverless/apimachinery';
import { internalErrorMessage, reasonOf, v1Beta1False } from '@capi-serverless/cluster-api/conditions';
import {
  type Action,
  concluded,
  failureOf,
  isDeleting,
  removeFinalizer,
  removeFinalizerId,
  type Step,
} from '@capi-serverless/reconciler';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import type { InScope, Scoped } from '../../../shared/external/external.ts';
import { ownActionId } from '../../../shared/external/object-owner.ts';
import { byName, listNames } from '../../../shared/machine-collections/listed-names.ts';
import { isOkToDelete } from '../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { isOwnedBy, type KnownDescendants } from './descendants.ts';
import { clusterFinalizer } from './gate.ts';
import { type ExternalRole, specPatchProblem } from './ownership.ts';
import type { ClusterPassChange, ClusterPhase, Deleting } from './pass-progress.ts';
import type { PhaseScope } from './scope.ts';

const descendantsRequeueMs = 5_000;
const namesPerGroup = 5;

/**
 * The state of the deletion: what it waits for, or its next step. `gone` lists the external objects that were deleted.
 */
type ClusterDeletion = { readonly gone: readonly ExternalRole[] } & (
  | { readonly wait: 'hook' }
  /** An object that determines the next step could not be read. */
  | { readonly wait: 'knowledge' }
  | { readonly wait: 'descendants'; readonly children: readonly PartialObject[]; readonly message: string }
  | { readonly wait: 'external'; readonly role: ExternalRole; readonly external: InScope }
  | { readonly wait: 'nothing' }
);
type DeletionPlanOf<Wait extends ClusterDeletion['wait']> = Extract<ClusterDeletion, { wait: Wait }>;

const notKnown: Deleting = { reason: 'InternalError', message: internalErrorMessage };

/** The deprecated condition for an external object that no longer exists. */
const readyTypes: Readonly<Record<ExternalRole, string>> = {
  controlPlane: 'ControlPlaneReady',
  infrastructure: 'InfrastructureReady',
};

/** The reason of the Deleting condition while an external object still exists. */
const externalReasons: Readonly<Record<ExternalRole, string>> = {
  controlPlane: 'WaitingForControlPlaneDeletion',
  infrastructure: 'WaitingForInfrastructureDeletion',
};

export function deletionPhase(scope: PhaseScope): ClusterPhase {
  const { cluster } = scope.seen;
  if (!isDeleting(cluster)) {
    return concluded();
  }
  const plan = planDeletion(scope);
  return { actions: deletionActions(plan, cluster), steps: [deletionStep(plan, cluster)] };
}

/** The deletes of this pass, or the removal of the finalizer. */
function deletionActions(plan: ClusterDeletion, cluster: Cluster): readonly Action[] {
  switch (plan.wait) {
    case 'hook':
    case 'knowledge':
      return [];
    case 'descendants':
      return plan.children.filter(object => !isDeleting(object)).map(child => deleteAction(child));
    case 'external':
      return [plan.external.object]
        .filter(object => !isDeleting(object))
        .map(object => ({
          ...deleteAction(object),
          when: outcomes => failureOf(outcomes, ownActionId(plan.role)) === undefined,
        }));
    case 'nothing':
      return removeFinalizer(cluster.object, clusterFinalizer);
  }
}

/** The condition Deleting after this pass, and the errors of failed deletes. */
function deletionStep(plan: ClusterDeletion, cluster: Cluster): Step<ClusterPassChange> {
  const gone = plan.gone.map(role => v1Beta1False(readyTypes[role], { reason: 'Deleted', severity: 'Info' }));
  const failed: ClusterPassChange = { v1beta1: gone, deleting: notKnown };
  const step = stepOf(plan, cluster);
  return { ...step, change: { ...step.change, v1beta1: gone }, otherwise: failed };
}

function stepOf(plan: ClusterDeletion, cluster: Cluster): Step<ClusterPassChange> {
  switch (plan.wait) {
    case 'hook':
      return waiting('WaitingForBeforeDeleteHook', 'Waiting for BeforeClusterDelete hook');
    case 'knowledge':
      return { change: { deleting: notKnown } };
    case 'descendants':
      return childrenStep(plan, cluster);
    case 'external':
      return externalObjectStep(plan, cluster);
    case 'nothing':
      return finalizerStep(cluster);
  }
}

function planDeletion({ seen, descendants, ...scoped }: PhaseScope): ClusterDeletion {
  const { cluster, settings } = seen;
  const isAllowed = isOkToDelete(cluster.metadata.annotations);
  if (settings.honorsDeleteHook && cluster.spec.topology.isDefined && !isAllowed) {
    return { wait: 'hook', gone: [] };
  }
  if (!descendants.known) {
    return { wait: 'knowledge', gone: [] };
  }
  const awaited = descendantGroups(descendants, cluster);
  if (awaited.length > 0) {
    const message = awaited.map(({ title, objects }) => `* ${title}: ${listNames(objects, namesPerGroup)}`).join('\n');
    return { wait: 'descendants', children: childrenOf(descendants, cluster), message, gone: [] };
  }
  return planExternalDeletion(scoped);
}

/** The control plane is deleted before the infrastructure, because the control plane runs on it. */
function planExternalDeletion({
  controlPlane,
  infrastructure,
}: Pick<PhaseScope, 'controlPlane' | 'infrastructure'>): ClusterDeletion {
  const gone: ExternalRole[] = [];
  const inOrder: readonly (readonly [ExternalRole, Scoped])[] = [
    ['controlPlane', controlPlane],
    ['infrastructure', infrastructure],
  ];
  for (const [role, scoped] of inOrder) {
    if (scoped.state === 'unknown') {
      return { wait: 'knowledge', gone };
    }
    if (scoped.state === 'inScope') {
      return { wait: 'external', role, external: scoped, gone };
    }
    if (scoped.state === 'missing') {
      gone.push(role);
    }
  }
  return { wait: 'nothing', gone };
}

/**
 * A control plane object deletes its Machines. Without a control plane object, they are deleted together with the
 * workers.
 */
function standAloneControlPlaneMachines({ controlPlaneMachines }: KnownDescendants, cluster: Cluster) {
  return isDefined(cluster.spec.controlPlaneRef) ? [] : controlPlaneMachines;
}

/** The objects that this reconciler deletes, in order. It deletes only objects that the Cluster owns directly. */
function childrenOf(descendants: KnownDescendants, cluster: Cluster): readonly PartialObject[] {
  const { machinePools, machineDeployments, machineSets, workerMachines } = descendants;
  const machines = [
    ...workerMachines.toSorted(byName),
    ...standAloneControlPlaneMachines(descendants, cluster).toSorted(byName),
  ];
  return [...machinePools, ...machineDeployments, ...machineSets, ...machines].filter(child =>
    isOwnedBy(cluster, child),
  );
}

interface Group {
  readonly title: string;
  readonly objects: readonly PartialObject[];
}

/** All objects that the deletion waits for, including objects that the Cluster does not own. */
function descendantGroups(descendants: KnownDescendants, cluster: Cluster): readonly Group[] {
  const groups = [
    { title: 'Control plane Machines', objects: standAloneControlPlaneMachines(descendants, cluster) },
    { title: 'MachineDeployments', objects: descendants.machineDeployments },
    { title: 'MachineSets', objects: descendants.machineSets },
    { title: 'MachinePools', objects: descendants.machinePools },
    { title: 'Worker Machines', objects: descendants.workerMachines },
  ];
  return groups.filter(group => group.objects.length > 0);
}

function deleteActionId({ kind, metadata }: PartialObject): string {
  return `delete:${kind}/${metadata.name}`;
}

function deleteAction(object: PartialObject): Action {
  return {
    id: deleteActionId(object),
    onError: 'continue',
    do: 'delete',
    ref: toRef(object),
    uid: object.metadata.uid,
  };
}

function waiting(reason: string, message: string): Step<ClusterPassChange> {
  return { change: { deleting: { reason, message } } };
}

function childrenStep(
  { children, message }: DeletionPlanOf<'descendants'>,
  { metadata }: Cluster,
): Step<ClusterPassChange> {
  const { name, namespace } = metadata;
  return {
    change: { deleting: { reason: 'WaitingForWorkersDeletion', message }, requeues: [descendantsRequeueMs] },
    needs: children.map(child => ({
      id: deleteActionId(child),
      problem: `error deleting cluster ${namespace}/${name}: failed to delete ${child.apiVersion}, Kind=${child.kind} ${child.metadata.name}`,
    })),
  };
}

function externalObjectStep(
  { role, external }: DeletionPlanOf<'external'>,
  { metadata }: Cluster,
): Step<ClusterPassChange> {
  const { object } = external;
  const { name, namespace } = metadata;
  const what = `${object.kind} "${object.metadata.name}" for Cluster "${name}" in namespace "${namespace}"`;
  return {
    ...waiting(externalReasons[role], `Waiting for ${object.kind} to be deleted`),
    needs: [
      // The phase of the object reports an owner reference that could not be written.
      { id: ownActionId(role), problem: undefined },
      { id: deleteActionId(object), problem: `failed to delete ${what}` },
    ],
  };
}

/**
 * The Event is recorded once. If another finalizer keeps the Cluster, our finalizer is absent and the condition is
 * stored.
 */
function finalizerStep({ object, metadata, status }: Cluster): Step<ClusterPassChange> {
  const isReported = reasonOf(status.conditions, 'Deleting') === 'DeletionCompleted';
  const isRecorded = isReported && !metadata.finalizers.includes(clusterFinalizer);
  const event = { type: 'Normal', reason: 'Deleted', message: `Cluster ${metadata.name} has been deleted` } as const;
  return {
    change: {
      deleting: { reason: 'DeletionCompleted', message: 'Deletion completed' },
      events: isRecorded ? [] : [event],
    },
    needs: [{ id: removeFinalizerId, problem: specPatchProblem(object) }],
  };
}
