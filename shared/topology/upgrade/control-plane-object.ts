// How far a control plane object is with the version that it was given.
import { type Checked, invalid, valid } from '../../api/checked.ts';
import type { Unstructured } from '../../api/object.ts';
import { readCurrentVersion, readDesiredVersion, readStatusVersions } from '../../contract/control-plane.ts';
import { valueOr } from '../../contract/path.ts';
import { compareVersionsWithBuild, parseVersion } from '../../contract/version.ts';

export interface ControlPlaneObject {
  /** `spec.version`. */
  readonly version: string;
  /** It runs no version yet. */
  readonly isProvisioning: boolean;
  /** Some of it still runs an older version. */
  readonly isUpgrading: boolean;
}

/** Fails where the object tells nothing, or nothing that can be read. */
export function readControlPlane(object: Unstructured): Checked<ControlPlaneObject> {
  const version = controlPlaneVersionOf(object);
  if (!version.ok) {
    return version;
  }
  const running = runningVersions(object);
  if (!running.ok) {
    return invalid(`failed to check if the control plane is being provisioned: ${running.error}`);
  }
  const [first = ''] = running.value;
  const behind = running.value.map(each => isBehind(each, version.value));
  const problem = behind.find(each => !each.ok);
  return problem === undefined
    ? valid({
        version: version.value,
        isProvisioning: first === '',
        isUpgrading: behind.some(each => each.ok && each.value),
      })
    : problem;
}

/** `spec.version`, which every control plane of a topology has. */
export function controlPlaneVersionOf(object: Unstructured): Checked<string> {
  const found = readDesiredVersion(object);
  const problem = 'failed to get the version from control plane spec';
  switch (found.state) {
    case 'value':
      return valid(found.value);
    case 'absent':
      return invalid(`${problem}: .spec.version is not set`);
    case 'wrongType':
      return invalid(`${problem}: ${found.error}`);
  }
}

/** Of the whole list if there is one, else the one version that the status names: "" where it names none. */
function runningVersions(object: Unstructured): Checked<readonly string[]> {
  const list = readStatusVersions(object);
  if (list.state === 'wrongType') {
    return invalid(list.error);
  }
  const listed = valueOr(list, []).map(({ version }) => version);
  if (listed.length > 0) {
    return valid(listed);
  }
  const single = readCurrentVersion(object);
  return single.state === 'wrongType' ? invalid(single.error) : valid([valueOr(single, '')]);
}

/** Of two that have no order: they differ, so there is something to do. */
function isBehind(running: string, wanted: string): Checked<boolean> {
  if (running === '') {
    return valid(false);
  }
  const [is, shall] = [parseVersion(running), parseVersion(wanted)];
  if (is === undefined || shall === undefined) {
    const text = is === undefined ? running : wanted;
    return invalid(`failed to check if the control plane is upgrading: failed to parse version ${text}`);
  }
  const order = compareVersionsWithBuild(shall, is);
  return valid(order === 'incomparable' || order >= 1);
}
