// The upgrade progress of a control plane object.

import {
  all,
  allInOrder,
  andThen,
  type Checked,
  invalid,
  mapChecked,
  prefixed,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import {
  compareVersionsWithBuild,
  parseVersion,
  readCurrentVersion,
  readDesiredVersion,
  readStatusVersions,
  valueOr,
} from '@capi-serverless/cluster-api/contract';

export interface ControlPlaneObject {
  /** The value of `spec.version`. */
  readonly version: string;
  /** The control plane runs no version yet. */
  readonly isProvisioning: boolean;
  /** A part of the control plane still runs an older version. */
  readonly isUpgrading: boolean;
}

/** Fails if the object has no version, or one that cannot be parsed. */
export function readControlPlane(object: Unstructured): Checked<ControlPlaneObject> {
  const parts = all({
    version: controlPlaneVersionOf(object),
    running: prefixed(runningVersions(object), 'failed to check if the control plane is being provisioned'),
  });
  return andThen(parts, ({ version, running }) =>
    mapChecked(
      prefixed(isAnyBehind(running, version), 'failed to check if the control plane is upgrading'),
      isUpgrading => ({ version, isProvisioning: isProvisioning(running), isUpgrading }),
    ),
  );
}

/** Returns whether the control plane with these `runningVersions` runs no version yet. */
export function isProvisioning(running: readonly string[]): boolean {
  return running[0] === '';
}

/** Returns whether one of the `runningVersions` is older than the wanted version. */
export function isAnyBehind(running: readonly string[], wanted: string): Checked<boolean> {
  return mapChecked(allInOrder(running.map(each => isBehind(each, wanted))), behind => behind.includes(true));
}

/** Returns `spec.version`, which every control plane of a topology has. */
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

/**
 * Returns the version from the list of versions if there is one. Otherwise returns the single version of the status, or
 * "".
 */
export function runningVersions(object: Unstructured): Checked<readonly string[]> {
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

/** Returns true if the versions cannot be ordered. They differ, so an upgrade is needed. */
function isBehind(running: string, wanted: string): Checked<boolean> {
  if (running === '') {
    return valid(false);
  }
  const [is, shall] = [parseVersion(running), parseVersion(wanted)];
  if (is === undefined || shall === undefined) {
    const text = is === undefined ? running : wanted;
    return invalid(`failed to parse version ${text}`);
  }
  const order = compareVersionsWithBuild(shall, is);
  return valid(order === 'incomparable' || order >= 1);
}
