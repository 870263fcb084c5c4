// Why a Cluster waits: the condition that says so, the object that it points to, and what to do about it. Pure.
import { pausedAnnotation, readCluster } from '../../../shared/api/cluster/reader.ts';
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import { okToDeleteAnnotation } from '../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { orderPrefix } from '../provider/orders.ts';
import {
  controlPlaneTelling,
  infrastructureTelling,
  machineTelling,
  type Telling,
  viewCollection,
  viewObject,
  viewReferred,
} from './objects.ts';
import { annotate, remedyOfObject, remedyOfReferred, toFinalizerRemedy, toSubject } from './remedies.ts';
import type { ClusterSnapshot, Referred } from './snapshot.ts';
import { waitOfTopology } from './topology.ts';
import { askHooks, remediesOfTopology, tellsOfHooks } from './topology-remedies.ts';
import { toWhy, viewCluster, type Wait, waitOf } from './waiting.ts';

export interface Explanation {
  readonly waitsFor: string;
  /** The condition that says so; absent when none does. */
  readonly condition?: string;
  /** The objects that it points to, and how they are. */
  readonly pointsTo: readonly string[];
  readonly remedies: readonly string[];
}

type Cause = Pick<Explanation, 'pointsTo' | 'remedies'>;

const nowhere: Cause = { pointsTo: [], remedies: [] };

/** `undefined` when the Cluster waits for nothing. */
export function explain(snapshot: ClusterSnapshot): Explanation | undefined {
  const { cluster } = snapshot;
  const wait = waitOf(cluster);
  if (wait !== undefined) {
    return { waitsFor: untilOf(cluster, wait), ...toCondition(wait), ...causeOf(snapshot, wait) };
  }
  const { phase, provisioned } = viewCluster(cluster);
  return provisioned ? undefined : { waitsFor: `phase ${phase} to become Provisioned`, ...nowhere };
}

/** Of a topology the condition tells more than its type does. */
function untilOf(cluster: Unstructured, { until, condition }: Wait): string {
  return condition?.type === 'TopologyReconciled' ? (waitOfTopology(cluster)?.until ?? until) : until;
}

/** The explanation in sentences, for people. */
export function toSentences(cluster: string, explanation: Explanation | undefined): readonly string[] {
  if (explanation === undefined) {
    return [`${cluster} waits for nothing.`];
  }
  const { waitsFor, condition, pointsTo, remedies } = explanation;
  return [
    `${cluster} waits for ${waitsFor}.`,
    ...(condition === undefined ? [] : [`Condition ${condition}.`]),
    ...pointsTo.map(object => `This points to ${object}.`),
    // No full stop: a command at the end is there to be pasted.
    ...remedies.map(remedy => `What to do: ${remedy}`),
  ];
}

function toCondition({ condition }: Wait): { readonly condition?: string } {
  if (condition === undefined) {
    return {};
  }
  const { type, status, reason, message } = condition;
  return { condition: `${type} is ${status} (${reason})${message === '' ? '' : `: ${toWhy(condition)}`}` };
}

function causeOf(snapshot: ClusterSnapshot, { condition }: Wait): Cause {
  if (condition === undefined) {
    const remedy = 'see whether the functions run, and whether their watch filter leaves this Cluster out';
    return { pointsTo: [], remedies: [remedy] };
  }
  switch (condition.type) {
    case 'Paused':
      return { pointsTo: [], remedies: pauseRemedies(snapshot.cluster) };
    case 'Deleting':
      return deletionCause(snapshot, condition.reason);
    case 'TopologyReconciled':
      return { pointsTo: [], remedies: remediesOfTopology(snapshot.cluster, condition) };
    case 'InfrastructureReady':
      return infrastructureCause(snapshot);
    case 'ControlPlaneInitialized':
    case 'ControlPlaneAvailable':
      return controlPlaneCause(snapshot);
    case 'RemoteConnectionProbe':
      return remoteCause(snapshot);
    case 'WorkersAvailable':
      return workersCause(snapshot);
    default:
      return nowhere;
  }
}

function pauseRemedies(cluster: Unstructured): readonly string[] {
  const { name, namespace = '' } = cluster.metadata;
  const unpause = `kubectl patch cluster -n ${namespace} ${name} --type=merge -p '{"spec":{"paused":false}}'`;
  return [
    ...(readCluster(cluster).spec.paused ? [`unset spec.paused: ${unpause}`] : []),
    ...(cluster.metadata.annotations?.[pausedAnnotation] === undefined
      ? []
      : [`take the annotation away: ${annotate(cluster, `${pausedAnnotation}-`)}`]),
  ];
}

function infrastructureCause({ cluster, infrastructure }: ClusterSnapshot): Cause {
  return referredCause(cluster, infrastructure, { field: 'infrastructureRef', telling: infrastructureTelling });
}

/** Without a reference the control plane is made of Machines. */
function controlPlaneCause({ cluster, controlPlane }: ClusterSnapshot): Cause {
  return referredCause(cluster, controlPlane, { field: 'controlPlaneRef', telling: controlPlaneTelling });
}

function referredCause(
  cluster: Unstructured,
  referred: Referred | undefined,
  of: { readonly field: string; readonly telling: Telling },
): Cause {
  if (readCluster(cluster).spec.topology.isDefined && referred === undefined) {
    return nowhere;
  }
  const remedies = [remedyOfReferred(referred, of)];
  if (referred === undefined) {
    return { pointsTo: [], remedies };
  }
  const { mark, detail } = viewReferred(referred, of.telling);
  const name = `${referred.kind} ${toDisplayName({ ...cluster.metadata, name: referred.name })}`;
  return { pointsTo: [`${name}, ${toState(mark, detail)}`], remedies };
}

/** The condition cannot tell what the probe met: that is in the log, and whoever has the kubeconfig can try. */
function remoteCause({ cluster, controlPlane }: ClusterSnapshot): Cause {
  const { name, namespace = '' } = cluster.metadata;
  const secret = `${name}-kubeconfig`;
  if (
    controlPlane?.state === 'found' &&
    `${orderPrefix}unreachable` in (controlPlane.object.metadata.annotations ?? {})
  ) {
    const remedy = `take its annotation away: ${annotate(controlPlane.object, `${orderPrefix}unreachable-`)}`;
    return { pointsTo: [`${toSubject(controlPlane.object)}, which was told to be unreachable`], remedies: [remedy] };
  }
  return {
    pointsTo: [`the API server that Secret ${toDisplayName({ name: secret, namespace })} leads to`],
    remedies: [
      `see whether it answers: kubectl get secret -n ${namespace} ${secret} -o jsonpath='{.data.value}' | base64 -d > ${secret} && kubectl --kubeconfig ${secret} get --raw /`,
    ],
  };
}

function workersCause({ machineDeployments }: ClusterSnapshot): Cause {
  const failing = machineDeployments.filter(deployment => viewCollection(deployment).mark !== 'ready');
  return {
    pointsTo: failing.map(deployment => {
      const { mark, detail } = viewCollection(deployment);
      return `${toSubject(deployment)}, ${toState(mark, detail)}`;
    }),
    remedies: [...new Set(failing.map(deployment => remedyOfObject(deployment, ['Available'])))],
  };
}

function deletionCause(snapshot: ClusterSnapshot, reason: string): Cause {
  const { cluster } = snapshot;
  switch (reason) {
    case 'WaitingForBeforeDeleteHook':
      return hookCause(cluster);
    case 'WaitingForWorkersDeletion':
      return memberDeletion(snapshot);
    case 'WaitingForControlPlaneDeletion':
      return controlPlaneCause(snapshot);
    case 'WaitingForInfrastructureDeletion':
      return infrastructureCause(snapshot);
    case 'DeletionCompleted':
      return { pointsTo: [], remedies: [toFinalizerRemedy(cluster)] };
    default:
      return nowhere;
  }
}

/** Only the reconciler of topologies asks the hook, and it says whether an extension holds the Cluster. */
function hookCause(cluster: Unstructured): Cause {
  const condition = waitOfTopology(cluster)?.condition;
  const allow = annotate(cluster, `${okToDeleteAnnotation}=`);
  return condition !== undefined && tellsOfHooks(condition)
    ? {
        pointsTo: [`what TopologyReconciled says: ${toWhy(condition)}`],
        remedies: [askHooks(cluster), `or let it go against their word: ${allow}`],
      }
    : { pointsTo: [], remedies: [`allow it: ${allow}`] };
}

/** Members that nobody deletes are those that the Cluster does not own: they carry its label only. */
function memberDeletion({ cluster, machineDeployments, machines }: ClusterSnapshot): Cause {
  const members = [...machineDeployments, ...machines];
  const { name, namespace = '' } = cluster.metadata;
  const remaining = members.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const selector = `-n ${namespace} -l ${clusterNameLabel}=${name}`;
  return {
    pointsTo: members.map(member => {
      const { mark, detail } = viewObject(member, machineTelling);
      return `${toSubject(member)}, ${mark === 'deleting' ? toState(mark, detail) : 'which nobody has deleted yet'}`;
    }),
    remedies:
      remaining.length > 0
        ? [
            `the Cluster deletes what it owns; delete the rest: kubectl delete machinedeployments,machinesets,machinepools,machines ${selector}`,
          ]
        : [...new Set(members.map(toFinalizerRemedy))],
  };
}

function toState(mark: ReturnType<typeof viewReferred>['mark'], detail: string): string {
  const state = { ready: 'ready', waiting: 'not ready', failing: 'failing', paused: 'paused' } as const;
  const others = { deleting: 'being deleted', missing: '', unknown: 'not reporting' } as const;
  const text = { ...state, ...others }[mark];
  if (text === '') {
    return `which ${detail === 'does not exist' ? detail : `cannot exist: ${detail}`}`;
  }
  return `which is ${text}${detail === '' ? '' : `: ${detail}`}`;
}
