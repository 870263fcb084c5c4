// What the deletion of a Machine does, as data, before it happens or while it runs. Pure.
import { type Checked, withoutUndefined } from '@capi-serverless/apimachinery';
import { isControlPlane } from '../../../shared/api/machine/whole-machine.ts';
import { isUnreachable } from '../../../shared/api/node/reader.ts';
import type { PodDisruptionBudget } from '../../../shared/api/pod-disruption-budget/reader.ts';
import type { Scoped } from '../../../shared/external/external.ts';
import { type DrainedPod, isAwaited, podName, type TreatmentCause } from '../phases/deletion/classify-pods.ts';
import type { DeletionScope } from '../phases/deletion/deletion-scope.ts';
import { hooksOf, preDrainPrefix, preTerminatePrefix } from '../phases/deletion/hooks.ts';
import type { StayCause } from '../phases/deletion/node-removal.ts';
import { attachedVolumes, remainingVolumes } from '../phases/deletion/volumes.ts';
import { drainLimit, type Limit, type NoWait, reasonNotToWait, volumesLimit } from '../phases/deletion/wait-limits.ts';
import { connectionDown } from '../phases/node/lookup.ts';
import { refusalsOf } from './budgets.ts';
import type { AnsweredPreview } from './preview-questions.ts';

/** The steps of a deletion, in order. */
export const deletionSteps = [
  'preDrainHooks',
  'drain',
  'volumes',
  'preTerminateHooks',
  'infrastructure',
  'bootstrap',
  'node',
] as const;

export type DeletionStep = (typeof deletionSteps)[number];

export interface PreviewedHook {
  readonly annotation: string;
  /** The value of the annotation. By convention, it names the controller that removes the hook. */
  readonly owner: string;
}

export interface PreviewedPod {
  /** In the form `namespace/name`. */
  readonly pod: string;
  readonly because: string;
  /** The Pod is being deleted already. */
  readonly terminating?: true;
  /** Why the API server would refuse the eviction now. */
  readonly blockedBy?: readonly string[];
}

/** Pods of one order. A round starts when the Pods of the rounds before it are gone. */
export interface DrainRound {
  readonly order: number;
  readonly evict: readonly PreviewedPod[];
  /** Pods that are waited for and not evicted. */
  readonly wait: readonly PreviewedPod[];
}

export interface PreviewedWait {
  /** 0: no time limit. */
  readonly timeoutSeconds: number;
  readonly startedAt?: string;
  /** Why the step does nothing. */
  readonly skipped?: string;
  /** Why the step is not known. The deletion would wait here. */
  readonly problem?: string;
}

interface PreviewedDrain extends PreviewedWait {
  readonly rounds: readonly DrainRound[];
  readonly skip: readonly PreviewedPod[];
  /** The number of Pods that are not in these lists. */
  readonly omitted: number;
  /** Why budgets are not known. */
  readonly budgetsProblem?: string;
}

interface PreviewedVolumes extends PreviewedWait {
  readonly claims: readonly string[];
  /** Volumes without a PersistentVolumeClaim, or that no PersistentVolume explains. */
  readonly others: readonly string[];
}

export interface DeletionPreview {
  readonly isDeleting: boolean;
  /** The steps before this one are done. Absent if the Machine is not being deleted. */
  readonly current?: DeletionStep;
  /** Absent if the Machine has none. */
  readonly node?: string;
  /** Why the Node is neither drained nor deleted. */
  readonly nodeStays?: string;
  readonly preDrainHooks: readonly PreviewedHook[];
  readonly drain: PreviewedDrain;
  readonly volumes: PreviewedVolumes;
  readonly preTerminateHooks: readonly PreviewedHook[];
  /** In the form `Kind namespace/name`. Absent if the object is gone. */
  readonly infrastructure?: string;
  readonly bootstrap?: string;
  readonly nodeDeletionTimeoutSeconds: number;
}

export interface PreviewFacts extends AnsweredPreview {
  readonly scope: DeletionScope;
  readonly isDeleting: boolean;
  /** The reason of the condition Deleting, if the Machine has one. */
  readonly stage: string | undefined;
  readonly budgets: Checked<readonly PodDisruptionBudget[]>;
}

/** More Pods are counted only. */
export const mostPods = 1000;

const stepOfReason: ReadonlyMap<string | undefined, DeletionStep> = new Map([
  ['WaitingForPreDrainHook', 'preDrainHooks'],
  ['DrainingNode', 'drain'],
  ['WaitingForVolumeDetach', 'volumes'],
  ['WaitingForPreTerminateHook', 'preTerminateHooks'],
  ['WaitingForInfrastructureDeletion', 'infrastructure'],
  ['WaitingForBootstrapDeletion', 'bootstrap'],
  ['DeletingNode', 'node'],
]);

export function previewDeletion(facts: PreviewFacts): DeletionPreview {
  const { scope, isDeleting, stage, removal } = facts;
  const { machine, nodeName, infrastructure, bootstrap } = scope;
  const stays = removal.state === 'stays' ? stayText(removal.cause, machine) : undefined;
  const infrastructureName = nameOf(infrastructure);
  const bootstrapName = nameOf(bootstrap);
  return {
    isDeleting,
    ...(isDeleting ? { current: stepOfReason.get(stage) ?? 'preDrainHooks' } : {}),
    ...(nodeName === '' ? {} : { node: nodeName }),
    ...withoutUndefined({ nodeStays: stays }),
    preDrainHooks: stays === undefined ? hooks(machine, preDrainPrefix) : [],
    drain: { ...waitOf(facts, drainLimit(machine), stays), ...podsOf(facts) },
    volumes: { ...waitOf(facts, volumesLimit(machine), stays), ...unreachable(scope), ...volumesOf(facts) },
    preTerminateHooks: hooks(machine, preTerminatePrefix),
    ...withoutUndefined({ infrastructure: infrastructureName, bootstrap: bootstrapName }),
    nodeDeletionTimeoutSeconds: machine.spec.deletion.nodeDeletionTimeoutSeconds ?? 0,
  };
}

function hooks(machine: DeletionScope['machine'], prefix: string): readonly PreviewedHook[] {
  const { annotations } = machine.metadata;
  return hooksOf(machine, prefix).map(annotation => ({
    annotation,
    owner: annotations[annotation] as string, // true: it is one of the annotations
  }));
}

function nameOf(scoped: Scoped): string | undefined {
  return scoped.state === 'undefined' || scoped.state === 'missing'
    ? undefined
    : `${scoped.ref.kind} ${scoped.ref.name}`;
}

function stayText(cause: StayCause, machine: DeletionScope['machine']): string {
  switch (cause) {
    case 'noCluster':
      return 'its Cluster is gone';
    case 'clusterDeleted':
      return 'its Cluster is being deleted';
    case 'noNode':
      return 'no Node of the Machine is known';
    case 'controlPlaneDeleted':
      return 'the control plane is being deleted';
    case 'noMembers':
      return isControlPlane(machine)
        ? 'no other control plane Machine remains, so no API server would answer'
        : 'the Cluster has no control plane Machine, or all of them are being deleted';
  }
}

const skipTexts: Readonly<Record<NoWait, (limit: Limit) => string>> = {
  excluded: ({ annotation }) => `annotation ${annotation}`,
  preTerminate: () => 'pre-terminate hooks have begun',
  infrastructureGone: () => 'the infrastructure machine is gone or being deleted',
  timeout: ({ timeoutSeconds }) => `its time limit of ${timeoutSeconds} s is over`,
};

function waitOf({ scope, removal }: PreviewFacts, limit: Limit, stays: string | undefined): PreviewedWait {
  const { timeoutSeconds, startedAt } = limit;
  const common = { timeoutSeconds, ...withoutUndefined({ startedAt }) };
  if (removal.state === 'failed') {
    return { ...common, problem: removal.error };
  }
  if (removal.state === 'awaitsLookup') {
    return { ...common, problem: `the look-up of its Node failed: ${removal.error}` };
  }
  if (stays !== undefined) {
    return { ...common, skipped: stays };
  }
  if (scope.infrastructure.state === 'unknown') {
    return { ...common, problem: `${scope.infrastructure.ref.kind} ${scope.infrastructure.ref.name} cannot be read` };
  }
  const reason = reasonNotToWait(scope, limit);
  if (reason !== undefined) {
    return { ...common, skipped: skipTexts[reason](limit) };
  }
  return { ...common, ...nodeProblem(scope) };
}

function nodeProblem({ namedNode, nodeName }: DeletionScope): Pick<PreviewedWait, 'problem' | 'skipped'> {
  switch (namedNode.state) {
    case 'found':
      return {};
    case 'gone':
      return { skipped: `Node ${nodeName} is gone, or it belongs to another machine` };
    case 'notConnected':
      return { problem: connectionDown };
    case 'failed':
    case 'aborted':
      return { problem: namedNode.error };
  }
}

/** The volumes of an unreachable Node are not waited for. */
function unreachable({ namedNode }: DeletionScope): Pick<PreviewedWait, 'skipped'> {
  return namedNode.state === 'found' && isUnreachable(namedNode.node)
    ? { skipped: 'the kubelet of the Node does not report' }
    : {};
}

type PodLists = Pick<PreviewedDrain, 'rounds' | 'skip' | 'omitted' | 'budgetsProblem' | 'problem'>;

function podsOf({ pods, budgets }: PreviewFacts): PodLists {
  if (pods === undefined) {
    return { rounds: [], skip: [], omitted: 0 };
  }
  if (!pods.ok) {
    return { rounds: [], skip: [], omitted: 0, problem: pods.error };
  }
  // Pods that are drained first are the last to be omitted.
  const sorted = pods.value.toSorted((a, b) => toRank(a) - toRank(b));
  const shown = sorted.slice(0, mostPods);
  const known = budgets.ok ? budgets.value : [];
  const rounds = Map.groupBy(shown.filter(isAwaited), ({ order }) => order);
  return {
    rounds: [...rounds].map(([order, members]) => ({
      order,
      evict: members.filter(({ behavior }) => behavior === 'Drain').map(pod => toPreviewed(pod, refusals(pod, known))),
      wait: members.filter(({ behavior }) => behavior === 'WaitCompleted').map(pod => toPreviewed(pod, [])),
    })),
    skip: shown.filter(pod => !isAwaited(pod)).map(pod => toPreviewed(pod, [])),
    omitted: sorted.length - shown.length,
    ...(budgets.ok ? {} : { budgetsProblem: budgets.error }),
  };
}

function toRank(pod: DrainedPod): number {
  return isAwaited(pod) ? pod.order : Number.POSITIVE_INFINITY;
}

function refusals({ pod }: DrainedPod, budgets: readonly PodDisruptionBudget[]): readonly string[] {
  return refusalsOf(pod, budgets);
}

function toPreviewed({ pod, cause }: DrainedPod, blockedBy: readonly string[]): PreviewedPod {
  return {
    pod: podName(pod),
    because: causeText(cause),
    ...(pod.metadata.deletionTimestamp === undefined ? {} : { terminating: true }),
    ...(blockedBy.length === 0 ? {} : { blockedBy }),
  };
}

function causeText(cause: TreatmentCause): string {
  switch (cause.by) {
    case 'rule':
      return `MachineDrainRule ${cause.name}`;
    case 'daemonSet':
      return `DaemonSet ${cause.name}`;
    case 'label':
      return 'label cluster.x-k8s.io/drain';
    case 'mirror':
      return 'static Pod';
    case 'finished':
      return 'it is finished';
    case 'unreachable':
      return 'the kubelet of the Node does not report';
    case 'default':
      return 'no MachineDrainRule applies';
  }
}

type VolumeLists = Pick<PreviewedVolumes, 'claims' | 'others' | 'problem'>;

function volumesOf({ scope, attachments, persistentVolumes, pods }: PreviewFacts): VolumeLists {
  const { namedNode } = scope;
  const none = { claims: [], others: [] };
  if (attachments === undefined || persistentVolumes === undefined || namedNode.state !== 'found') {
    return none;
  }
  const attached = attachments.ok ? attachedVolumes(namedNode.node, attachments.value) : attachments;
  if (!attached.ok) {
    return { ...none, problem: attached.error };
  }
  if (!persistentVolumes.ok) {
    return { ...none, problem: persistentVolumes.error };
  }
  const skipped = (pods?.ok === true ? pods.value : []).filter(({ behavior }) => behavior === 'Skip');
  const volumes = remainingVolumes(
    attached.value,
    persistentVolumes.value,
    skipped.map(({ pod }) => pod),
  );
  const { claims, unclaimed, unknownNames, unknownVolumes } = volumes;
  return { claims, others: [...unclaimed, ...unknownNames, ...unknownVolumes] };
}
