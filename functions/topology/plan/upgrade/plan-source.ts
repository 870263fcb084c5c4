// Determines the versions through which a control plane reaches the target, and the versions at which workers stop.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { Semver } from '@capi-serverless/apimachinery/semver';
import { compareVersionsWithBuild, parseVersion, toVersionText } from '@capi-serverless/cluster-api/contract';

/**
 * Kubelets may be this number of minor versions older than the API server:
 * https://kubernetes.io/releases/version-skew-policy/#kubelet
 */
export const mostMinorsBehind = 3n;

/** A version text and its parsed form. */
export interface PlannedVersion {
  readonly text: string;
  readonly version: Semver;
}

/** The start and the target of an upgrade. */
export interface UpgradeSpan {
  readonly controlPlane: PlannedVersion;
  /** The lowest version of all workers. Undefined without workers. */
  readonly workers: PlannedVersion | undefined;
  readonly target: PlannedVersion;
}

export function planned(text: string, what: string): Checked<PlannedVersion> {
  const version = parseVersion(text);
  return version === undefined ? invalid(`failed to parse ${what} ${text}`) : valid({ text, version });
}

/** Neither control plane nor workers need an upgrade. */
export function isArrived({ controlPlane, workers, target }: UpgradeSpan): boolean {
  return isSame(controlPlane, target) && (workers === undefined || isSame(workers, target));
}

/** Without a list of versions, a control plane can upgrade by one minor version at most. */
export function planOneMinor({ controlPlane, target }: UpgradeSpan): Checked<readonly string[]> {
  if (isSame(controlPlane, target)) {
    return valid([]);
  }
  return target.version.minor > controlPlane.version.minor + 1n
    ? invalid(`cannot compute an upgrade plan from ${controlPlane.text} to ${target.text}`)
    : valid([target.text]);
}

/**
 * Returns the last listed version of each minor version, up to the target. The minor version of the control plane is
 * skipped, unless it contains the target.
 */
export function planFromVersions(
  versions: readonly string[],
  { controlPlane, target }: UpgradeSpan,
): Checked<readonly string[]> {
  if (isSame(controlPlane, target)) {
    return valid([]);
  }
  const ahead: PlannedVersion[] = [];
  for (const text of versions) {
    const listed = planned(text, 'version');
    if (!listed.ok) {
      return listed;
    }
    if (isAbove(listed.value, controlPlane)) {
      ahead.push(listed.value);
    }
  }
  const end = ahead.findIndex(each => isSame(each, target));
  const upToTarget = end < 0 ? ahead.filter(each => isAbove(target, each)) : ahead.slice(0, end + 1);
  return valid(lastOfEachMinor(upToTarget, controlPlane.version.minor));
}

function lastOfEachMinor(versions: readonly PlannedVersion[], ownMinor: bigint): readonly string[] {
  const last = versions.filter(({ version }, index) => versions[index + 1]?.version.minor !== version.minor);
  const beyond = last.filter(({ version }) => version.minor !== ownMinor);
  return (beyond.length === 0 ? last : beyond).map(({ text }) => text);
}

/**
 * Returns as few stops as the version skew policy allows: every third minor version above the workers, and the target.
 * Each stop is a current or future version of the control plane.
 */
export function planWorkers(controlPlanePlan: readonly string[], span: UpgradeSpan): readonly string[] {
  const { controlPlane, workers, target } = span;
  if (workers === undefined || isSame(workers, target)) {
    return [];
  }
  const byMinor = new Map([controlPlane.text, ...controlPlanePlan].map(text => [parseVersion(text)?.minor, text]));
  const stops: string[] = [];
  let next = workers.version.minor + mostMinorsBehind;
  for (let stop = byMinor.get(next); stop !== undefined && next < target.version.minor; stop = byMinor.get(next)) {
    stops.push(stop);
    next += mostMinorsBehind;
  }
  return [...stops, target.text];
}

/** Returns true also for two versions that cannot be ordered, because either may follow the other. */
function isAbove(a: PlannedVersion, b: PlannedVersion): boolean {
  const order = compareVersionsWithBuild(a.version, b.version);
  return order === 1 || order === 'incomparable';
}

function isSame(a: PlannedVersion, b: PlannedVersion): boolean {
  return toVersionText(a.version) === toVersionText(b.version);
}
