// The health of one Machine: annotation, Machine conditions, Node conditions, start-up. Pure.
import type { Instant } from '@capi-serverless/apimachinery';
import { printDuration } from '@capi-serverless/apimachinery/duration';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { getCondition, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { ConditionCheck, MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';
import type { NodeHealth } from '../../../shared/api/node/health-reader.ts';

const remediateAnnotation = 'cluster.x-k8s.io/remediate-machine';

const defaultStartupSeconds = 600;
/** Upstream adds it to each re-check, so that the condition has lasted long enough. */
const slackMs = 1000;
/** A Machine condition of a lost connection is judged again after this time, when its reconciler has seen the Node. */
const staleConditionMs = 30_000;

/** The Node that a Machine names, in the workload cluster. */
type NodeState =
  /** The Machine names no Node, or the workload cluster is not asked yet. */
  { readonly state: 'none' } | { readonly state: 'missing' } | { readonly state: 'found'; readonly node: NodeHealth };

/** A Machine that the MachineHealthCheck selects. */
export interface Target {
  readonly machine: WholeMachine;
  readonly node: NodeState;
}

export interface UnhealthyCause {
  readonly reason: string;
  readonly v1beta1Reason: string;
  readonly message: string;
  /** "" if there is none. */
  readonly v1beta1Message: string;
}

/** `pending` and `unknown` Machines are not changed. Both count as not healthy. */
export type Health =
  | { readonly state: 'unhealthy'; readonly cause: UnhealthyCause }
  /** A condition is bad, but not for long enough. */
  | { readonly state: 'pending'; readonly recheckMs: number }
  | { readonly state: 'healthy' }
  /** The Machine is being deleted, or it has no Node. */
  | { readonly state: 'unknown' };

/** A Machine and its health in this pass. */
export interface JudgedTarget extends Target {
  readonly health: Health;
}

export interface HealthScope {
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  readonly now: Instant;
}

export function healthOf(target: Target, scope: HealthScope): Health {
  if (remediateAnnotation in target.machine.metadata.annotations) {
    return { state: 'unhealthy', cause: annotated };
  }
  const ofMachine = isEvaluated(target, scope) ? machineFindings(target, scope) : [];
  const ofNode = isEvaluated(target, scope) ? nodeFindings(target, scope) : { findings: [], ...noReason };
  const findings = [...ofMachine, ...ofNode.findings];
  const messages = findings.flatMap(({ message }) => message ?? []);
  if (messages.length > 0) {
    const isOfMachine = ofMachine.some(({ message }) => message !== undefined);
    return { state: 'unhealthy', cause: toCause(messages, isOfMachine ? machineReason : ofNode) };
  }
  if (findings.length > 0) {
    return { state: 'pending', recheckMs: Math.min(...findings.map(({ recheckMs }) => recheckMs)) };
  }
  const hasNode = target.node.state === 'found' && target.machine.metadata.deletionTimestamp === undefined;
  return { state: hasNode ? 'healthy' : 'unknown' };
}

const annotated: UnhealthyCause = {
  reason: 'HasRemediateAnnotation',
  v1beta1Reason: 'HasRemediateMachineAnnotation',
  message: `Health check failed: marked for remediation via ${remediateAnnotation} annotation`,
  v1beta1Message: 'Marked for remediation via remediate-machine annotation',
};

interface Reasons {
  readonly reason: string;
  readonly v1beta1Reason: string;
}

const noReason: Reasons = { reason: '', v1beta1Reason: '' };
const machineReason: Reasons = { reason: 'UnhealthyMachine', v1beta1Reason: 'UnhealthyMachine' };
const nodeReason: Reasons = { reason: 'UnhealthyNode', v1beta1Reason: 'UnhealthyNode' };
const deletedReason: Reasons = { reason: 'NodeDeleted', v1beta1Reason: 'NodeNotFound' };
const startupReason: Reasons = { reason: 'NodeStartupTimeout', v1beta1Reason: 'NodeStartupTimeout' };

/** As in upstream, the deprecated condition of a deleted Node has no message. */
function toCause(messages: readonly string[], { reason, v1beta1Reason }: Reasons): UnhealthyCause {
  return {
    reason,
    v1beta1Reason,
    message: ['Health check failed:', ...messages.map(message => `  * ${message}`)].join('\n'),
    v1beta1Message: v1beta1Reason === deletedReason.v1beta1Reason ? '' : messages.join('; '),
  };
}

/** Before the control plane is initialized, only its own Machines are checked. */
function isEvaluated({ machine }: Target, { cluster }: HealthScope): boolean {
  const { conditions } = cluster.status;
  const isStarted = isTrue(conditions, 'ControlPlaneInitialized') || controlPlaneLabel in machine.metadata.labels;
  return isStarted && isTrue(conditions, 'InfrastructureReady');
}

interface Finding {
  /** `undefined`: the cause has not lasted for long enough. */
  readonly message: string | undefined;
  readonly recheckMs: number;
}

/**
 * A condition that a lost connection left behind says nothing about the Machine. Without this rule, all Machines of a
 * Cluster could be remediated as soon as the connection returns.
 */
function machineFindings({ machine }: Target, { check, now }: HealthScope): readonly Finding[] {
  const { conditions } = machine.status;
  return check.spec.checks.unhealthyMachineConditions.flatMap(entry => {
    const condition = getCondition(conditions, entry.type);
    if (condition?.status === entry.status && condition.reason === 'ConnectionDown') {
      return [{ message: undefined, recheckMs: staleConditionMs }];
    }
    return conditionFindings({ entry, condition, subject: 'Machine', now });
  });
}

function nodeFindings(target: Target, scope: HealthScope): Reasons & { readonly findings: readonly Finding[] } {
  const { machine, node } = target;
  const { check, now } = scope;
  switch (node.state) {
    case 'missing':
      return {
        ...deletedReason,
        findings: [{ message: `Node ${machine.status.nodeRef.name} has been deleted`, recheckMs: 0 }],
      };
    case 'none':
      return { ...startupReason, findings: startupFindings(machine, scope) };
    case 'found':
      return {
        ...nodeReason,
        findings: check.spec.checks.unhealthyNodeConditions.flatMap(entry =>
          conditionFindings({ entry, condition: getCondition(node.node.conditions, entry.type), subject: 'Node', now }),
        ),
      };
  }
}

interface Checked {
  readonly entry: ConditionCheck;
  readonly condition:
    | { readonly status: string; readonly reason: string; readonly lastTransitionTime?: string | undefined }
    | undefined;
  readonly subject: 'Machine' | 'Node';
  readonly now: Instant;
}

/** A condition without a time has lasted for no time, so that an incomplete answer remediates nothing. */
function conditionFindings({ entry, condition, subject, now }: Checked): readonly Finding[] {
  const { type, status, timeoutSeconds } = entry;
  if (condition === undefined || condition.status !== status) {
    return [];
  }
  const since = instantOf(condition.lastTransitionTime) ?? now;
  const text = `Condition ${type} on ${subject} is reporting status ${status} with reason ${condition.reason}`;
  return afterTimeout({ since, seconds: timeoutSeconds, now }, `${text} for more than ${durationText(timeoutSeconds)}`);
}

function startupFindings(machine: WholeMachine, { check, cluster, now }: HealthScope): readonly Finding[] {
  const seconds = check.spec.checks.nodeStartupTimeoutSeconds ?? defaultStartupSeconds;
  if (seconds === 0) {
    return [];
  }
  const since = Math.max(
    instantOf(machine.metadata.creationTimestamp) ?? now,
    trueSince(cluster.status.conditions, 'ControlPlaneInitialized'),
    trueSince(cluster.status.conditions, 'InfrastructureReady'),
    trueSince(machine.status.conditions, 'InfrastructureReady'),
  );
  return afterTimeout({ since, seconds, now }, `Node failed to report startup in ${durationText(seconds)}`);
}

function trueSince(conditions: WholeMachine['status']['conditions'], type: string): Instant {
  const condition = getCondition(conditions, type);
  const since = condition?.status === 'True' ? instantOf(condition.lastTransitionTime) : undefined;
  return since ?? Number.NEGATIVE_INFINITY;
}

interface Timeout {
  readonly since: Instant;
  readonly seconds: number;
  readonly now: Instant;
}

function afterTimeout({ since, seconds, now }: Timeout, message: string): readonly Finding[] {
  const leftMs = since + seconds * 1000 - now;
  return [{ message: leftMs < 0 ? message : undefined, recheckMs: leftMs + slackMs }];
}

const nanosecondsPerSecond = 1_000_000_000n;

function durationText(seconds: number): string {
  return printDuration(BigInt(seconds) * nanosecondsPerSecond);
}
