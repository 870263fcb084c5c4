// The preflight checks: new Machines wait until the control plane is stable and their version fits it.
import { type Checked, prefixed, toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { printSemver, type Semver } from '@capi-serverless/apimachinery/semver';
import { parseVersion, readDesiredVersion } from '@capi-serverless/cluster-api/contract';
import type { Cluster } from '../api/cluster/reader.ts';
import { upgradeStepAnnotation } from '../topology/model/keys.ts';
import { isAnyBehind, isProvisioning, runningVersions } from '../topology/upgrade/control-plane-object.ts';
import {
  type Preflight,
  type PreflightCheck,
  type PreflightFacts,
  type PreflightScope,
  preflightProblem,
} from './preflight-scope.ts';

/** The number of minor versions by which Machines may be older than the control plane. */
const supportedSkew = 3n;

type OpenScope = Extract<PreflightScope, { state: 'open' }>;

interface Versions {
  /** As written. */
  readonly ofControlPlane: string;
  readonly ofSet: string;
  readonly controlPlane: Semver;
  readonly machineSet: Semver;
}

const passed: Preflight = { state: 'passed' };

/** `controlPlane` is the object that the scope references. */
export function checkPreflight(scope: OpenScope, facts: PreflightFacts, controlPlane: Unstructured): Preflight {
  const place = toDisplayName(controlPlane.metadata);
  const found = readDesiredVersion(controlPlane);
  if (found.state === 'absent') {
    return passed;
  }
  if (found.state === 'wrongType') {
    return failure(`failed to get the version of ControlPlane ${place}: ${found.error}`);
  }
  const parsed = parseVersion(found.value);
  if (parsed === undefined) {
    return failure(`failed to parse version "${found.value}" of ControlPlane ${place}`);
  }
  const stable = scope.runs('ControlPlaneIsStable')
    ? stabilityMessage(controlPlane, found.value, facts)
    : ({ ok: true, value: undefined } as const);
  const ofSet = facts.machineSet.spec.template.spec.version;
  const machineSet = ofSet === '' ? undefined : parseVersion(ofSet);
  if (ofSet !== '' && machineSet === undefined) {
    return failure(`failed to parse version "${ofSet}" of MachineSet ${toDisplayName(facts.machineSet.metadata)}`);
  }
  if (!stable.ok) {
    return failure(`failed to perform "ControlPlaneIsStable" preflight check: ${stable.error}`);
  }
  const versions =
    machineSet === undefined ? undefined : { ofControlPlane: found.value, ofSet, controlPlane: parsed, machineSet };
  const messages = [
    ...(stable.value === undefined ? [] : [toMessage(stable.value, 'ControlPlaneIsStable')]),
    ...(versions === undefined ? [] : versionMessages(scope, facts, versions)),
  ];
  return messages.length === 0 ? passed : { state: 'failed', messages };
}

function failure(problem: string): Preflight {
  return { state: 'error', problem: `${preflightProblem}: ${problem}` };
}

function toMessage(text: string, check: PreflightCheck): string {
  return `${text} ("${check}" preflight check failed)`;
}

/** Returns why the control plane is not stable, or nothing if it is. */
function stabilityMessage(
  controlPlane: Unstructured,
  version: string,
  facts: PreflightFacts,
): Checked<string | undefined> {
  const name = `${controlPlane.kind} ${toDisplayName(controlPlane.metadata)}`;
  const cluster = managedCluster(facts);
  const pending = cluster === undefined ? undefined : pendingVersion(cluster, version);
  if (pending !== undefined) {
    return { ok: true, value: `${name} has a pending version upgrade to ${pending}` };
  }
  const running = prefixed(runningVersions(controlPlane), `failed to check if ${name} is provisioning`);
  if (!running.ok) {
    return running;
  }
  if (isProvisioning(running.value)) {
    return { ok: true, value: `${name} is provisioning` };
  }
  const behind = prefixed(isAnyBehind(running.value, version), `failed to check if the ${name} is upgrading`);
  if (!behind.ok) {
    return behind;
  }
  return { ok: true, value: behind.value ? `${name} is upgrading` : undefined };
}

/** Returns the version of the topology that the control plane does not have yet. */
function pendingVersion({ object, metadata }: Cluster, version: string): string | undefined {
  const wanted = valueAt(object.spec, 'topology.version');
  const step = metadata.annotations[upgradeStepAnnotation] ?? '';
  if (wanted === version || step === version) {
    return undefined;
  }
  return step === '' ? String(wanted) : step;
}

/** Returns the Cluster if its topology determines the version of the MachineSet. */
function managedCluster({ cluster, settings }: PreflightFacts): Cluster | undefined {
  return settings.hasTopologies && cluster?.spec.topology.isDefined === true ? cluster : undefined;
}

function versionMessages({ runs }: OpenScope, facts: PreflightFacts, versions: Versions): readonly string[] {
  const rules: readonly (readonly [PreflightCheck, string | undefined])[] = [
    ['KubernetesVersionSkew', kubernetesSkew(versions)],
    ['KubeadmVersionSkew', usesKubeadm(facts.machineSet) ? kubeadmSkew(versions) : undefined],
    ['ControlPlaneVersionSkew', managedCluster(facts) === undefined ? undefined : topologySkew(versions)],
  ];
  return rules.flatMap(([check, text]) => (text === undefined || !runs(check) ? [] : [toMessage(text, check)]));
}

function printBoth({ machineSet, controlPlane }: Versions): string {
  return `MachineSet version (${printSemver(machineSet)}) and ControlPlane version (${printSemver(controlPlane)}) do not conform to`;
}

function kubernetesSkew(versions: Versions): string | undefined {
  const { machineSet, controlPlane } = versions;
  const text = `${printBoth(versions)} the kubernetes version skew policy as MachineSet version is`;
  if (machineSet.minor > controlPlane.minor) {
    return `${text} higher than ControlPlane version`;
  }
  return machineSet.minor < controlPlane.minor - supportedSkew
    ? `${text} more than ${supportedSkew} minor versions older than the ControlPlane version`
    : undefined;
}

function usesKubeadm({ spec }: PreflightFacts['machineSet']): boolean {
  const { kind, apiGroup } = spec.template.spec.bootstrap.configRef;
  return kind === 'KubeadmConfigTemplate' && apiGroup === 'bootstrap.cluster.x-k8s.io';
}

function kubeadmSkew(versions: Versions): string | undefined {
  return versions.machineSet.minor === versions.controlPlane.minor
    ? undefined
    : `${printBoth(versions)} kubeadm version skew policy as kubeadm only supports joining with the same major+minor version as the control plane`;
}

function topologySkew({ ofSet, ofControlPlane }: Versions): string | undefined {
  return ofSet === ofControlPlane
    ? undefined
    : `MachineSet version (${ofSet}) is not yet the same as the ControlPlane version (${ofControlPlane}), waiting for version to be propagated to the MachineSet`;
}
