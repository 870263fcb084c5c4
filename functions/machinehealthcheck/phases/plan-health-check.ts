// The plan of one pass over a MachineHealthCheck. Both the actions and the report use it.
import { type Checked, type Instant, toRef } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import type { HealthCheckEarlyEnd, HealthCheckSeen, ObservedTargets } from '../seen.ts';
import type { JudgedTarget, UnhealthyCause } from './health.ts';
import {
  externalDrafts,
  externallyRemediatedType,
  healthyDrafts,
  isNewlyMarked,
  machinePatch,
  ownerDrafts,
  ownerRemediatedType,
  unhealthyDrafts,
} from './machine-conditions.ts';
import { nextLookMs } from './next-look.ts';
import { ownActions } from './own-metadata.ts';
import { planDeletedRequest, planRequest } from './plan-requests.ts';
import { countsOf, isExternal } from './targets.ts';
import { type TargetCounts, type TriggerState, triggerState } from './trigger.ts';

/** An action whose failure is an error of the pass. */
interface Needed {
  readonly id: string;
  /** Precedes the message of the failure. */
  readonly problem: string;
}

/** What the pass does for one Machine. */
interface TargetPlan {
  readonly actions: readonly Action[];
  readonly needed: readonly Needed[];
  /** Errors that are known before the actions. */
  readonly errors: readonly string[];
}

export interface TargetsPlan {
  readonly step: ObservedTargets['step'];
  readonly seen: ObservedTargets;
  readonly now: Instant;
  readonly counts: TargetCounts;
  readonly trigger: Checked<TriggerState>;
  readonly actions: readonly Action[];
  readonly machines: readonly TargetPlan[];
  readonly nextLookMs: number | undefined;
}

export type HealthCheckPlan = HealthCheckEarlyEnd | TargetsPlan;

export function plan(seen: HealthCheckSeen, now: Instant): HealthCheckPlan {
  return seen.step === 'targets' ? planTargets(seen, now) : seen;
}

function planTargets(seen: ObservedTargets, now: Instant): TargetsPlan {
  const { check, cluster, targets } = seen;
  const counts = countsOf(targets);
  const trigger = triggerState(check.spec.remediation.triggerIf, counts);
  const machines = trigger.ok ? planMachines(seen, trigger.value.isAllowed, now) : [];
  return {
    step: seen.step,
    seen,
    now,
    counts,
    trigger,
    actions: [...ownActions(check, cluster), ...machines.flatMap(({ actions }) => actions)],
    machines,
    nextLookMs: nextLookMs({
      check,
      isInitialized: isTrue(cluster.status.conditions, 'ControlPlaneInitialized'),
      targets,
    }),
  };
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
        actions: [
          ...deleted.actions,
          ...patch.actions.map(action => ({ ...action, when: both(deleted.isDone, action) })),
        ],
        needed: [...deleted.needed, ...patch.needed],
        errors: deleted.errors,
      }
    : { actions: [], needed: [], errors: deleted.errors };
}

function both(isDone: (outcomes: Outcomes) => boolean, { when }: Action) {
  return (outcomes: Outcomes): boolean => isDone(outcomes) && when?.(outcomes) !== false;
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
