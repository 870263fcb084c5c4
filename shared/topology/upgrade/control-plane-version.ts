// Which version the control plane object shall have in this pass, and which hooks have a say in it.
// https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/implement-lifecycle-hooks
import { type Checked, invalid, valid } from '../../api/checked.ts';
import { compareVersionsWithBuild, parseVersion } from '../../contract/version.ts';
import {
  afterClusterUpgrade,
  afterControlPlaneUpgrade,
  afterWorkersUpgrade,
  beforeClusterUpgrade,
  beforeControlPlaneUpgrade,
  beforeWorkersUpgrade,
} from '../../runtime-hooks/rules/catalog.ts';
import type { Hook, RetryResponse } from '../../runtime-hooks/rules/hook.ts';
import type { AfterUpgradeStepRequest, UpgradeSteps } from '../../runtime-hooks/rules/requests.ts';
import { upgradeStepAnnotation } from '../model/keys.ts';
import type { ControlPlaneProgress } from '../model/versions.ts';
import { annotationHold } from './annotation-hold.ts';
import type { ControlPlaneObject } from './control-plane-object.ts';
import { type HookBook, isBlocking, isMarked, withAnswer, withMarks, withoutMarks, withStart } from './hook-book.ts';
import type { Asking } from './question.ts';

/** One list for both kinds of workers; empty for a kind of which there is none. */
export interface Plans {
  readonly controlPlane: readonly string[];
  readonly machineDeployments: readonly string[];
  readonly machinePools: readonly string[];
}

export interface ControlPlaneFacts {
  readonly topologyVersion: string;
  /** Undefined: there is no control plane object yet. */
  readonly current: ControlPlaneObject | undefined;
  readonly plans: Plans;
  /** The lowest version of all workers; "" when there are none. */
  readonly minWorkersVersion: string;
  readonly areWorkersUpgrading: boolean;
  readonly runtimeSdk: boolean;
}

export interface ControlPlaneDecision {
  readonly progress: ControlPlaneProgress;
  readonly book: HookBook;
}

/** Facts about a control plane object that is there. */
type PresentFacts = ControlPlaneFacts & { readonly current: ControlPlaneObject };

/** How a part of the decision ended: with the control plane kept as it is, or with the next part. */
interface Part {
  readonly isHeld: boolean;
  readonly isWaitingForWorkersUpgrade: boolean;
  readonly book: HookBook;
}

/** Fails only where a version is to be left and no plan says for which one. */
export function* decideControlPlane(facts: ControlPlaneFacts, book: HookBook): Asking<Checked<ControlPlaneDecision>> {
  const { topologyVersion, current } = facts;
  if (current === undefined) {
    return valid({ progress: toProgress(facts, { version: topologyVersion, isPendingUpgrade: false }), book });
  }
  const present = { ...facts, current };
  const isPendingUpgrade = current.version !== topologyVersion;
  const kept = { version: current.version, isPendingUpgrade };
  if (current.isProvisioning) {
    return valid({ progress: toProgress(facts, { ...kept, isProvisioning: true }), book });
  }
  if (current.isUpgrading) {
    return valid({ progress: toProgress(facts, { ...kept, isUpgrading: true }), book });
  }
  const finished = yield* finishStep(present, withoutFalseStart(present, book));
  const { isWaitingForWorkersUpgrade } = finished;
  if (finished.isHeld || !isPendingUpgrade) {
    return valid({ progress: toProgress(facts, { ...kept, isWaitingForWorkersUpgrade }), book: finished.book });
  }
  return yield* startStep(present, finished.book);
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
 * Marks of a step are written before the control plane object is. Where the annotation of the step is ahead of the object,
 * that write never happened, and what was to follow it is not due.
 */
function withoutFalseStart({ current }: PresentFacts, book: HookBook): HookBook {
  const step = parseVersion(book.stored[upgradeStepAnnotation] ?? '');
  const is = parseVersion(current.version);
  if (step === undefined || is === undefined) {
    return book;
  }
  const order = compareVersionsWithBuild(step, is);
  return order === 1 || order === 'incomparable' ? withoutMarks(book, ...stepHooks) : book;
}

/** What is still to be done at the version that the control plane has: its hooks, then the workers, then theirs. */
function* finishStep(facts: PresentFacts, opened: HookBook): Asking<Part> {
  const { current, plans, areWorkersUpgrading, runtimeSdk } = facts;
  const open = { isHeld: false, isWaitingForWorkersUpgrade: false };
  const held = { ...open, isHeld: true };
  let book = opened;
  if (runtimeSdk) {
    book = yield* callIfMarked(afterControlPlaneUpgrade, facts, book);
    if (isMarked(book, afterControlPlaneUpgrade)) {
      return { ...held, book };
    }
    book = yield* callBeforeWorkers(facts, book);
    if (isMarked(book, beforeWorkersUpgrade)) {
      return { ...held, book };
    }
  }
  if (isNextStop(plans, current.version)) {
    return { isHeld: true, isWaitingForWorkersUpgrade: true, book };
  }
  if (areWorkersUpgrading) {
    return { ...held, book };
  }
  if (runtimeSdk) {
    book = yield* callIfMarked(afterWorkersUpgrade, facts, book);
  }
  return { ...open, isHeld: runtimeSdk && isMarked(book, afterWorkersUpgrade), book };
}

function* callIfMarked(
  hook: Hook<AfterUpgradeStepRequest, RetryResponse>,
  facts: PresentFacts,
  book: HookBook,
): Asking<HookBook> {
  if (!isMarked(book, hook)) {
    return book;
  }
  const request = { kubernetesVersion: facts.current.version, ...toSteps(facts.plans) };
  return doneUnlessBlocking(yield { stage: 'after', hook, request, book }, hook);
}

function* callBeforeWorkers({ current, plans, minWorkersVersion }: PresentFacts, book: HookBook): Asking<HookBook> {
  if (!isMarked(book, beforeWorkersUpgrade)) {
    return book;
  }
  const request = {
    fromKubernetesVersion: minWorkersVersion,
    toKubernetesVersion: current.version,
    ...toSteps(plans),
  };
  return doneUnlessBlocking(yield { stage: 'before', hook: beforeWorkersUpgrade, request, book }, beforeWorkersUpgrade);
}

function doneUnlessBlocking(book: HookBook, hook: { readonly name: string }): HookBook {
  return isBlocking(book, hook) ? book : withoutMarks(book, hook);
}

/** Nothing is left to do at the present version, and the topology wants another one. */
function* startStep(facts: PresentFacts, finished: HookBook): Asking<Checked<ControlPlaneDecision>> {
  const { current, plans, runtimeSdk } = facts;
  const kept = toProgress(facts, { version: current.version, isPendingUpgrade: true });
  let book = runtimeSdk ? yield* callBeforeCluster(facts, finished) : finished;
  if (isBlocking(book, beforeClusterUpgrade)) {
    return valid({ progress: kept, book });
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
    book = yield { stage: 'before', hook: beforeControlPlaneUpgrade, request, book };
    if (isBlocking(book, beforeControlPlaneUpgrade)) {
      return valid({ progress: kept, book });
    }
    book = withStart(book, next, isNextStop(plans, next) ? stepHooks : [afterControlPlaneUpgrade]);
  }
  const progress = toProgress(facts, { version: next, isPendingUpgrade: false, isStartingUpgrade: true });
  return valid({ progress, book });
}

/** Once for a whole upgrade: after it has begun, AfterClusterUpgrade stays marked until it has ended. */
function* callBeforeCluster(facts: PresentFacts, book: HookBook): Asking<HookBook> {
  if (isMarked(book, afterClusterUpgrade)) {
    return book;
  }
  const hold = annotationHold(book.stored);
  if (hold !== undefined) {
    return withAnswer(book, beforeClusterUpgrade, {
      response: hold,
      waitMs: hold.retryAfterSeconds * 1000,
    });
  }
  const request = {
    fromKubernetesVersion: facts.current.version,
    toKubernetesVersion: facts.topologyVersion,
    ...toSteps(facts.plans),
  };
  const answered = yield { stage: 'before', hook: beforeClusterUpgrade, request, book };
  return isBlocking(answered, beforeClusterUpgrade) ? answered : withMarks(answered, afterClusterUpgrade);
}

/** Workers have to get to this version before the control plane goes on. */
function isNextStop({ machineDeployments, machinePools }: Plans, version: string): boolean {
  return machineDeployments[0] === version || machinePools[0] === version;
}

function toSteps(plans: Plans): UpgradeSteps {
  const workers = plans.machineDeployments.length > 0 ? plans.machineDeployments : plans.machinePools;
  const toStep = (version: string) => ({ version });
  return { controlPlaneUpgrades: plans.controlPlane.map(toStep), workersUpgrades: workers.map(toStep) };
}
