// The delete phase: descendants first, then the control plane, then the infrastructure, and the finalizer last.
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { type PartialObject, toRef } from '../../../shared/api/object.ts';
import { reasonOf } from '../../../shared/conditions/get.ts';
import { v1Beta1False } from '../../../shared/conditions/v1beta1.ts';
import type { Action } from '../../../shared/kernel/types.ts';
import { isOkToDelete } from '../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { internalErrorMessage } from '../conditions/internal-error.ts';
import { byName, isOwnedBy, type KnownDescendants, listNames } from './descendants.ts';
import { ownActionId, patchError, type Role } from './external.ts';
import { clusterFinalizer } from './gate.ts';
import { failureOf } from './outcomes.ts';
import {
  type Deleting,
  type InScope,
  type PhaseContext,
  type Progress,
  type Scoped,
  withError,
  withEvent,
  withRequeue,
  withV1Beta1,
} from './scope.ts';

const descendantsRequeueMs = 5_000;
const namesPerGroup = 5;
const finalizerActionId = 'finalizer:remove';

/** What the deletion waits for, or does next; `gone` are the external objects that are known not to exist any more. */
type Step = { readonly gone: readonly Role[] } & (
  | { readonly wait: 'hook' }
  /** Something that decides about the next step could not be read. */
  | { readonly wait: 'knowledge' }
  | { readonly wait: 'descendants'; readonly children: readonly PartialObject[]; readonly message: string }
  | { readonly wait: 'external'; readonly role: Role; readonly external: InScope }
  | { readonly wait: 'nothing' }
);
type StepOf<Wait extends Step['wait']> = Extract<Step, { wait: Wait }>;

const notKnown: Deleting = { reason: 'InternalError', message: internalErrorMessage };

/** The deprecated condition that tells that an external object is gone. */
const readyTypes: Readonly<Record<Role, string>> = {
  controlPlane: 'ControlPlaneReady',
  infrastructure: 'InfrastructureReady',
};

/** What the Deleting condition says of an external object that is still there. */
const externalReasons: Readonly<Record<Role, string>> = {
  controlPlane: 'WaitingForControlPlaneDeletion',
  infrastructure: 'WaitingForInfrastructureDeletion',
};

/** The deletes of this pass, or the removal of the finalizer. */
export function deletionActions(context: PhaseContext): readonly Action[] {
  const step = nextStep(context);
  switch (step.wait) {
    case 'hook':
    case 'knowledge':
      return [];
    case 'descendants':
      return step.children.filter(isNotDeleting).map(child => deleteAction(child));
    case 'external':
      return [step.external.object].filter(isNotDeleting).map(object => ({
        ...deleteAction(object),
        when: outcomes => failureOf(outcomes, ownActionId(step.role)) === undefined,
      }));
    case 'nothing':
      return finalizerRemoval(context.seen.cluster);
  }
}

/** Deleting as the pass leaves it, with what its deletes met. */
export function deletePhase(context: PhaseContext, before: Progress): Progress {
  const step = nextStep(context);
  const progress = step.gone.reduce(
    (current, role) =>
      withV1Beta1(current, v1Beta1False(readyTypes[role], { reason: 'Deleted', severity: 'Info' }), context.now),
    before,
  );
  switch (step.wait) {
    case 'hook':
      return {
        ...progress,
        deleting: { reason: 'WaitingForBeforeDeleteHook', message: 'Waiting for BeforeClusterDelete hook' },
      };
    case 'knowledge':
      return { ...progress, deleting: notKnown };
    case 'descendants':
      return afterChildren(context, progress, step);
    case 'external':
      return afterExternal(context, progress, step);
    case 'nothing':
      return afterFinalizer(context, progress);
  }
}

function nextStep(context: PhaseContext): Step {
  const { seen, descendants } = context;
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
  return nextExternalStep(context);
}

/** The control plane goes before the infrastructure it runs on. */
function nextExternalStep({ controlPlane, infrastructure }: PhaseContext): Step {
  const gone: Role[] = [];
  const inOrder: readonly (readonly [Role, Scoped])[] = [
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

/** Machines of a control plane object are its own business; without one they go with the workers. */
function standAloneControlPlaneMachines({ controlPlaneMachines }: KnownDescendants, cluster: Cluster) {
  return isDefined(cluster.spec.controlPlaneRef) ? [] : controlPlaneMachines;
}

/** What is deleted by us, in order: only what the Cluster owns directly. */
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

/** What is waited for, owned or not. */
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

function isNotDeleting({ metadata }: PartialObject): boolean {
  return metadata.deletionTimestamp === undefined;
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

/**
 * In the same pass as the last report, not in one after it: the kernel writes the status of an object that another
 * finalizer still holds, and of one that vanished with ours there is nobody left to read a status. A crash in between
 * loses nothing, because the next pass reports the same from the same state.
 */
function finalizerRemoval({ object, metadata }: Cluster): readonly Action[] {
  if (!metadata.finalizers.includes(clusterFinalizer)) {
    return [];
  }
  const left = metadata.finalizers.filter(finalizer => finalizer !== clusterFinalizer);
  return [
    {
      id: finalizerActionId,
      onError: 'stop',
      do: 'patch',
      ref: toRef(object),
      body: { metadata: { finalizers: left.length > 0 ? left : null } },
      resourceVersion: metadata.resourceVersion,
    },
  ];
}

function afterChildren({ seen, outcomes }: PhaseContext, progress: Progress, step: StepOf<'descendants'>): Progress {
  const { name, namespace } = seen.cluster.metadata;
  const errors = step.children.flatMap(child => {
    const failure = failureOf(outcomes, deleteActionId(child));
    const what = `${child.apiVersion}, Kind=${child.kind} ${child.metadata.name}`;
    return failure === undefined
      ? []
      : [`error deleting cluster ${namespace}/${name}: failed to delete ${what}: ${failure.message}`];
  });
  if (errors.length > 0) {
    return { ...progress, errors: [...progress.errors, ...errors], deleting: notKnown };
  }
  const waiting = { ...progress, deleting: { reason: 'WaitingForWorkersDeletion', message: step.message } };
  return withRequeue(waiting, descendantsRequeueMs);
}

function afterExternal({ seen, outcomes }: PhaseContext, progress: Progress, step: StepOf<'external'>): Progress {
  const { object } = step.external;
  const failure = failureOf(outcomes, deleteActionId(object));
  if (failure === undefined) {
    const message = `Waiting for ${object.kind} to be deleted`;
    return { ...progress, deleting: { reason: externalReasons[step.role], message } };
  }
  const { name, namespace } = seen.cluster.metadata;
  const what = `${object.kind} "${object.metadata.name}" for Cluster "${name}" in namespace "${namespace}"`;
  return withError({ ...progress, deleting: notKnown }, `failed to delete ${what}: ${failure.message}`);
}

/** "Deleted" is told once: while another finalizer holds the Cluster, the stored condition remembers it. */
function afterFinalizer({ seen, outcomes }: PhaseContext, progress: Progress): Progress {
  const { object, metadata, status } = seen.cluster;
  const failure = failureOf(outcomes, finalizerActionId);
  if (failure !== undefined) {
    return withError({ ...progress, deleting: notKnown }, patchError(object, failure.message));
  }
  const completed = { ...progress, deleting: { reason: 'DeletionCompleted', message: 'Deletion completed' } };
  return reasonOf(status.conditions, 'Deleting') === 'DeletionCompleted'
    ? completed
    : withEvent(completed, 'Deleted', `Cluster ${metadata.name} has been deleted`);
}
