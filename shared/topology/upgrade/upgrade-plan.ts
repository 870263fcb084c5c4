// The upgrade plan of a topology, up to the one question that only an extension can answer.
import { type Checked, valid } from '../../api/checked.ts';
import type { ClassSpec } from '../model/class-spec.ts';
import type { Current } from '../model/current.ts';
import { controlPlaneVersionOf } from './control-plane-object.ts';
import { checkPlan, type UpgradePlan } from './plan-check.ts';
import { isArrived, planFromVersions, planned, planOneMinor, planWorkers, type UpgradeSpan } from './plan-source.ts';
import { minWorkersVersion } from './worker-objects.ts';

export const noPlan: UpgradePlan = { controlPlane: [], workers: [] };

/** From where to where; undefined while there is no control plane object. */
export function upgradeSpan(topologyVersion: string, current: Current): Checked<UpgradeSpan | undefined> {
  const { object } = current.controlPlane;
  if (object === undefined) {
    return valid(undefined);
  }
  const target = planned(topologyVersion, 'Cluster version');
  if (!target.ok) {
    return target;
  }
  const text = controlPlaneVersionOf(object);
  if (!text.ok) {
    return text;
  }
  const controlPlane = planned(text.value, 'ControlPlane version');
  if (!controlPlane.ok) {
    return controlPlane;
  }
  const workers = minWorkersVersion(current, controlPlane.value.version);
  return workers.ok
    ? valid({ controlPlane: controlPlane.value, workers: workers.value, target: target.value })
    : workers;
}

export type PlanSource =
  | { readonly from: 'nowhere' }
  | { readonly from: 'extension'; readonly handler: string }
  | { readonly from: 'versions'; readonly versions: readonly string[] }
  | { readonly from: 'oneMinor' };

/** Who makes the plan of this class. */
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

/** A plan that needs nobody's help. */
export function makePlan(
  source: Extract<PlanSource, { from: 'versions' | 'oneMinor' }>,
  span: UpgradeSpan,
): Checked<UpgradePlan> {
  const controlPlane = source.from === 'versions' ? planFromVersions(source.versions, span) : planOneMinor(span);
  return controlPlane.ok ? completePlan({ controlPlane: controlPlane.value, workers: [] }, span) : controlPlane;
}

/** A plan that somebody gave, checked. Where it says nothing of workers, they stop as rarely as they may. */
export function completePlan(plan: UpgradePlan, span: UpgradeSpan): Checked<UpgradePlan> {
  const workers = plan.workers.length > 0 ? plan.workers : planWorkers(plan.controlPlane, span);
  return checkPlan({ controlPlane: plan.controlPlane, workers }, span);
}
