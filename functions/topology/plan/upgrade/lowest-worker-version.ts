// The lowest Kubernetes version of the workers of a topology. An upgrade starts at this version.

import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { Semver } from '@capi-serverless/apimachinery/semver';
import { compareVersionsWithBuild, parseVersion, toVersionText } from '@capi-serverless/cluster-api/contract';
import { workerVersion } from '../../../../shared/topology/upgrade/worker-version.ts';
import type { Current } from '../current/current-topology.ts';
import type { PlannedVersion } from './plan-source.ts';

/**
 * Returns the lowest version of all MachineDeployments and MachinePools with a leading "v". Returns undefined without
 * workers. If two versions cannot be ordered, the one that differs from the control plane is lower, because workers
 * follow the control plane.
 */
export function minWorkersVersion(current: Current, controlPlaneVersion: Semver): Checked<PlannedVersion | undefined> {
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
