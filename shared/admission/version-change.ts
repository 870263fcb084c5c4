// Determines whether a topology may change to another Kubernetes version. Downgrades and skipped minor versions are
// refused. The previous upgrade must be complete.

import {
  type Checked,
  type FieldError,
  invalidValue,
  mapChecked,
  quote,
  toAggregateText,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { compareSemvers, printSemver, type Semver } from '@capi-serverless/apimachinery/semver';
import { parseVersion, readDesiredVersion } from '@capi-serverless/cluster-api/contract';
import type { Machine } from '../api/machine/reader.ts';
import { isPending } from '../runtime-hooks/rules/pending-hooks.ts';
import { readControlPlane } from '../topology/upgrade/control-plane-object.ts';
import { workerVersion } from '../topology/upgrade/worker-version.ts';
import { upgradingMachineDeployments, upgradingMachinePools } from '../topology/upgrade/workers-upgrading.ts';

/** The progress of the Cluster at its current version. */
export interface Progress {
  /** The object that the reference names, or the reason why it could not be read. */
  readonly controlPlane: Checked<Unstructured>;
  /** The workers of the topology, and the Machines of the Cluster. */
  readonly machineDeployments: readonly Unstructured[];
  readonly machines: readonly Machine[];
  readonly machinePools: readonly Unstructured[];
  /** The kubelet versions by Node name. Absent if the workload cluster cannot be read. */
  readonly kubeletVersions?: ReadonlyMap<string, Checked<string>>;
}

interface VersionChange {
  readonly old: string;
  readonly new: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** If the class lists its versions or an extension plans upgrades, minor versions may be skipped. */
  readonly isPlanned: boolean;
  readonly progress: () => Progress;
}

const field = 'spec.topology.version';
const none: Semver = { major: 0n, minor: 0n, patch: 0n, prerelease: [], build: [] };

export function problemsOfVersionSyntax(change: Pick<VersionChange, 'old' | 'new'>): readonly FieldError[] {
  const invalidVersion = (text: string, detail: string): readonly FieldError[] =>
    parseVersion(text) === undefined ? [invalidValue(field, text, detail)] : [];
  return [
    ...invalidVersion(change.new, 'version must be a valid semantic version'),
    ...invalidVersion(change.old, 'old version must be a valid semantic version'),
  ];
}

/** Returns the first problem of the change. An invalid version is treated as 0.0.0. */
export function problemsOfVersionChange(change: VersionChange): readonly FieldError[] {
  const problem = findProblem(change);
  return problem === undefined ? [] : [invalidValue(field, change.new, problem)];
}

function findProblem(change: VersionChange): string | undefined {
  const [old, shall] = [parseVersion(change.old) ?? none, parseVersion(change.new) ?? none];
  if (printSemver(old) === printSemver(shall)) {
    return undefined;
  }
  const isDecreased = compareSemvers(released(shall), released(old)) < 0;
  if (isDecreased && compareSemvers(shall, none) !== 0) {
    return `version cannot be decreased from ${quote(printSemver(old))} to ${quote(printSemver(shall))}`;
  }
  const ceiling = { ...none, major: old.major, minor: old.minor + 2n };
  if (!change.isPlanned && compareSemvers(released(shall), ceiling) >= 0) {
    return `version cannot be increased from ${quote(printSemver(old))} to ${quote(printSemver(shall))}`;
  }
  if (isPending(change.annotations, { name: 'AfterClusterUpgrade' })) {
    return 'version cannot be changed when the "AfterClusterUpgrade" hook is still blocking';
  }
  const unfinished = whatIsUnfinished(change.progress(), old);
  return unfinished.length === 0 ? undefined : `version cannot be changed: ${toAggregateText(unfinished)}`;
}

function whatIsUnfinished(progress: Progress, old: Semver): readonly string[] {
  const { machineDeployments, machines, machinePools, kubeletVersions } = progress;
  const pools =
    kubeletVersions === undefined ? valid(new Set<string>()) : upgradingMachinePools(machinePools, kubeletVersions);
  return [
    unfinishedControlPlane(progress.controlPlane, old),
    unfinishedWorkers(machineDeployments, 'MachineDeployment', {
      old,
      upgrading: upgradingMachineDeployments(atVersion(machineDeployments, old), machines),
    }),
    unfinishedWorkers(machinePools, 'MachinePool', { old, upgrading: pools }),
  ].filter(problem => problem !== undefined);
}

function unfinishedControlPlane(controlPlane: Checked<Unstructured>, old: Semver): string | undefined {
  const failed = 'failed to check if control plane is upgrading';
  if (!controlPlane.ok) {
    return `${failed}: failed to get control plane object: ${controlPlane.error}`;
  }
  const found = readDesiredVersion(controlPlane.value);
  if (found.state !== 'value') {
    const why = found.state === 'absent' ? 'path .spec.version: field not found' : found.error;
    return `${failed}: failed to get control plane version: ${why}`;
  }
  const version = parseVersion(found.value);
  if (version === undefined) {
    return `${failed}: failed to parse control plane version ${found.value}`;
  }
  if (printSemver(version) !== printSemver(old)) {
    return `Cluster.spec.topology.version ${printSemver(old)} was not propagated to control plane yet (control plane version ${printSemver(version)})`;
  }
  const state = readControlPlane(controlPlane.value);
  if (!state.ok) {
    return `${failed}: ${state.error}`;
  }
  if (state.value.isProvisioning) {
    return 'control plane is currently provisioning';
  }
  return state.value.isUpgrading ? 'control plane is still completing a previous upgrade' : undefined;
}

interface Workers {
  readonly old: Semver;
  readonly upgrading: Checked<ReadonlySet<string>>;
}

function unfinishedWorkers(
  objects: readonly Unstructured[],
  kind: 'MachineDeployment' | 'MachinePool',
  { old, upgrading }: Workers,
): string | undefined {
  const unreadable = objects.find(object => parseVersion(workerVersion(object)) === undefined);
  if (unreadable !== undefined) {
    const { name } = unreadable.metadata;
    return `failed to check if ${kind} ${name} is upgrading: failed to parse version ${workerVersion(unreadable)}`;
  }
  const names = mapChecked(upgrading, busy => {
    const settled = new Set(atVersion(objects, old).filter(({ metadata }) => !busy.has(metadata.name)));
    return objects.filter(object => !settled.has(object)).map(({ metadata }) => metadata.name);
  });
  if (!names.ok) {
    return names.error;
  }
  const text = `there are still ${kind}s completing a previous upgrade: [${names.value.join(', ')}]`;
  return names.value.length === 0 ? undefined : text;
}

function atVersion(objects: readonly Unstructured[], version: Semver): readonly Unstructured[] {
  return objects.filter(object => printSemver(parseVersion(workerVersion(object)) ?? none) === printSemver(version));
}

function released(version: Semver): Semver {
  return { ...version, prerelease: [] };
}
