// Determines whether an upgrade is complete except for the call of AfterClusterUpgrade.
import {
  afterClusterUpgrade,
  afterControlPlaneUpgrade,
  afterWorkersUpgrade,
} from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { type HookState, isMarked } from './hook-state.ts';
import type { Versions } from './version-progress.ts';
import { isStable } from './worker-versions.ts';

/** All parts have their target version, and the hooks of the last step were called. */
export function isClusterUpgraded(
  { controlPlane, machineDeployments, machinePools }: Versions,
  hookState: HookState,
): boolean {
  const isOver = [machineDeployments, machinePools].every(
    ({ upgrading, pendingUpgrade, deferredUpgrade, pendingCreate }) =>
      upgrading.size + pendingUpgrade.size + deferredUpgrade.size + pendingCreate.size === 0,
  );
  return (
    isMarked(hookState, afterClusterUpgrade) &&
    !isMarked(hookState, afterControlPlaneUpgrade) &&
    !isMarked(hookState, afterWorkersUpgrade) &&
    isStable(controlPlane) &&
    isOver
  );
}
