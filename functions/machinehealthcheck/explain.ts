// The public interface of the MachineHealthCheck reconciler for CLI commands.
import { printDuration } from '@capi-serverless/apimachinery/duration';
import type { EarlyEnd } from '@capi-serverless/reconciler';
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { workloadApiAsReported } from '../../shared/explain/workload-api-as-reported.ts';
import type { Health, JudgedTarget } from './phases/health.ts';
import { patchCheckId } from './phases/own-metadata.ts';
import { isExternal } from './phases/trigger.ts';
import type { HealthCheckPlan, TargetsPlan } from './plan.ts';
import { machineHealthCheckReconciler } from './reconciler.ts';
import { describeHealthCheck, waitOfHealthCheck } from './why/describe-health-check.ts';

export const face = toFace({
  reconciler: machineHealthCheckReconciler,
  asReported: { workloadApi: workloadApiAsReported },
  whyOf: whyOfHealthCheck,
  conclude: concludeHealthCheck,
  waitOf: waitOfHealthCheck,
  describe: describeHealthCheck,
});

/** Describes the reason of each action of the MachineHealthCheck reconciler, and what a pass concludes. */
export function whyOfHealthCheck({ action }: ExplainedAction<HealthCheckPlan | EarlyEnd>): string | undefined {
  switch (action.do) {
    case 'create':
      return 'the Machine is unhealthy, and the remediation template asks an external controller to remediate it';
    case 'delete':
      return 'the Machine is healthy again, so its remediation ends';
    default:
      return action.id === patchCheckId
        ? 'the MachineHealthCheck lacks the owner reference or the label of its Cluster'
        : 'the conditions of the Machine differ from its health';
  }
}

/** The maximum number of Machines that are named. */
const mostNamed = 10;
const nanosecondsPerMs = 1_000_000n;

/** Which Machines are remediated now, and when the next ones may follow. */
export function concludeHealthCheck(plan: HealthCheckPlan | EarlyEnd): readonly string[] {
  if ('counts' in plan) {
    return concludeTargets(plan);
  }
  return 'error' in plan ? [`No Machine is judged: ${plan.error}`] : [];
}

function concludeTargets(plan: TargetsPlan): readonly string[] {
  const { seen, counts, trigger } = plan;
  const summary = `${counts.healthy} of ${counts.expected} Machines are healthy.`;
  if (!trigger.ok) {
    return [summary, `No Machine is remediated: ${trigger.error}`];
  }
  const unhealthy = namesOf(seen, 'unhealthy');
  const how = isExternal(seen.check) ? 'by the controller of its remediation request' : 'by its owner';
  const waiting = seen.targets.flatMap(pendingLine).slice(0, mostNamed);
  const remediated = trigger.value.isAllowed ? unhealthy.map(name => `Machine ${name} is remediated ${how}.`) : [];
  const blocked = trigger.value.isAllowed ? [] : [trigger.value.message];
  return [summary, ...blocked, ...remediated.slice(0, mostNamed), ...waiting];
}

function namesOf({ targets }: TargetsPlan['seen'], state: Health['state']): readonly string[] {
  return targets.filter(({ health }) => health.state === state).map(({ machine }) => machine.metadata.name);
}

function pendingLine({ machine, health }: JudgedTarget): readonly string[] {
  return health.state === 'pending'
    ? [`Machine ${machine.metadata.name} counts as unhealthy in ${secondsText(health.recheckMs)}, unless it recovers.`]
    : [];
}

function secondsText(ms: number): string {
  return printDuration(BigInt(Math.ceil(ms / 1000)) * 1000n * nanosecondsPerMs);
}
