// Computes the upgrade plan of a topology, or asks an extension for it.
import { all, andThen, type Checked, invalid, mapChecked, prefixed, valid } from '@capi-serverless/apimachinery';
import type { Semver } from '@capi-serverless/apimachinery/semver';
import { compareVersionsWithBuild, parseVersion, toVersionText } from '@capi-serverless/cluster-api/contract';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import type { ClassSpec } from '../../../../shared/api/cluster-class/class-spec.ts';
import type { UpgradeSteps } from '../../../../shared/runtime-hooks/rules/requests.ts';
import { controlPlaneVersionOf } from '../../../../shared/topology/upgrade/control-plane-object.ts';
import { workerVersion } from '../../../../shared/topology/upgrade/worker-version.ts';
import type { Current } from '../current/current-topology.ts';
import type { UpgradePlanQuestion } from '../questions.ts';
import { checkPlan, type UpgradePlan } from './plan-check.ts';
import {
  isArrived,
  type PlannedVersion,
  planFromVersions,
  planned,
  planOneMinor,
  planWorkers,
  type UpgradeSpan,
} from './plan-source.ts';

const noPlan: UpgradePlan = { controlPlane: [], workers: [] };

/** Start and target. Undefined until a control plane object exists. */
export function upgradeSpan(topologyVersion: string, current: Current): Checked<UpgradeSpan | undefined> {
  const { object } = current.controlPlane;
  if (object === undefined) {
    return valid(undefined);
  }
  const ends = all({
    target: planned(topologyVersion, 'Cluster version'),
    controlPlane: andThen(controlPlaneVersionOf(object), version => planned(version, 'ControlPlane version')),
  });
  return andThen(ends, ({ target, controlPlane }) =>
    mapChecked(minWorkersVersion(current, controlPlane.version), workers => ({ controlPlane, workers, target })),
  );
}

interface PlanInput {
  readonly classSpec: Pick<ClassSpec, 'upgrade' | 'kubernetesVersions'>;
  /** Undefined until a control plane object exists. */
  readonly span: UpgradeSpan | undefined;
  readonly topologyVersion: string;
  /** Whether the feature gate RuntimeSDK is enabled. */
  readonly runtimeSdk: boolean;
}

/** The plan comes from an extension of the class, or from the class's list of versions, or has one minor version. */
export function* planUpgrade({
  classSpec,
  span,
  topologyVersion,
  runtimeSdk,
}: PlanInput): AskingPlan<UpgradePlanQuestion, Checked<UpgradePlan>> {
  if (span === undefined || isArrived(span)) {
    return valid(noPlan);
  }
  const handler = classSpec.upgrade.external.generateUpgradePlanExtension;
  if (handler === '') {
    const { kubernetesVersions: versions } = classSpec;
    const controlPlane = versions.length > 0 ? planFromVersions(versions, span) : planOneMinor(span);
    return andThen(controlPlane, steps => completePlan({ controlPlane: steps, workers: [] }, span));
  }
  if (!runtimeSdk) {
    return invalid(`can not use GenerateUpgradePlan extension "${handler}" if RuntimeSDK feature flag is disabled`);
  }
  const answer = yield* ask<UpgradePlanQuestion>('generateUpgradePlan', { handler, span, topologyVersion });
  return andThen(prefixed(answer, 'failed to get upgrade plan from extension'), steps =>
    completePlan(toVersions(steps), span),
  );
}

function toVersions({ controlPlaneUpgrades, workersUpgrades }: UpgradeSteps): UpgradePlan {
  return {
    controlPlane: controlPlaneUpgrades.map(({ version }) => version),
    workers: workersUpgrades.map(({ version }) => version),
  };
}

/** Checks a given plan. If the plan has no steps for workers, they stop as rarely as the version skew policy allows. */
export function completePlan(plan: UpgradePlan, span: UpgradeSpan): Checked<UpgradePlan> {
  const workers = plan.workers.length > 0 ? plan.workers : planWorkers(plan.controlPlane, span);
  return checkPlan({ controlPlane: plan.controlPlane, workers }, span);
}

/**
 * Returns the lowest version of all MachineDeployments and MachinePools with a leading "v". Returns undefined without
 * workers. If two versions cannot be ordered, the one that differs from the control plane is lower, because workers
 * follow the control plane.
 */
function minWorkersVersion(current: Current, controlPlaneVersion: Semver): Checked<PlannedVersion | undefined> {
  const workers = [...current.machineDeployments.values(), ...current.machinePools.values()];
  let lowest: Semver | undefined;
  for (const { object } of workers) {
    const text = workerVersion(object);
    if (text === '') {
      continue;
    }
    const version = parseVersion(text);
    if (version === undefined) {
      return invalid(`failed to parse version ${text} of ${object.kind} ${object.metadata.name}`);
    }
    if (lowest === undefined || isLower(version, lowest, controlPlaneVersion)) {
      lowest = version;
    }
  }
  return valid(lowest && { text: toVersionText(lowest), version: lowest });
}

function isLower(version: Semver, lowest: Semver, controlPlaneVersion: Semver): boolean {
  const order = compareVersionsWithBuild(version, lowest);
  return order === 'incomparable' ? toVersionText(version) !== toVersionText(controlPlaneVersion) : order < 0;
}
