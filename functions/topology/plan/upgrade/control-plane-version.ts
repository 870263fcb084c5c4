// Determines the version of the control plane object in this pass, and calls the hooks that can block it.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/implement-lifecycle-hooks
import { type Checked, compareText, invalid, valid } from '@capi-serverless/apimachinery';
import { compareVersionsWithBuild, parseVersion } from '@capi-serverless/cluster-api/contract';
import type { AskingPlan } from '@capi-serverless/reconciler';
import type { Annotations } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import {
  afterClusterUpgrade,
  afterControlPlaneUpgrade,
  afterWorkersUpgrade,
  beforeClusterUpgrade,
  beforeControlPlaneUpgrade,
  beforeWorkersUpgrade,
} from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { Hook, RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import type { AfterUpgradeStepRequest, UpgradeSteps } from '../../../../shared/runtime-hooks/rules/requests.ts';
import { beforeUpgradeAnnotationPrefix, upgradeStepAnnotation } from '../../../../shared/topology/model/keys.ts';
import type { ControlPlaneObject } from '../../../../shared/topology/upgrade/control-plane-object.ts';
import { callHook, type HookQuestion } from '../questions.ts';
import { type HookState, isBlocking, isMarked, withAnswer, withMarks, withoutMarks, withStart } from './hook-state.ts';
import type { ControlPlaneProgress } from './version-progress.ts';

/** One list per kind of workers. A list is empty if there are no workers of this kind. */
export interface Plans {
  readonly controlPlane: readonly string[];
  readonly machineDeployments: readonly string[];
  readonly machinePools: readonly string[];
}

export interface ControlPlaneFacts {
  readonly topologyVersion: string;
  /** Undefined if there is no control plane object yet. */
  readonly current: ControlPlaneObject | undefined;
  readonly plans: Plans;
  /** The lowest version of all workers, "" if there are none. */
  readonly minWorkersVersion: string;
  readonly areWorkersUpgrading: boolean;
  readonly runtimeSdk: boolean;
}

interface ControlPlaneDecision {
  readonly progress: ControlPlaneProgress;
  readonly hookState: HookState;
}

/** Facts about an existing control plane object. */
type PresentFacts = ControlPlaneFacts & { readonly current: ControlPlaneObject };

/** The outcome of one part of the decision: either the control plane keeps its version, or the next part runs. */
interface Part {
  readonly isHeld: boolean;
  readonly isWaitingForWorkersUpgrade: boolean;
  readonly hookState: HookState;
}

/** Fails only if a version must change and no plan contains the next version. */
export function* decideControlPlane(
  facts: ControlPlaneFacts,
  hookState: HookState,
): AskingPlan<HookQuestion, Checked<ControlPlaneDecision>> {
  const { topologyVersion, current } = facts;
  if (current === undefined) {
    return valid({ progress: toProgress(facts, { version: topologyVersion, isPendingUpgrade: false }), hookState });
  }
  const present = { ...facts, current };
  const isPendingUpgrade = current.version !== topologyVersion;
  const kept = { version: current.version, isPendingUpgrade };
  if (current.isProvisioning) {
    return valid({ progress: toProgress(facts, { ...kept, isProvisioning: true }), hookState });
  }
  if (current.isUpgrading) {
    return valid({ progress: toProgress(facts, { ...kept, isUpgrading: true }), hookState });
  }
  const finished = yield* finishStep(present, withoutFalseStart(present, hookState));
  const { isWaitingForWorkersUpgrade } = finished;
  if (finished.isHeld || !isPendingUpgrade) {
    return valid({
      progress: toProgress(facts, { ...kept, isWaitingForWorkersUpgrade }),
      hookState: finished.hookState,
    });
  }
  return yield* startStep(present, finished.hookState);
}

type Flags = Pick<ControlPlaneProgress, 'version' | 'isPendingUpgrade'> &
  Partial<Omit<ControlPlaneProgress, 'upgradePlan'>>;

function toProgress({ plans }: ControlPlaneFacts, flags: Flags): ControlPlaneProgress {
  return {
    isProvisioning: false,
    isUpgrading: false,
    isStartingUpgrade: false,
    isWaitingForWorkersUpgrade: false,
    ...flags,
    upgradePlan: plans.controlPlane,
  };
}

const stepHooks = [afterControlPlaneUpgrade, beforeWorkersUpgrade, afterWorkersUpgrade] as const;

/**
 * Hook annotations of a step are written before the control plane object. If the annotation of the step has a newer
 * version than the object, the object was not written. Then the hooks after the step must not be called yet.
 */
function withoutFalseStart({ current }: PresentFacts, hookState: HookState): HookState {
  const step = parseVersion(hookState.stored[upgradeStepAnnotation] ?? '');
  const is = parseVersion(current.version);
  if (step === undefined || is === undefined) {
    return hookState;
  }
  const order = compareVersionsWithBuild(step, is);
  return order === 1 || order === 'incomparable' ? withoutMarks(hookState, ...stepHooks) : hookState;
}

/** The remaining work at the current version of the control plane: its hooks, then the workers, then their hooks. */
function* finishStep(facts: PresentFacts, opened: HookState): AskingPlan<HookQuestion, Part> {
  const { current, plans, areWorkersUpgrading, runtimeSdk } = facts;
  const open = { isHeld: false, isWaitingForWorkersUpgrade: false };
  const held = { ...open, isHeld: true };
  let hookState = opened;
  if (runtimeSdk) {
    hookState = yield* callIfMarked(afterControlPlaneUpgrade, facts, hookState);
    if (isMarked(hookState, afterControlPlaneUpgrade)) {
      return { ...held, hookState };
    }
    hookState = yield* callBeforeWorkers(facts, hookState);
    if (isMarked(hookState, beforeWorkersUpgrade)) {
      return { ...held, hookState };
    }
  }
  if (isNextStop(plans, current.version)) {
    return { isHeld: true, isWaitingForWorkersUpgrade: true, hookState };
  }
  if (areWorkersUpgrading) {
    return { ...held, hookState };
  }
  if (runtimeSdk) {
    hookState = yield* callIfMarked(afterWorkersUpgrade, facts, hookState);
  }
  return { ...open, isHeld: runtimeSdk && isMarked(hookState, afterWorkersUpgrade), hookState };
}

function* callIfMarked(
  hook: Hook<AfterUpgradeStepRequest, RetryResponse>,
  facts: PresentFacts,
  hookState: HookState,
): AskingPlan<HookQuestion, HookState> {
  if (!isMarked(hookState, hook)) {
    return hookState;
  }
  const request = { kubernetesVersion: facts.current.version, ...toSteps(facts.plans) };
  return doneUnlessBlocking(yield* callHook(hook, request, hookState), hook);
}

function* callBeforeWorkers(
  { current, plans, minWorkersVersion }: PresentFacts,
  hookState: HookState,
): AskingPlan<HookQuestion, HookState> {
  if (!isMarked(hookState, beforeWorkersUpgrade)) {
    return hookState;
  }
  const request = {
    fromKubernetesVersion: minWorkersVersion,
    toKubernetesVersion: current.version,
    ...toSteps(plans),
  };
  return doneUnlessBlocking(yield* callHook(beforeWorkersUpgrade, request, hookState), beforeWorkersUpgrade);
}

function doneUnlessBlocking(hookState: HookState, hook: { readonly name: string }): HookState {
  return isBlocking(hookState, hook) ? hookState : withoutMarks(hookState, hook);
}

/** All work at the current version is complete, and the topology has another version. */
function* startStep(facts: PresentFacts, finished: HookState): AskingPlan<HookQuestion, Checked<ControlPlaneDecision>> {
  const { current, plans, runtimeSdk } = facts;
  const kept = toProgress(facts, { version: current.version, isPendingUpgrade: true });
  let hookState = runtimeSdk ? yield* callBeforeCluster(facts, finished) : finished;
  if (isBlocking(hookState, beforeClusterUpgrade)) {
    return valid({ progress: kept, hookState });
  }
  const [next] = plans.controlPlane;
  if (next === undefined) {
    return invalid(
      'cannot compute the control plane version if the control plane is pending upgrade and the upgrade plan is not set',
    );
  }
  if (runtimeSdk) {
    const request = {
      fromKubernetesVersion: current.version,
      toKubernetesVersion: next,
      ...toSteps(plans),
    };
    hookState = yield* callHook(beforeControlPlaneUpgrade, request, hookState);
    if (isBlocking(hookState, beforeControlPlaneUpgrade)) {
      return valid({ progress: kept, hookState });
    }
    hookState = withStart(hookState, next, isNextStop(plans, next) ? stepHooks : [afterControlPlaneUpgrade]);
  }
  const progress = toProgress(facts, { version: next, isPendingUpgrade: false, isStartingUpgrade: true });
  return valid({ progress, hookState });
}

/** Called once per upgrade. After the upgrade begins, AfterClusterUpgrade stays marked until the upgrade ends. */
function* callBeforeCluster(facts: PresentFacts, hookState: HookState): AskingPlan<HookQuestion, HookState> {
  if (isMarked(hookState, afterClusterUpgrade)) {
    return hookState;
  }
  const hold = annotationHold(hookState.stored);
  if (hold !== undefined) {
    return withAnswer(hookState, beforeClusterUpgrade, {
      response: hold,
      waitMs: hold.retryAfterSeconds * 1000,
    });
  }
  const request = {
    fromKubernetesVersion: facts.current.version,
    toKubernetesVersion: facts.topologyVersion,
    ...toSteps(facts.plans),
  };
  const answered = yield* callHook(beforeClusterUpgrade, request, hookState);
  return isBlocking(answered, beforeClusterUpgrade) ? answered : withMarks(answered, afterClusterUpgrade);
}

/** Workers must have this version before the control plane continues. */
function isNextStop({ machineDeployments, machinePools }: Plans, version: string): boolean {
  return machineDeployments[0] === version || machinePools[0] === version;
}

function toSteps(plans: Plans): UpgradeSteps {
  const workers = plans.machineDeployments.length > 0 ? plans.machineDeployments : plans.machinePools;
  const toStep = (version: string) => ({ version });
  return { controlPlaneUpgrades: plans.controlPlane.map(toStep), workersUpgrades: workers.map(toStep) };
}

/** The retry time is upstream's. Removal of the annotation is an event, which enqueues the Cluster sooner. */
const retrySeconds = 1200;

/** Returns the response of BeforeClusterUpgrade that these annotations produce, or undefined without annotations. */
export function annotationHold(annotations: Annotations): RetryResponse | undefined {
  const keys = Object.keys(annotations)
    .filter(key => key.startsWith(beforeUpgradeAnnotationPrefix))
    .toSorted(compareText);
  if (keys.length === 0) {
    return undefined;
  }
  const message = keys.length === 1 ? `annotation ${keys[0]} is set` : `annotations ${keys.join(', ')} are set`;
  return { status: 'Success', message, retryAfterSeconds: retrySeconds };
}
