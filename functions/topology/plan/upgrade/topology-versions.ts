// Determines the Kubernetes version of each part of a topology in this pass: first the control plane, then the workers.
import { all, type Checked, mapChecked, prefixed, valid } from '@capi-serverless/apimachinery';
import type { AskingPlan } from '@capi-serverless/reconciler';
import type { Annotations } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import { afterClusterUpgrade } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import { upgradeConcurrencyAnnotation } from '../../../../shared/topology/model/keys.ts';
import { readControlPlane } from '../../../../shared/topology/upgrade/control-plane-object.ts';
import type { Current } from '../current/current-topology.ts';
import type { HookQuestion } from '../questions.ts';
import { type ControlPlaneFacts, decideControlPlane, type Plans } from './control-plane-version.ts';
import { type HookState, isMarked } from './hook-state.ts';
import type { UpgradePlan } from './plan-check.ts';
import type { UpgradeSpan } from './plan-source.ts';
import type { Versions } from './version-progress.ts';
import { decideWorkers } from './worker-versions.ts';

/** Contains names of objects. */
export interface UpgradingWorkers {
  readonly machineDeployments: ReadonlySet<string>;
  readonly machinePools: ReadonlySet<string>;
}

export interface VersionFacts {
  readonly blueprint: Blueprint;
  readonly current: Current;
  readonly hookState: HookState;
  readonly plan: UpgradePlan;
  /** Undefined until a control plane object exists. */
  readonly span: UpgradeSpan | undefined;
  readonly upgrading: UpgradingWorkers;
  /** Whether the feature gate RuntimeSDK is enabled. */
  readonly runtimeSdk: boolean;
}

export interface DecidedVersions {
  /** Valid even if the versions failed, because it has the answers of the called hooks. */
  readonly hookState: HookState;
  /** Errors have the wording of the condition. The caller adds the prefix of the step. */
  readonly versions: Checked<Versions>;
}

/** The prefix of an error of a hook that is called for the control plane. */
export const inControlPlane = 'failed to compute ControlPlane';

export function* decideVersions(facts: VersionFacts): AskingPlan<HookQuestion, DecidedVersions> {
  const { hookState, upgrading, span, blueprint, current, runtimeSdk } = facts;
  const { object } = current.controlPlane;
  const controlPlane = object === undefined ? valid(undefined) : readControlPlane(object);
  if (!controlPlane.ok) {
    return { hookState, versions: prefixed(controlPlane, inControlPlane) };
  }
  const plans = toPlans(facts);
  const controlPlaneFacts: ControlPlaneFacts = {
    topologyVersion: blueprint.topology.version,
    current: controlPlane.value,
    plans,
    minWorkersVersion: span?.workers?.text ?? '',
    areWorkersUpgrading: upgrading.machineDeployments.size + upgrading.machinePools.size > 0,
    runtimeSdk,
  };
  const decided = yield* decideControlPlane(controlPlaneFacts, hookState);
  if (!decided.ok) {
    return { hookState, versions: prefixed(decided, inControlPlane) };
  }
  const { progress, hookState: written } = decided.value;
  const isUpgradeInProgress = runtimeSdk ? isMarked(written, afterClusterUpgrade) : hasSteps(plans);
  const workers = workersOf(facts, progress, written);
  return {
    hookState: written,
    versions: mapChecked(workers, each => ({ controlPlane: progress, ...each, isUpgradeInProgress })),
  };
}

function toPlans({ plan, current }: VersionFacts): Plans {
  return {
    controlPlane: plan.controlPlane,
    machineDeployments: current.machineDeployments.size > 0 ? plan.workers : [],
    machinePools: current.machinePools.size > 0 ? plan.workers : [],
  };
}

function hasSteps(plans: Plans): boolean {
  return Object.values(plans).some(plan => plan.length > 0);
}

function workersOf(
  facts: VersionFacts,
  controlPlane: Versions['controlPlane'],
  { responses, stored }: HookState,
): Checked<Pick<Versions, 'machineDeployments' | 'machinePools'>> {
  const { blueprint, current, upgrading } = facts;
  const { version, workers } = blueprint.topology;
  const plans = toPlans(facts);
  const shared = { topologyVersion: version, concurrency: upgradeConcurrency(stored), controlPlane, responses };
  return all({
    machineDeployments: decideWorkers({
      ...shared,
      kind: 'MachineDeployment',
      topologies: workers.machineDeployments,
      current: current.machineDeployments,
      upgrading: upgrading.machineDeployments,
      plan: plans.machineDeployments,
    }),
    machinePools: decideWorkers({
      ...shared,
      kind: 'MachinePool',
      topologies: workers.machinePools,
      current: current.machinePools,
      upgrading: upgrading.machinePools,
      plan: plans.machinePools,
    }),
  });
}

/** Returns 1, unless the annotation of the Cluster is a larger whole number. */
export function upgradeConcurrency(annotations: Annotations): number {
  const text = annotations[upgradeConcurrencyAnnotation] ?? '';
  const given = /^\+?\d+$/.test(text) ? Number(text) : 1;
  return Math.max(1, given);
}
