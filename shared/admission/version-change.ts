// Whether a topology may get another Kubernetes version now: never an older one, no minor version is left out, and the upgrade
// before must be over.
import { toAggregateText } from '../api/aggregate-text.ts';
import { type Checked, mapChecked, valid } from '../api/checked.ts';
import { type FieldError, invalidValue, quote } from '../api/field-error.ts';
import type { Machine } from '../api/machine/reader.ts';
import type { Unstructured } from '../api/object.ts';
import { readDesiredVersion } from '../contract/control-plane.ts';
import { compareVersions, parseVersion, toVersionText, type Version } from '../contract/version.ts';
import { isPending } from '../runtime-hooks/rules/pending-hooks.ts';
import { readControlPlane } from '../topology/upgrade/control-plane-object.ts';
import { workerVersion } from '../topology/upgrade/worker-objects.ts';
import { upgradingMachineDeployments, upgradingMachinePools } from '../topology/upgrade/workers-upgrading.ts';

/** How far the Cluster is with the version that it has. */
export interface Progress {
  /** What its reference names, or why that could not be read. */
  readonly controlPlane: Checked<Unstructured>;
  /** Those that the topology owns, and the Machines of the Cluster. */
  readonly machineDeployments: readonly Unstructured[];
  readonly machines: readonly Machine[];
  readonly machinePools: readonly Unstructured[];
  /** Of Nodes, by name; absent where nobody can ask the workload cluster. */
  readonly kubeletVersions?: ReadonlyMap<string, Checked<string>>;
}

export interface VersionChange {
  readonly old: string;
  readonly new: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** The class lists its versions, or an extension plans upgrades: any distance may be right. */
  readonly isPlanned: boolean;
  readonly progress: () => Progress;
}

const field = 'spec.topology.version';
const none: Version = { major: 0, minor: 0, patch: 0, prerelease: [], build: [] };

export function problemsOfVersionSyntax(change: Pick<VersionChange, 'old' | 'new'>): readonly FieldError[] {
  const tell = (text: string, detail: string): readonly FieldError[] =>
    parseVersion(text) === undefined ? [invalidValue(field, text, detail)] : [];
  return [
    ...tell(change.new, 'version must be a valid semantic version'),
    ...tell(change.old, 'old version must be a valid semantic version'),
  ];
}

/** The first reason against it. What is no version counts as 0.0.0. */
export function problemsOfVersionChange(change: VersionChange): readonly FieldError[] {
  const problem = findProblem(change);
  return problem === undefined ? [] : [invalidValue(field, change.new, problem)];
}

function findProblem(change: VersionChange): string | undefined {
  const [old, shall] = [parseVersion(change.old) ?? none, parseVersion(change.new) ?? none];
  if (plain(old) === plain(shall)) {
    return undefined;
  }
  const isDecreased = compareVersions(released(shall), released(old)) < 0;
  if (isDecreased && compareVersions(shall, none) !== 0) {
    return `version cannot be decreased from ${quote(plain(old))} to ${quote(plain(shall))}`;
  }
  const ceiling = { ...none, major: old.major, minor: old.minor + 2 };
  if (!change.isPlanned && compareVersions(released(shall), ceiling) >= 0) {
    return `version cannot be increased from ${quote(plain(old))} to ${quote(plain(shall))}`;
  }
  if (isPending(change.annotations, { name: 'AfterClusterUpgrade' })) {
    return 'version cannot be changed when the "AfterClusterUpgrade" hook is still blocking';
  }
  const unfinished = whatIsUnfinished(change.progress(), old);
  return unfinished.length === 0 ? undefined : `version cannot be changed: ${toAggregateText(unfinished)}`;
}

function whatIsUnfinished(progress: Progress, old: Version): readonly string[] {
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

function unfinishedControlPlane(controlPlane: Checked<Unstructured>, old: Version): string | undefined {
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
  if (plain(version) !== plain(old)) {
    return `Cluster.spec.topology.version ${plain(old)} was not propagated to control plane yet (control plane version ${plain(version)})`;
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
  readonly old: Version;
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

function atVersion(objects: readonly Unstructured[], version: Version): readonly Unstructured[] {
  return objects.filter(object => plain(parseVersion(workerVersion(object)) ?? none) === plain(version));
}

/** Without the leading "v". */
function plain(version: Version): string {
  return toVersionText(version).slice(1);
}

function released(version: Version): Version {
  return { ...version, prerelease: [] };
}
