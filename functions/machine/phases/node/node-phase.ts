// The Node phase: finds the Node, gives it labels, annotations and taints, and names it in the status of the Machine.
import { isJsonObject, type JsonObject, type ObjectRef } from '@capi-serverless/apimachinery';
import { isTrue, toFittingMessage, v1Beta1False, v1Beta1Unknown } from '@capi-serverless/cluster-api/conditions';
import { readInterruptible } from '@capi-serverless/cluster-api/contract';
import {
  type Action,
  concluded,
  failureOf,
  type Outcomes,
  onlyIf,
  type WorkloadTarget,
} from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';
import type { Scoped } from '../../../../shared/external/external.ts';
import { ownActionId } from '../../../../shared/external/object-owner.ts';
import type { MachineChange, MachinePhase } from '../pass-progress.ts';
import type { MachineScope } from '../scope.ts';
import { toTarget } from '../target.ts';
import { connectionDown, type NodeLookup } from './lookup.ts';
import { type NodeSync, planNode } from './node-patch.ts';
import { summarizeNode } from './node-summary.ts';

const nodeHealthyType = 'NodeHealthy';

export const patchNodeId = 'node:patch';

export function toNodeRef(name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Node', name };
}

export interface NodeScope {
  readonly sync: NodeSync;
  readonly lookup: NodeLookup;
  readonly target: WorkloadTarget;
  /** Whether the condition ControlPlaneInitialized of the Cluster is True. */
  readonly isControlPlaneInitialized: boolean;
  /** 'absent': the infrastructure object is missing or could not be read. */
  readonly infrastructure: 'absent' | 'deleting' | 'present';
  /** Set if the field `status.interruptible` of the infrastructure object has a wrong type. */
  readonly interruptibleError: string | undefined;
}

/**
 * Without its Cluster, a Machine in deletion has no workload cluster. A providerID of this pass is not stored if the owner
 * reference could not be written. Its Node is not used then.
 */
export function nodePhase(scope: MachineScope): MachinePhase {
  const { machine, cluster, externals } = scope;
  if (cluster === undefined) {
    return concluded();
  }
  const isNewId = externals.providerID !== machine.spec.providerID;
  const isStored = (outcomes: Outcomes) => !isNewId || failureOf(outcomes, ownActionId('infrastructure')) === undefined;
  return onlyIf(isStored, planNodePhase(toNodeScope(scope, cluster)));
}

function toNodeScope(scope: MachineScope, cluster: Cluster): NodeScope {
  const { machine, machineSet, machineDeployment, settings, lookup, externals } = scope;
  const { scoped } = externals.infrastructure;
  const interruptible = scoped.state === 'inScope' ? readInterruptible(scoped.object) : undefined;
  const isUnreadable = scoped.state === 'unknown';
  return {
    sync: {
      machine,
      machineSet,
      machineDeployment,
      isInterruptible: isUnreadable ? undefined : interruptible?.state === 'value' && interruptible.value,
      settings,
    },
    lookup,
    target: toTarget(cluster),
    isControlPlaneInitialized: isTrue(cluster.status.conditions, 'ControlPlaneInitialized'),
    infrastructure: infrastructureState(scoped),
    interruptibleError:
      interruptible?.state === 'wrongType'
        ? `failed to get status interruptible from infra machine ${machine.metadata.namespace}/${machine.spec.infrastructureRef.name}: ${interruptible.error}`
        : undefined,
  };
}

function infrastructureState(scoped: Scoped): NodeScope['infrastructure'] {
  if (scoped.state !== 'inScope') {
    return 'absent';
  }
  return scoped.object.metadata.deletionTimestamp === undefined ? 'present' : 'deleting';
}

export function planNodePhase(scope: NodeScope): MachinePhase {
  const { machine } = scope.sync;
  const { lookup } = scope;
  switch (lookup.state) {
    case 'noProviderID':
      return concluded({ v1beta1: [v1Beta1False(nodeHealthyType, { reason: 'WaitingForNodeRef', severity: 'Info' })] });
    case 'notConnected':
      return concluded({ deferredErrors: [notConnectedError(scope)] });
    case 'missing':
      return concluded(whenMissing(machine));
    case 'aborted':
      return concluded({ errors: [lookup.error] });
    case 'failed':
      return concluded(whenFailed(lookup.error));
    case 'found':
      return planFound(scope, lookup.node);
  }
}

/** Upstream watches Nodes once the control plane is initialized. Before, it only needs a client. */
function notConnectedError({ isControlPlaneInitialized }: NodeScope): string {
  return isControlPlaneInitialized
    ? `error creating watch machine-watchNodes for *v1.Node: ${connectionDown}`
    : `error getting client: ${connectionDown}`;
}

function whenMissing({ metadata, status }: WholeMachine): MachineChange {
  if (metadata.deletionTimestamp !== undefined) {
    return {};
  }
  if (status.nodeRef.name === '') {
    const message = 'Waiting for a node with matching ProviderID to exist';
    return { v1beta1: [v1Beta1False(nodeHealthyType, { reason: 'NodeProvisioning', severity: 'Warning', message })] };
  }
  const { name, namespace } = metadata;
  return {
    v1beta1: [v1Beta1False(nodeHealthyType, { reason: 'NodeNotFound', severity: 'Error' })],
    deferredErrors: [
      `no matching Node for Machine "${name}" in namespace "${namespace}": cannot find node with matching ProviderID`,
    ],
  };
}

function whenFailed(error: string): MachineChange {
  const message = 'Failed to get the Node for this Machine by ProviderID';
  return {
    v1beta1: [v1Beta1Unknown(nodeHealthyType, { reason: 'NodeInspectionFailed', message })],
    errors: [error],
    events: [{ type: 'Warning', reason: 'Failed to retrieve Node by ProviderID', message: error }],
  };
}

function planFound(scope: NodeScope, node: WorkloadNode): MachinePhase {
  const { sync, target, infrastructure, interruptibleError } = scope;
  const { name, resourceVersion } = node.metadata;
  const found: MachineChange = { ...newNodeRef(sync.machine, name), nodeInfo: toNodeInfo(node.status.nodeInfo) };
  if (interruptibleError !== undefined) {
    return concluded({ ...found, errors: [interruptibleError] });
  }
  const problem = `failed to reconcile Node ${name}`;
  const planned = planNode(node, sync);
  if (!planned.ok) {
    return concluded({ ...found, errors: [`${problem}: ${planned.error}`] });
  }
  const { patch, addsInterruptible } = planned.value;
  const action: Action = {
    id: patchNodeId,
    onError: 'continue',
    do: 'patch',
    ref: toNodeRef(name),
    body: patch ?? {},
    resourceVersion,
    target,
    ...(addsInterruptible
      ? { toEvent: () => ({ type: 'Normal', reason: 'SuccessfulSetInterruptibleNodeLabel', message: name }) }
      : {}),
  };
  const health =
    infrastructure === 'present'
      ? summarizeNode(node)
      : v1Beta1False(nodeHealthyType, { reason: 'Deleting', severity: 'Info' });
  const actions = patch === undefined ? [] : [action];
  const needs = actions.map(({ id }) => ({ id, problem }));
  return { actions, steps: [{ change: found }, { change: { v1beta1: [health] }, needs }] };
}

/** A Machine that names a Node keeps this name. */
function newNodeRef({ status }: WholeMachine, name: string): MachineChange {
  return status.nodeRef.name === ''
    ? { nodeRef: name, events: [{ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: name }] }
    : {};
}

/** The schema of Machines requires these fields. */
const fields = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
] as const;

/** The maximum length of a field. That of the kubelet version becomes a version in the status of MachineSets. */
const longestField = 256;

/**
 * Returns the fields that the schema of Machines knows. A missing field becomes "", because the API server would refuse
 * the status. A longer text is cut. Without `nodeInfo`, returns `undefined`.
 */
export function toNodeInfo(raw: unknown): JsonObject | undefined {
  if (!isJsonObject(raw)) {
    return undefined;
  }
  const texts = fields.map(field => [field, toText(raw[field])] as const);
  const capacity = isJsonObject(raw['swap']) ? raw['swap']['capacity'] : undefined;
  return {
    ...Object.fromEntries(texts),
    ...(typeof capacity === 'number' && Number.isInteger(capacity) ? { swap: { capacity } } : {}),
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? toFittingMessage(value, longestField) : '';
}
