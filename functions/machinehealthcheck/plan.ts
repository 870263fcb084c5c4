// The plan of one pass over a MachineHealthCheck. Both the actions and the report use it.
import { type Checked, type Instant, toRef } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import {
  type Action,
  concluded,
  inOrder,
  type NeededWrite,
  type Outcomes,
  onlyIf,
  type PassChange,
  type Phase,
} from '@capi-serverless/reconciler';
import type { MachineHealthCheck } from '../../shared/api/machine-health-check/reader.ts';
import { externallyRemediatedType, ownerRemediatedType } from './phases/condition-types.ts';
import type { JudgedTarget, UnhealthyCause } from './phases/health.ts';
import {
  externalDrafts,
  healthyDrafts,
  isNewlyMarked,
  machinePatch,
  ownerDrafts,
  unhealthyDrafts,
} from './phases/machine-conditions.ts';
import { ownPhase } from './phases/own-metadata.ts';
import { planDeletedRequest, planRequest } from './phases/plan-requests.ts';
import { countsOf, isExternal, type TargetCounts, type TriggerState, triggerState } from './phases/trigger.ts';
import type { ObservedHealthCheck, ObservedTargets } from './seen.ts';

/** What the pass does for one Machine. */
interface TargetPlan {
  readonly actions: readonly Action[];
  readonly needed: readonly NeededWrite[];
  /** Errors that are known before the actions. */
  readonly errors: readonly string[];
}

export interface TargetsPlan extends Phase<PassChange> {
  readonly step: ObservedTargets['step'];
  readonly seen: ObservedTargets;
  readonly now: Instant;
  readonly counts: TargetCounts;
  readonly trigger: Checked<TriggerState>;
}

interface WithoutTargetsPlan extends Phase<PassChange> {
  readonly step: 'withoutTargets';
  readonly error: string;
}

export type HealthCheckPlan = WithoutTargetsPlan | TargetsPlan;

export function plan(seen: ObservedHealthCheck, now: Instant): HealthCheckPlan {
  const { check, cluster } = seen;
  const own = ownPhase(check, cluster);
  const first = { ...own, steps: [] };
  // As in upstream, the error of this patch is the last one.
  const last = { ...own, actions: [] };
  if (seen.step === 'withoutTargets') {
    const { step, error, isDown } = seen;
    // While a Cluster is deleted, its workload cluster need not answer.
    const isExpected = isDown && cluster.metadata.deletionTimestamp !== undefined;
    const conclusion: PassChange = isExpected ? { requeues: [shortestPollMs] } : { errors: [error] };
    return { step, error, ...inOrder([first, concluded(conclusion), last]) };
  }
  const { step, targets } = seen;
  const counts = countsOf(targets);
  const trigger = triggerState(check.spec.remediation.triggerIf, counts);
  const machines: readonly Phase<PassChange>[] = trigger.ok
    ? planMachines(seen, trigger.value.isAllowed, now).map(toPhase)
    : [concluded({ errors: [`error checking if remediation is allowed: ${trigger.error}`] })];
  const isInitialized = isTrue(cluster.status.conditions, 'ControlPlaneInitialized');
  const wait = nextPassMs({ check, isInitialized, targets });
  const timer = wait === undefined ? concluded<PassChange>() : concluded<PassChange>({ requeues: [wait] });
  return { step, seen, now, counts, trigger, ...inOrder([first, ...machines, last, timer]) };
}

function toPhase({ actions, errors, needed: needs }: TargetPlan): Phase<PassChange> {
  return { actions, steps: [{ change: { errors } }, { change: {}, needs }] };
}

/** While remediation is allowed, unhealthy Machines come first. */
function planMachines(seen: ObservedTargets, isAllowed: boolean, now: Instant): readonly TargetPlan[] {
  const [first, second] = isAllowed ? (['unhealthy', 'healthy'] as const) : (['healthy', 'unhealthy'] as const);
  return [first, second].flatMap(state =>
    seen.targets
      .filter(({ health }) => health.state === state)
      .map(target => planMachine(seen, { target, isAllowed, now })),
  );
}

interface Judged {
  readonly target: JudgedTarget;
  readonly isAllowed: boolean;
  readonly now: Instant;
}

function planMachine(seen: ObservedTargets, judged: Judged): TargetPlan {
  const { health } = judged.target;
  return health.state === 'unhealthy' ? planUnhealthy(seen, judged, health.cause) : planHealthy(seen, judged);
}

function planUnhealthy(seen: ObservedTargets, judged: Judged, cause: UnhealthyCause): TargetPlan {
  const { machine } = judged.target;
  const drafts = unhealthyDrafts(cause);
  if (!judged.isAllowed) {
    return planPatch(seen, judged, { drafts: () => [drafts], cause: undefined, state: '' });
  }
  const { check, external } = seen;
  if (external === undefined) {
    return planPatch(seen, judged, { drafts: () => [drafts, ownerDrafts(machine)], cause, state: 'unhealthy ' });
  }
  const request = planRequest(machine, check, external);
  const patch = planPatch(seen, judged, {
    drafts: outcomes => {
      const state = request.stateOf(outcomes);
      return state === undefined ? [drafts] : [drafts, externalDrafts(machine, state)];
    },
    cause,
    state: 'unhealthy ',
  });
  return {
    actions: [...request.actions, ...patch.actions],
    needed: [...request.needed, ...patch.needed],
    errors: request.errors,
  };
}

/** As in upstream, with external remediation only a Machine whose request is deleted is reported as healthy. */
function planHealthy(seen: ObservedTargets, judged: Judged): TargetPlan {
  const state = judged.isAllowed ? 'healthy ' : '';
  const patch = planPatch(seen, judged, { drafts: () => [healthyDrafts], cause: undefined, state });
  if (seen.external === undefined) {
    return patch;
  }
  const deleted = planDeletedRequest(judged.target.machine, seen.external);
  return deleted.isPatched
    ? {
        actions: [...deleted.actions, ...onlyIf(deleted.isDone, { actions: patch.actions, steps: [] }).actions],
        needed: [...deleted.needed, ...patch.needed],
        errors: deleted.errors,
      }
    : { actions: [], needed: [], errors: deleted.errors };
}

interface Patching {
  readonly drafts: (outcomes: Outcomes) => Parameters<typeof machinePatch>[1];
  /** `undefined` if the Machine is not marked for remediation. */
  readonly cause: UnhealthyCause | undefined;
  /** Part of the error. "" if remediation is not allowed. */
  readonly state: '' | 'healthy ' | 'unhealthy ';
}

function patchMachineId(name: string): string {
  return `machine:${name}`;
}

function planPatch(
  { check }: ObservedTargets,
  { target, now }: Judged,
  { drafts, cause, state }: Patching,
): TargetPlan {
  const { machine } = target;
  const { namespace, name, resourceVersion } = machine.metadata;
  const id = patchMachineId(name);
  const bodyOf = (outcomes: Outcomes) => machinePatch(machine, drafts(outcomes), now);
  const message = `Machine ${namespace}/${name} has been marked as unhealthy by ${namespace}/${check.metadata.name}`;
  const remediated = isExternal(check) ? externallyRemediatedType : ownerRemediatedType;
  const isNews = cause !== undefined && isNewlyMarked(machine, cause, remediated);
  const action: Action = {
    id,
    onError: 'continue',
    do: 'patch',
    ref: toRef(machine.object),
    subresource: 'status',
    body: outcomes => bodyOf(outcomes) ?? {},
    when: outcomes => bodyOf(outcomes) !== undefined,
    resourceVersion,
    ...(isNews
      ? { toEvent: () => ({ type: 'Normal', reason: 'MachineMarkedUnhealthy', message, about: machine.object }) }
      : {}),
  };
  const problem = `failed to patch ${state}machine status for machine: ${namespace}/${name}: failed to patch Machine ${namespace}/${name}`;
  return { actions: [action], needed: [{ id, problem }], errors: [] };
}

const shortestMs = 15_000;
/** Timers may fire up to half of their delay late. Longer re-checks ask for an earlier time. */
const exactUpToMs = 60_000;
const shortestPollMs = 60_000;
const longestPollMs = 600_000;

interface JudgedCheck {
  readonly check: MachineHealthCheck;
  readonly isInitialized: boolean;
  readonly targets: readonly JudgedTarget[];
}

/** `undefined`: nothing changes with time. */
function nextPassMs({ check, isInitialized, targets }: JudgedCheck): number | undefined {
  const rechecks = targets.flatMap(({ health }) => (health.state === 'pending' ? [early(health.recheckMs)] : []));
  const hasNode = isInitialized && targets.some(({ machine }) => machine.status.nodeRef.name !== '');
  const waits = [...rechecks, ...(hasNode ? [pollMs(check)] : [])];
  return waits.length === 0 ? undefined : Math.max(Math.min(...waits), shortestMs);
}

function early(ms: number): number {
  return ms <= exactUpToMs ? ms : Math.max(Math.round((ms * 2) / 3), exactUpToMs);
}

/** A condition has the time of its last change, so a pass within its timeout finds the exact time of the next one. */
function pollMs({ spec }: MachineHealthCheck): number {
  const timeouts = spec.checks.unhealthyNodeConditions.flatMap(({ timeoutSeconds }) =>
    timeoutSeconds > 0 ? [timeoutSeconds * 1000] : [],
  );
  return Math.min(Math.max(Math.min(...timeouts, longestPollMs), shortestPollMs), longestPollMs);
}
