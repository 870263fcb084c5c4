// Computes the upgrade plan of a topology, or the question that an extension must answer first.
import { all, andThen, type Checked, mapChecked, valid } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../../../../shared/api/cluster-class/class-spec.ts';
import { controlPlaneVersionOf } from '../../../../shared/topology/upgrade/control-plane-object.ts';
import type { Current } from '../current/current-topology.ts';
import { minWorkersVersion } from './lowest-worker-version.ts';
import { checkPlan, type UpgradePlan } from './plan-check.ts';
import { isArrived, planFromVersions, planned, planOneMinor, planWorkers, type UpgradeSpan } from './plan-source.ts';

export const noPlan: UpgradePlan = { controlPlane: [], workers: [] };

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

type PlanSource =
  | { readonly from: 'nowhere' }
  | { readonly from: 'extension'; readonly handler: string }
  | { readonly from: 'versions'; readonly versions: readonly string[] }
  | { readonly from: 'oneMinor' };

/** Returns the source of the plan for this class. */
export function planSource(
  { upgrade, kubernetesVersions }: Pick<ClassSpec, 'upgrade' | 'kubernetesVersions'>,
  span: UpgradeSpan | undefined,
): PlanSource {
  const handler = upgrade.external.generateUpgradePlanExtension;
  if (span === undefined || isArrived(span)) {
    return { from: 'nowhere' };
  }
  if (handler !== '') {
    return { from: 'extension', handler };
  }
  return kubernetesVersions.length > 0 ? { from: 'versions', versions: kubernetesVersions } : { from: 'oneMinor' };
}

/** A plan from the class's list of versions, or of one minor version. */
export function makePlan(
  source: Extract<PlanSource, { from: 'versions' | 'oneMinor' }>,
  span: UpgradeSpan,
): Checked<UpgradePlan> {
  const controlPlane = source.from === 'versions' ? planFromVersions(source.versions, span) : planOneMinor(span);
  return andThen(controlPlane, versions => completePlan({ controlPlane: versions, workers: [] }, span));
}

/** Checks a given plan. If the plan has no steps for workers, they stop as rarely as the version skew policy allows. */
export function completePlan(plan: UpgradePlan, span: UpgradeSpan): Checked<UpgradePlan> {
  const workers = plan.workers.length > 0 ? plan.workers : planWorkers(plan.controlPlane, span);
  return checkPlan({ controlPlane: plan.controlPlane, workers }, span);
}
