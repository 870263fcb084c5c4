// The Kubernetes versions of the workers that are there.
import { type Checked, invalid, valid } from '../../api/checked.ts';
import { toRecord } from '../../api/fields.ts';
import type { Unstructured } from '../../api/object.ts';
import { compareVersionsWithBuild, parseVersion, toVersionText, type Version } from '../../contract/version.ts';
import type { Current } from '../model/current.ts';
import type { PlannedVersion } from './plan-source.ts';

/** `spec.template.spec.version`; "" when there is none. */
export function workerVersion({ spec }: Unstructured): string {
  const template = toRecord(toRecord(spec)['template']);
  const { version } = toRecord(template['spec']);
  return typeof version === 'string' ? version : '';
}

/**
 * The lowest version of all MachineDeployments and MachinePools, with a leading "v"; undefined when there are none. Of two
 * that have no order, the one that is not the control plane's is the lower one: workers follow it.
 */
export function minWorkersVersion(current: Current, controlPlaneVersion: Version): Checked<PlannedVersion | undefined> {
  const workers = [...current.machineDeployments.values(), ...current.machinePools.values()];
  let lowest: Version | undefined;
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

function isLower(version: Version, lowest: Version, controlPlaneVersion: Version): boolean {
  const order = compareVersionsWithBuild(version, lowest);
  return order === 'incomparable' ? toVersionText(version) !== toVersionText(controlPlaneVersion) : order < 0;
}
