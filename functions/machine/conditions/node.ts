// The conditions NodeReady and NodeHealthy of a Machine.
import { type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type ConditionDraft, getCondition, hasCondition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { neverConnectedMessage } from '../../../shared/api/cluster/remote-connection.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { NodeCondition, WorkloadNode } from '../../../shared/api/node/reader.ts';
import { type ConnectionState, failuresUntilDown, lostSince } from '../phases/node/connection.ts';
import type { NodeLookup } from '../phases/node/lookup.ts';
import { healthyStatuses, isBad } from '../phases/node/node-summary.ts';

export const nodeReadyType = 'NodeReady';
export const nodeHealthyType = 'NodeHealthy';

/** The Machine as after the phases of this pass. */
interface NodeConditionsScope {
  readonly machine: WholeMachine;
  readonly cluster: Cluster;
  readonly connection: ConnectionState;
  readonly lookup: NodeLookup;
  /** The time without a successful probe after which the conditions become Unknown. */
  readonly remoteConditionsGracePeriodMs: number;
  readonly now: Instant;
}

type State = Pick<ConditionDraft, 'status' | 'reason' | 'message' | 'lastTransitionTime'>;

/** Returns both conditions, or none if the stored ones stay. */
export function nodeConditions(scope: NodeConditionsScope): readonly ConditionDraft[] {
  const { lookup } = scope;
  const state = lookup.state === 'aborted' ? 'unchanged' : withoutConnection(scope);
  if (state === 'unchanged') {
    return [];
  }
  if (state === undefined && lookup.state === 'found') {
    return [
      { type: nodeReadyType, ...nodeReady(lookup.node) },
      { type: nodeHealthyType, ...nodeHealthy(lookup.node) },
    ];
  }
  const both = state ?? withoutNode(scope);
  return [
    { type: nodeReadyType, ...both },
    { type: nodeHealthyType, ...both },
  ];
}

/** Returns what the connection determines, also if the Node was found. `undefined` if the Node determines the state. */
function withoutConnection(scope: NodeConditionsScope): State | 'unchanged' | undefined {
  const { cluster, connection, lookup, now, remoteConditionsGracePeriodMs } = scope;
  if (!cluster.status.initialization.infrastructureProvisioned) {
    return inspectionFailed('Waiting for Cluster status.initialization.infrastructureProvisioned to be true');
  }
  const initialized = getCondition(cluster.status.conditions, 'ControlPlaneInitialized');
  if (initialized?.status !== 'True') {
    return inspectionFailed('Waiting for Cluster control plane to be initialized');
  }
  const { lastSuccessAt, consecutiveFailures } = connection;
  if (lastSuccessAt === undefined && consecutiveFailures < failuresUntilDown) {
    return unlessStored(scope, connectionDownState(neverConnectedMessage));
  }
  const down = connectionDownState(
    lastSuccessAt === undefined ? '' : `Last successful probe at ${toTimestamp(lastSuccessAt)}`,
  );
  if (now - lostSince(cluster, connection) > remoteConditionsGracePeriodMs) {
    return down;
  }
  if (lookup.state === 'notConnected') {
    return unlessStored(scope, down);
  }
  return lookup.state === 'failed'
    ? { status: 'Unknown', reason: 'InternalError', message: 'Please check controller logs for errors' }
    : undefined;
}

function unlessStored({ machine }: NodeConditionsScope, state: State): State | 'unchanged' {
  const { conditions } = machine.status;
  return hasCondition(conditions, nodeReadyType) && hasCondition(conditions, nodeHealthyType) ? 'unchanged' : state;
}

function withoutNode({ machine }: NodeConditionsScope): State {
  const { metadata, spec, status } = machine;
  const { name } = status.nodeRef;
  if (metadata.deletionTimestamp !== undefined) {
    return name === ''
      ? { status: 'Unknown', reason: 'NodeDoesNotExist', message: 'Node does not exist' }
      : { status: 'False', reason: 'NodeDeleted', message: `Node ${name} has been deleted` };
  }
  if (name !== '') {
    const message = `Node ${name} has been deleted while the Machine still exists`;
    return { status: 'False', reason: 'NodeDeleted', message };
  }
  return inspectionFailed(
    spec.providerID === ''
      ? `Waiting for ${spec.infrastructureRef.kind} to report spec.providerID`
      : `Waiting for a Node with spec.providerID ${spec.providerID} to exist`,
  );
}

function inspectionFailed(message: string): State {
  return { status: 'Unknown', reason: 'InspectionFailed', message };
}

function connectionDownState(message: string): State {
  return { status: 'Unknown', reason: 'ConnectionDown', message };
}

const notReported = 'Condition not yet reported';

/** If a Node has several conditions Ready, the last one counts. */
function nodeReady({ status }: WorkloadNode): State {
  const ready = status.conditions.findLast(({ type }) => type === 'Ready');
  if (ready === undefined) {
    return { status: 'Unknown', reason: 'NodeReadyUnknown', message: `* Node.Ready: ${notReported}` };
  }
  const time = withoutUndefined({ lastTransitionTime: ready.lastTransitionTime });
  const message = ready.message === '' ? '' : `* Node.Ready: ${ready.message}`;
  switch (ready.status) {
    case 'True':
      return { status: 'True', reason: 'NodeReady', message: '', ...time };
    case 'False':
      return { status: 'False', reason: 'NodeNotReady', message, ...time };
    default:
      return { status: 'Unknown', reason: 'NodeReadyUnknown', message, ...time };
  }
}

interface Finding {
  readonly type: string;
  readonly text: string;
  readonly isIssue: boolean;
  readonly isReported: boolean;
}

/** One line for each condition that is not good. Equal texts of all of them become one line. */
function nodeHealthy({ status }: WorkloadNode): State {
  const findings = Object.keys(healthyStatuses).flatMap(type => {
    const condition = status.conditions.findLast(each => each.type === type);
    return condition === undefined || isBad(condition) ? [toFinding(type, condition)] : [];
  });
  if (findings.length === 0) {
    return { status: 'True', reason: 'NodeHealthy', message: '' };
  }
  const reported = findings.filter(({ isReported }) => isReported);
  const [first] = reported;
  const areEqual = first !== undefined && reported.length > 1 && reported.every(({ text }) => text === first.text);
  const message = areEqual
    ? `* Node.AllConditions: ${first.text}`
    : findings.map(({ type, text }) => `* Node.${type}: ${text}`).join('\n');
  return findings.some(({ isIssue }) => isIssue)
    ? { status: 'False', reason: 'NodeNotHealthy', message }
    : { status: 'Unknown', reason: 'NodeHealthyUnknown', message };
}

function toFinding(type: string, condition: NodeCondition | undefined): Finding {
  if (condition === undefined) {
    return { type, text: notReported, isIssue: false, isReported: false };
  }
  const text = condition.message === '' ? `Condition is ${condition.status}` : condition.message;
  return { type, text, isIssue: condition.status !== 'Unknown', isReported: true };
}
