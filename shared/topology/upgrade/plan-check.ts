// Whether an upgrade plan may be followed, whoever made it: https://kubernetes.io/releases/version-skew-policy/
import { type Checked, invalid, valid } from '../../api/checked.ts';
import { compareVersionsWithBuild, toVersionText } from '../../contract/version.ts';
import { mostMinorsBehind, type PlannedVersion, planned, type UpgradeSpan } from './plan-source.ts';

/** Versions still to come, the target last. */
export interface UpgradePlan {
  readonly controlPlane: readonly string[];
  readonly workers: readonly string[];
}

/** The same plan, or the first thing that is wrong with it. */
export function checkPlan(plan: UpgradePlan, span: UpgradeSpan): Checked<UpgradePlan> {
  const controlPlane = checkControlPlanePlan(plan.controlPlane, span);
  if (!controlPlane.ok) {
    return controlPlane;
  }
  const workers = checkWorkersPlan(plan, span);
  return workers.ok ? valid(plan) : workers;
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
        `${what}: control plane upgrade plan must end with version ${target.text}, ends with ${told(last)} instead`,
      );
}

function stepProblem(from: PlannedVersion, to: PlannedVersion): string | undefined {
  if (isNotAbove(to, from)) {
    return `version ${to.text} must be greater than ${told(from)}`;
  }
  const { minor } = from.version;
  return to.version.minor === minor || to.version.minor === minor + 1
    ? undefined
    : `expecting a version with minor ${minor} or ${minor + 1}, found version ${to.text}`;
}

function checkWorkersPlan(plan: UpgradePlan, { controlPlane, workers, target }: UpgradeSpan): Checked<unknown> {
  if (workers === undefined || isReached(workers, target)) {
    return plan.workers.length === 0
      ? valid(plan)
      : invalid('invalid worker upgrade plan; there are no workers or workers already at the desired version');
  }
  const order = [controlPlane.text, ...plan.controlPlane];
  const strangers = plan.controlPlane.length === 0 ? [] : plan.workers.filter(text => !order.includes(text));
  if (strangers.length > 0) {
    const versions = strangers.join(',');
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
    : invalid(`${what}; workers upgrade plan must end with version ${target.text}, ends with ${told(last)} instead`);
}

/** `order`: the versions that the control plane has and will have, which tells where versions themselves do not. */
function stopProblem(from: PlannedVersion, to: PlannedVersion, order: readonly string[]): string | undefined {
  if (isNotAbove(to, from)) {
    return `version ${to.text} must be greater than ${told(from)}`;
  }
  if (compareVersionsWithBuild(to.version, from.version) === 'incomparable') {
    if (!order.includes(to.text)) {
      return `the order of version ${to.text} and ${told(from)} is not known`;
    }
    if (order.indexOf(to.text) < order.indexOf(told(from))) {
      return `version ${to.text} must be before ${told(from)}`;
    }
  }
  const [a, b] = [from.version.minor, to.version.minor];
  return b - a > mostMinorsBehind
    ? `workers cannot go from minor ${a} (${told(from)}) to minor ${b} (${to.text}), an intermediate step is required to comply with Kubernetes version skew rules`
    : undefined;
}

/** Two that have no order pass. */
function isNotAbove(a: PlannedVersion, b: PlannedVersion): boolean {
  const order = compareVersionsWithBuild(a.version, b.version);
  return order === -1 || order === 0;
}

function isReached(a: PlannedVersion, target: PlannedVersion): boolean {
  return compareVersionsWithBuild(a.version, target.version) === 0;
}

function told({ version }: PlannedVersion): string {
  return toVersionText(version);
}
