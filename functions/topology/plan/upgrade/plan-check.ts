// Checks whether an upgrade plan from any source is valid: https://kubernetes.io/releases/version-skew-policy/
import { andThen, type Checked, invalid, mapChecked, valid } from '@capi-serverless/apimachinery';
import { compareVersionsWithBuild, toVersionText } from '@capi-serverless/cluster-api/contract';
import { mostMinorsBehind, type PlannedVersion, planned, type UpgradeSpan } from './plan-source.ts';

/** The remaining versions. The target is the last one. */
export interface UpgradePlan {
  readonly controlPlane: readonly string[];
  readonly workers: readonly string[];
}

/** Returns the plan, or its first problem. */
export function checkPlan(plan: UpgradePlan, span: UpgradeSpan): Checked<UpgradePlan> {
  const controlPlane = checkControlPlanePlan(plan.controlPlane, span);
  return mapChecked(
    andThen(controlPlane, () => checkWorkersPlan(plan, span)),
    () => plan,
  );
}

function checkControlPlanePlan(plan: readonly string[], { controlPlane, target }: UpgradeSpan): Checked<unknown> {
  const what = 'invalid ControlPlane upgrade plan';
  if (isReached(controlPlane, target)) {
    return plan.length === 0 ? valid(plan) : invalid(`${what}: control plane is already at the desired version`);
  }
  let last = controlPlane;
  for (const [index, text] of plan.entries()) {
    const item = planned(text, 'version');
    if (!item.ok) {
      return invalid(`${what}: item ${index}; ${item.error}: it is not a semantic version`);
    }
    const problem = stepProblem(last, item.value);
    if (problem !== undefined) {
      return invalid(`${what}: item ${index}; ${problem}`);
    }
    last = item.value;
  }
  return isReached(last, target)
    ? valid(plan)
    : invalid(
        `${what}: control plane upgrade plan must end with version ${target.text}, ends with ${textOf(last)} instead`,
      );
}

function stepProblem(from: PlannedVersion, to: PlannedVersion): string | undefined {
  if (isNotAbove(to, from)) {
    return `version ${to.text} must be greater than ${textOf(from)}`;
  }
  const { minor } = from.version;
  return to.version.minor === minor || to.version.minor === minor + 1n
    ? undefined
    : `expecting a version with minor ${minor} or ${minor + 1n}, found version ${to.text}`;
}

function checkWorkersPlan(plan: UpgradePlan, { controlPlane, workers, target }: UpgradeSpan): Checked<unknown> {
  if (workers === undefined || isReached(workers, target)) {
    return plan.workers.length === 0
      ? valid(plan)
      : invalid('invalid worker upgrade plan; there are no workers or workers already at the desired version');
  }
  const order = [controlPlane.text, ...plan.controlPlane];
  const unlisted = plan.controlPlane.length === 0 ? [] : plan.workers.filter(text => !order.includes(text));
  if (unlisted.length > 0) {
    const versions = unlisted.join(',');
    const known = 'any versions in the control plane upgrade plan nor the control plane version';
    return invalid(`invalid workers upgrade plan: versions ${versions} doesn't match ${known}`);
  }
  const what = 'invalid workers upgrade plan';
  let last = workers;
  for (const [index, text] of plan.workers.entries()) {
    const item = planned(text, 'version');
    if (!item.ok) {
      return invalid(`${what}, item ${index}; ${item.error}: it is not a semantic version`);
    }
    const problem = stopProblem(last, item.value, order);
    if (problem !== undefined) {
      return invalid(`${what}, item ${index}; ${problem}`);
    }
    last = item.value;
  }
  return isReached(last, target)
    ? valid(plan)
    : invalid(`${what}; workers upgrade plan must end with version ${target.text}, ends with ${textOf(last)} instead`);
}

/**
 * `order` contains the current and future versions of the control plane. It is used for versions that cannot be
 * ordered.
 */
function stopProblem(from: PlannedVersion, to: PlannedVersion, order: readonly string[]): string | undefined {
  if (isNotAbove(to, from)) {
    return `version ${to.text} must be greater than ${textOf(from)}`;
  }
  if (compareVersionsWithBuild(to.version, from.version) === 'incomparable') {
    if (!order.includes(to.text)) {
      return `the order of version ${to.text} and ${textOf(from)} is not known`;
    }
    if (order.indexOf(to.text) < order.indexOf(textOf(from))) {
      return `version ${to.text} must be before ${textOf(from)}`;
    }
  }
  const [a, b] = [from.version.minor, to.version.minor];
  return b - a > mostMinorsBehind
    ? `workers cannot go from minor ${a} (${textOf(from)}) to minor ${b} (${to.text}), an intermediate step is required to comply with Kubernetes version skew rules`
    : undefined;
}

/** Returns true for two versions that cannot be ordered. */
function isNotAbove(a: PlannedVersion, b: PlannedVersion): boolean {
  const order = compareVersionsWithBuild(a.version, b.version);
  return order === -1 || order === 0;
}

function isReached(a: PlannedVersion, target: PlannedVersion): boolean {
  return compareVersionsWithBuild(a.version, target.version) === 0;
}

function textOf({ version }: PlannedVersion): string {
  return toVersionText(version);
}
