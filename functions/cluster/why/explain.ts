// Explains why a Cluster waits: the condition, the object that the condition refers to, and the remedy. Pure.

import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { readCluster } from '../../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import { conditionOf, toWhy, type Wait } from '../../../shared/explain/conditions.ts';
import { type Explanation, noCause, toExplanation, type WaitCause } from '../../../shared/explain/explanation.ts';
import type { FindOrder } from '../../../shared/explain/find-order.ts';
import { annotate } from '../../../shared/explain/kubectl.ts';
import {
  type ConditionPreference,
  type ObjectView,
  viewCollection,
  viewObject,
} from '../../../shared/explain/object-view.ts';
import {
  infrastructurePreference,
  machinePreference,
  type Referred,
  toStateText,
  viewReferred,
} from '../../../shared/explain/referred.ts';
import {
  finalizersOf,
  remedyOfObject,
  remedyOfReferred,
  toFinalizerRemedy,
  toSubject,
} from '../../../shared/explain/remedies.ts';
import { askHooks, mentionsHooks, remediesOfTopology, waitOfTopology } from '../../../shared/explain/topology-waits.ts';
import { okToDeleteAnnotation } from '../../../shared/runtime-hooks/rules/ok-to-delete.ts';
import { viewCluster, waitOf } from './cluster-view.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import { controlPlanePreference } from './tree.ts';

/** The known facts about the Cluster and the providers of its objects. */
interface Explaining extends ClusterSnapshot {
  readonly findOrder: FindOrder;
}

/** Returns `undefined` if the Cluster waits for nothing. */
export function explain(snapshot: ClusterSnapshot, findOrder: FindOrder): Explanation | undefined {
  const { cluster } = snapshot;
  const wait = waitOf(cluster);
  if (wait !== undefined) {
    return toExplanation({ ...wait, until: untilOf(cluster, wait) }, causeOf({ ...snapshot, findOrder }, wait));
  }
  const { phase, provisioned } = viewCluster(cluster);
  return provisioned ? undefined : { waitsFor: `phase ${phase} to become Provisioned`, ...noCause };
}

/** For a topology, the reason of the condition is more precise than its type. */
function untilOf(cluster: Unstructured, { until, condition }: Wait): string {
  return (condition?.type === 'TopologyReconciled' ? waitOfTopology(cluster)?.until : undefined) ?? until;
}

function causeOf(snapshot: Explaining, { condition }: Wait): WaitCause {
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
    case 'RollingOut':
      return rolloutCause(snapshot);
    default:
      return noCause;
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

function infrastructureCause(snapshot: Explaining): WaitCause {
  return referredCause(snapshot, snapshot.infrastructure, {
    field: 'infrastructureRef',
    preference: infrastructurePreference,
  });
}

/** Without a control plane reference, Machines form the control plane. */
function controlPlaneCause(snapshot: Explaining): WaitCause {
  return referredCause(snapshot, snapshot.controlPlane, {
    field: 'controlPlaneRef',
    preference: controlPlanePreference,
  });
}

function referredCause(
  { cluster, findOrder }: Explaining,
  referred: Referred | undefined,
  of: { readonly field: string; readonly preference: ConditionPreference },
): WaitCause {
  if (readCluster(cluster).spec.topology.isDefined && referred === undefined) {
    return noCause;
  }
  const remedies = [remedyOfReferred(referred, { ...of, of: 'Cluster', findOrder })];
  if (referred === undefined) {
    return { pointsTo: [], remedies };
  }
  const name = `${referred.kind} ${toDisplayName({ ...cluster.metadata, name: referred.name })}`;
  const other = referred.state === 'found' ? otherOwnerOf(referred.object, cluster) : undefined;
  if (other !== undefined) {
    const remedy = `name another object in spec.${of.field}, or delete Cluster "${other}"`;
    return { pointsTo: [`${name}, which belongs to Cluster "${other}"`], remedies: [remedy] };
  }
  const { mark, detail } = viewReferred(referred, of.preference);
  return { pointsTo: [`${name}, ${toStateText({ mark, detail })}`], remedies };
}

/** The name of another Cluster that controls the object. */
function otherOwnerOf({ metadata }: Unstructured, cluster: Unstructured): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === 'Cluster' && owner.name !== cluster.metadata.name ? owner.name : undefined;
}

/**
 * The condition does not contain the reason of a failed probe. The log contains it. A user can also test the
 * kubeconfig.
 */
function remoteCause({ cluster, controlPlane, kubeconfigProblem, findOrder }: Explaining): WaitCause {
  const { name, namespace = '' } = cluster.metadata;
  const secret = `${name}-kubeconfig`;
  if (kubeconfigProblem !== undefined) {
    return {
      pointsTo: [`Secret ${toDisplayName({ name: secret, namespace })}, ${kubeconfigProblem}`],
      remedies: [
        'the control plane provider writes this Secret; without one, write it with a kubeconfig under the key value',
      ],
    };
  }
  const order = controlPlane?.state === 'found' ? findOrder(controlPlane.object, 'connections') : undefined;
  if (controlPlane?.state === 'found' && order !== undefined) {
    const remedy = `remove its annotation: ${annotate(controlPlane.object, `${order}-`)}`;
    return {
      pointsTo: [`${toSubject(controlPlane.object)}, whose API server refuses connections by annotation ${order}`],
      remedies: [remedy],
    };
  }
  return {
    pointsTo: [`the API server that Secret ${toDisplayName({ name: secret, namespace })} leads to`],
    remedies: [
      `see whether it answers: kubectl get secret -n ${namespace} ${secret} -o jsonpath='{.data.value}' | base64 -d > ${secret} && kubectl --kubeconfig ${secret} get --raw /`,
    ],
  };
}

function workersCause({ machineDeployments, machines, findOrder }: Explaining): WaitCause {
  const failing = machineDeployments.filter(deployment => viewCollection(deployment).mark !== 'ready');
  const names = new Set(failing.map(({ metadata }) => metadata.name));
  const ofThese = waitingMachines(
    machines.filter(({ metadata }) => names.has(metadata.labels?.[deploymentNameLabel] ?? '')),
  );
  return {
    pointsTo: [
      ...failing.map(deployment => `${toSubject(deployment)}, ${toStateText(viewCollection(deployment))}`),
      ...ofThese.pointsTo,
    ],
    remedies: [
      ...new Set(failing.map(deployment => remedyOfObject(deployment, { preference: ['Available'], findOrder }))),
      ...ofThese.remedies,
    ],
  };
}

/** The MachineDeployments that roll out. If there is none, it is the control plane. */
function rolloutCause({ machineDeployments, controlPlane }: Explaining): WaitCause {
  const rolling = machineDeployments.filter(deployment => conditionOf(deployment, 'RollingOut')?.status === 'True');
  if (rolling.length === 0) {
    const pointsTo = controlPlane?.state === 'found' ? [toSubject(controlPlane.object)] : [];
    return { pointsTo, remedies: ['nothing to do: the control plane provider replaces its Machines one by one'] };
  }
  return {
    pointsTo: rolling.map(toSubject),
    remedies: rolling.map(
      ({ metadata: { namespace = '', name } }) =>
        `see how far it is, and what stops it: npx capi-serverless why machinedeployment ${namespace}/${name}`,
    ),
  };
}

/** More Machines are not named. The tree shows them. */
const mostMachines = 3;

/** The first Machines that are not ready, and how to ask about them. */
function waitingMachines(machines: readonly Unstructured[]): WaitCause {
  const waiting = machines.filter(machine => viewObject(machine, machinePreference).mark !== 'ready');
  const named = waiting.slice(0, mostMachines);
  return {
    pointsTo: named.map(machine => `${toSubject(machine)}, ${toStateText(viewMember(machine))}`),
    remedies: named
      .slice(0, 1)
      .map(
        ({ metadata: { namespace = '', name } }) =>
          `see what the Machine waits for: npx capi-serverless why machine ${namespace}/${name}`,
      ),
  };
}

/** The stage of a deletion is more precise than the condition that the tree shows. */
function viewMember(member: Unstructured): ObjectView {
  const { mark, detail } = viewObject(member, machinePreference);
  const deleting = conditionOf(member, 'Deleting');
  return mark === 'deleting' && deleting?.status === 'True'
    ? { mark, detail: `${deleting.reason}: ${toWhy(deleting)}` }
    : { mark, detail };
}

function deletionCause(snapshot: Explaining, reason: string): WaitCause {
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
      return { pointsTo: finalizersOf(cluster), remedies: [toFinalizerRemedy(cluster)] };
    case 'InternalError':
      return unreadableCause(snapshot);
    default:
      return noCause;
  }
}

/** Usually a referenced object cannot be read, because its kind is no longer installed. Other errors are only logged. */
function unreadableCause(snapshot: Explaining): WaitCause {
  const isUnreadable = (referred: Referred | undefined): boolean =>
    referred?.state === 'notInstalled' || referred?.state === 'unreadable';
  const causes = [
    ...(isUnreadable(snapshot.controlPlane) ? [controlPlaneCause(snapshot)] : []),
    ...(isUnreadable(snapshot.infrastructure) ? [infrastructureCause(snapshot)] : []),
  ];
  return causes.length === 0
    ? { pointsTo: [], remedies: ['read the error of this Cluster in the log of function cluster ("Reconciler error")'] }
    : {
        pointsTo: causes.flatMap(({ pointsTo }) => pointsTo),
        remedies: causes.flatMap(({ remedies }) => remedies),
      };
}

/**
 * Only the topology reconciler calls the hook. Its condition reports whether an extension blocks the deletion. Until then
 * the annotation that skips the hook is not advised: an extension that was not asked yet may protect something.
 */
function hookCause(cluster: Unstructured): WaitCause {
  const condition = waitOfTopology(cluster)?.condition;
  if (condition === undefined || !mentionsHooks(condition)) {
    const { name, namespace = '' } = cluster.metadata;
    return {
      pointsTo: [],
      remedies: [
        'nothing to do: the topology reconciler asks the extensions next, and allows the deletion if there are none',
        `if this stays, see what the topology reconciler would do: npx capi-serverless plan topology ${namespace}/${name}`,
      ],
    };
  }
  return {
    pointsTo: [`condition TopologyReconciled: ${toWhy(condition)}`],
    remedies: [
      askHooks(cluster),
      `if what they protect, for instance a backup, may be lost, delete in spite of them: ${annotate(cluster, `${okToDeleteAnnotation}=`)}`,
    ],
  };
}

/** A member without a deletion timestamp only has the label of the Cluster. The Cluster does not own it. */
function memberDeletion({ cluster, machineDeployments, machines }: Explaining): WaitCause {
  const members = [...machineDeployments, ...machines];
  const { name, namespace = '' } = cluster.metadata;
  const remaining = members.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const selector = `-n ${namespace} -l ${clusterNameLabel}=${name}`;
  return {
    pointsTo: members.map(member => {
      const view = viewMember(member);
      return `${toSubject(member)}, ${view.mark === 'deleting' ? toStateText(view) : 'which is not deleted yet'}`;
    }),
    remedies:
      remaining.length > 0
        ? [
            `the Cluster deletes what it owns; delete the rest: kubectl delete machinedeployments,machinesets,machinepools,machines ${selector}`,
          ]
        : [
            ...waitingMachines(machines.filter(machine => conditionOf(machine, 'Deleting')?.status === 'True'))
              .remedies,
            ...new Set(members.map(toFinalizerRemedy)),
          ],
  };
}
