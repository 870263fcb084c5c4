// Finds out which Kubernetes version each part of a topology shall have in this pass.
import { type Checked, invalid, mapChecked, valid } from '../../../shared/api/checked.ts';
import type { Pass, Reads } from '../../../shared/kernel/types.ts';
import { afterClusterUpgrade, generateUpgradePlan } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import type { Versions } from '../../../shared/topology/model/versions.ts';
import { upgradeConcurrency } from '../../../shared/topology/upgrade/concurrency.ts';
import { readControlPlane } from '../../../shared/topology/upgrade/control-plane-object.ts';
import {
  type ControlPlaneFacts,
  decideControlPlane,
  type Plans,
} from '../../../shared/topology/upgrade/control-plane-version.ts';
import { type HookBook, isMarked } from '../../../shared/topology/upgrade/hook-book.ts';
import type { UpgradePlan } from '../../../shared/topology/upgrade/plan-check.ts';
import type { UpgradeSpan } from '../../../shared/topology/upgrade/plan-source.ts';
import {
  completePlan,
  makePlan,
  noPlan,
  planSource,
  upgradeSpan,
} from '../../../shared/topology/upgrade/upgrade-plan.ts';
import { decideWorkers } from '../../../shared/topology/upgrade/worker-versions.ts';
import type { WorkloadNodesPort } from '../../../shared/workload/port.ts';
import { prefixed } from './checks.ts';
import { answerAll, type TopologyHooks } from './hooks.ts';
import { readUpgrading, type UpgradingWorkers } from './upgrading.ts';

export interface VersionsInput {
  readonly blueprint: Blueprint;
  readonly current: Current;
  readonly book: HookBook;
}

export interface PlannedVersions {
  /** Holds also where the versions do not: what hooks answered has been answered. */
  readonly book: HookBook;
  /** Undefined where it could not be made. */
  readonly plan: UpgradePlan | undefined;
  /** Errors are worded as the condition shows them, without the words for the whole step. */
  readonly versions: Checked<Versions>;
}

/** `hooks`: undefined where the feature gate RuntimeSDK is off. */
export interface Planning {
  readonly pass: Pass;
  readonly hooks: TopologyHooks | undefined;
}

/** Asks extensions for a plan and for their leave, Machines and Nodes for what they run. */
export async function planVersions(
  input: VersionsInput,
  ask: Pick<Reads, 'get' | 'list'> & WorkloadNodesPort,
  { pass, hooks }: Planning,
): Promise<PlannedVersions> {
  const { blueprint, current, book } = input;
  const span = upgradeSpan(blueprint.topology.version, current);
  if (!span.ok) {
    return { book, plan: undefined, versions: span };
  }
  const plan = await planUpgrade(blueprint, span.value, hooks);
  if (!plan.ok) {
    return { book, plan: undefined, versions: plan };
  }
  const upgrading = await readUpgrading({ cluster: blueprint.cluster, current }, ask, pass);
  if (!upgrading.ok) {
    return { book, plan: plan.value, versions: upgrading };
  }
  const plans = {
    controlPlane: plan.value.controlPlane,
    machineDeployments: current.machineDeployments.size > 0 ? plan.value.workers : [],
    machinePools: current.machinePools.size > 0 ? plan.value.workers : [],
  };
  const minWorkersVersion = span.value?.workers?.text ?? '';
  const decided = await decide({ ...input, plans, minWorkersVersion, upgrading: upgrading.value }, hooks);
  return { ...decided, plan: plan.value };
}

async function planUpgrade(
  { classSpec, topology }: Blueprint,
  span: UpgradeSpan | undefined,
  hooks: TopologyHooks | undefined,
): Promise<Checked<UpgradePlan>> {
  const source = planSource(classSpec, span);
  if (source.from === 'nowhere' || span === undefined) {
    return valid(noPlan);
  }
  if (source.from !== 'extension') {
    return makePlan(source, span);
  }
  const { handler } = source;
  if (hooks === undefined) {
    return invalid(`can not use GenerateUpgradePlan extension "${handler}" if RuntimeSDK feature flag is disabled`);
  }
  const request = {
    cluster: hooks.cluster,
    fromControlPlaneKubernetesVersion: span.controlPlane.text,
    fromWorkersKubernetesVersion: span.workers?.text ?? '',
    toKubernetesVersion: topology.version,
  };
  const object = hooks.cluster.metadata;
  const { fromControlPlaneKubernetesVersion: from, fromWorkersKubernetesVersion: workers } = request;
  const key = JSON.stringify([object.uid, from, workers, request.toKubernetesVersion]);
  const answer = await hooks.calls.callNamed(generateUpgradePlan, handler, { object, request, cache: { key } });
  if (!answer.ok) {
    return invalid(`failed to get upgrade plan from extension: ${answer.error}`);
  }
  const { controlPlaneUpgrades, workersUpgrades } = answer.value;
  const toVersion = ({ version }: { readonly version: string }) => version;
  return completePlan(
    { controlPlane: controlPlaneUpgrades.map(toVersion), workers: workersUpgrades.map(toVersion) },
    span,
  );
}

interface DecisionInput extends VersionsInput {
  readonly plans: Plans;
  readonly minWorkersVersion: string;
  readonly upgrading: UpgradingWorkers;
}

type Decided = Omit<PlannedVersions, 'plan'>;

async function decide(input: DecisionInput, hooks: TopologyHooks | undefined): Promise<Decided> {
  const { book, upgrading, plans, minWorkersVersion, blueprint, current } = input;
  const object = current.controlPlane.object;
  const controlPlane = object === undefined ? valid(undefined) : readControlPlane(object);
  if (!controlPlane.ok) {
    return { book, versions: prefixed(controlPlane, inControlPlane) };
  }
  const facts: ControlPlaneFacts = {
    topologyVersion: blueprint.topology.version,
    current: controlPlane.value,
    plans,
    minWorkersVersion,
    areWorkersUpgrading: upgrading.machineDeployments.size + upgrading.machinePools.size > 0,
    runtimeSdk: hooks !== undefined,
  };
  const answered = await answerAll(decideControlPlane(facts, book), hooks);
  if (!answered.ok) {
    return { book: answered.book, versions: prefixed(answered, inControlPlane) };
  }
  if (!answered.value.ok) {
    return { book, versions: prefixed(answered.value, inControlPlane) };
  }
  const { progress, book: written } = answered.value.value;
  const isInProgress = hooks === undefined ? hasSteps(plans) : isMarked(written, afterClusterUpgrade);
  return {
    book: written,
    versions: mapChecked(workersOf(input, progress, written), workers => ({
      controlPlane: progress,
      ...workers,
      isUpgradeInProgress: isInProgress,
    })),
  };
}

const inControlPlane = 'failed to compute ControlPlane';

function workersOf(
  { blueprint, current, plans, upgrading }: DecisionInput,
  controlPlane: Versions['controlPlane'],
  { responses, stored }: HookBook,
): Checked<Pick<Versions, 'machineDeployments' | 'machinePools'>> {
  const { version, workers } = blueprint.topology;
  const shared = { topologyVersion: version, concurrency: upgradeConcurrency(stored), controlPlane, responses };
  const machineDeployments = decideWorkers({
    ...shared,
    kind: 'MachineDeployment',
    topologies: workers.machineDeployments,
    current: current.machineDeployments,
    upgrading: upgrading.machineDeployments,
    plan: plans.machineDeployments,
  });
  if (!machineDeployments.ok) {
    return machineDeployments;
  }
  const machinePools = decideWorkers({
    ...shared,
    kind: 'MachinePool',
    topologies: workers.machinePools,
    current: current.machinePools,
    upgrading: upgrading.machinePools,
    plan: plans.machinePools,
  });
  return mapChecked(machinePools, pools => ({ machineDeployments: machineDeployments.value, machinePools: pools }));
}

function hasSteps(plans: Plans): boolean {
  return Object.values(plans).some(plan => plan.length > 0);
}
