// Whether an upgrade has come to its end, so that only AfterClusterUpgrade is left.
import {
  afterClusterUpgrade,
  afterControlPlaneUpgrade,
  afterWorkersUpgrade,
} from '../../runtime-hooks/rules/catalog.ts';
import type { Versions } from '../model/versions.ts';
import { type HookBook, isMarked } from './hook-book.ts';
import { isStable } from './worker-versions.ts';

/** Everything is at its version, and the hooks of the last step have been called. */
export function isClusterUpgraded(
  { controlPlane, machineDeployments, machinePools }: Versions,
  book: HookBook,
): boolean {
  const isOver = [machineDeployments, machinePools].every(
    ({ upgrading, pendingUpgrade, deferredUpgrade, pendingCreate }) =>
      upgrading.size + pendingUpgrade.size + deferredUpgrade.size + pendingCreate.size === 0,
  );
  return (
    isMarked(book, afterClusterUpgrade) &&
    !isMarked(book, afterControlPlaneUpgrade) &&
    !isMarked(book, afterWorkersUpgrade) &&
    isStable(controlPlane) &&
    isOver
  );
}
