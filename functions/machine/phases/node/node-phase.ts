// The Node phase: finds the Node, gives it labels, annotations and taints, and names it in the status of the Machine.
import type { JsonObject, ObjectRef } from '@capi-serverless/apimachinery';
import { type V1Beta1Draft, v1Beta1False, v1Beta1Unknown } from '@capi-serverless/cluster-api/conditions';
import type { Action, EventDraft, WorkloadTarget } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WorkloadNode } from '../../../../shared/api/node/reader.ts';
import { connectionDown, type NodeLookup } from './lookup.ts';
import { toNodeInfo } from './node-info.ts';
import { type NodeSync, planNode } from './node-patch.ts';
import { summarizeNode } from './node-summary.ts';

const nodeHealthyType = 'NodeHealthy';

export const patchNodeId = 'node:patch';

export function toNodeRef(name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Node', name };
}

/** The effect of the phase on the Machine. An absent field changes nothing. */
export interface NodeChange {
  readonly v1beta1?: V1Beta1Draft;
  readonly errors?: readonly string[];
  /** Errors after which a timer requests the next pass, without backoff. */
  readonly deferredErrors?: readonly string[];
  readonly events?: readonly EventDraft[];
  /** The name of the Node, if the Machine names none yet. */
  readonly nodeRef?: string;
  readonly nodeInfo?: JsonObject | undefined;
}

export interface NodePlan {
  readonly actions: readonly Action[];
  /** The change that does not depend on the write. */
  readonly always: NodeChange;
  /** The change if the write to the Node succeeded, or if none was necessary. */
  readonly afterWrite: NodeChange;
  /** The prefix of the error of a failed write. */
  readonly problem: string;
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

export function planNodePhase(scope: NodeScope): NodePlan {
  const { machine } = scope.sync;
  const { lookup } = scope;
  switch (lookup.state) {
    case 'noProviderID':
      return only({ v1beta1: v1Beta1False(nodeHealthyType, { reason: 'WaitingForNodeRef', severity: 'Info' }) });
    case 'notConnected':
      return only({ deferredErrors: [notConnectedError(scope)] });
    case 'missing':
      return only(whenMissing(machine));
    case 'aborted':
      return only({ errors: [lookup.error] });
    case 'failed':
      return only(whenFailed(lookup.error));
    case 'found':
      return planFound(scope, lookup.node);
  }
}

function only(always: NodeChange): NodePlan {
  return { actions: [], always, afterWrite: {}, problem: '' };
}

/** Upstream watches Nodes once the control plane is initialized. Before, it only needs a client. */
function notConnectedError({ isControlPlaneInitialized }: NodeScope): string {
  return isControlPlaneInitialized
    ? `error creating watch machine-watchNodes for *v1.Node: ${connectionDown}`
    : `error getting client: ${connectionDown}`;
}

function whenMissing({ metadata, status }: WholeMachine): NodeChange {
  if (metadata.deletionTimestamp !== undefined) {
    return {};
  }
  if (status.nodeRef.name === '') {
    const message = 'Waiting for a node with matching ProviderID to exist';
    return { v1beta1: v1Beta1False(nodeHealthyType, { reason: 'NodeProvisioning', severity: 'Warning', message }) };
  }
  const { name, namespace } = metadata;
  return {
    v1beta1: v1Beta1False(nodeHealthyType, { reason: 'NodeNotFound', severity: 'Error' }),
    deferredErrors: [
      `no matching Node for Machine "${name}" in namespace "${namespace}": cannot find node with matching ProviderID`,
    ],
  };
}

function whenFailed(error: string): NodeChange {
  const message = 'Failed to get the Node for this Machine by ProviderID';
  return {
    v1beta1: v1Beta1Unknown(nodeHealthyType, { reason: 'NodeInspectionFailed', message }),
    errors: [error],
    events: [{ type: 'Warning', reason: 'Failed to retrieve Node by ProviderID', message: error }],
  };
}

function planFound(scope: NodeScope, node: WorkloadNode): NodePlan {
  const { sync, target, infrastructure, interruptibleError } = scope;
  const { name, resourceVersion } = node.metadata;
  const found: NodeChange = { ...newNodeRef(sync.machine, name), nodeInfo: toNodeInfo(node.status.nodeInfo) };
  if (interruptibleError !== undefined) {
    return only({ ...found, errors: [interruptibleError] });
  }
  const problem = `failed to reconcile Node ${name}`;
  const planned = planNode(node, sync);
  if (!planned.ok) {
    return only({ ...found, errors: [`${problem}: ${planned.error}`] });
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
  return { actions: patch === undefined ? [] : [action], always: found, afterWrite: { v1beta1: health }, problem };
}

/** A Machine that names a Node keeps this name. */
function newNodeRef({ status }: WholeMachine, name: string): NodeChange {
  return status.nodeRef.name === ''
    ? { nodeRef: name, events: [{ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: name }] }
    : {};
}
