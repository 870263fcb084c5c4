// Declares suites that need a real control plane. Without one, a suite is skipped or fails.
import { type ControlPlaneBinaries, findControlPlaneBinaries } from './control-plane-binaries.ts';
import { describePart } from './describe-part.ts';

/** Declares a suite that needs a real control plane. `needs: 'controllers'` also requires kube-controller-manager. */
export function describeReal(
  name: string,
  declare: (binaries: ControlPlaneBinaries) => void,
  options: { readonly needs?: 'controllers' } = {},
): void {
  describePart(name, findPrograms(options.needs), { part: 'a real control plane', declare });
}

function findPrograms(needs: 'controllers' | undefined): ControlPlaneBinaries | { readonly missing: string } {
  const found = findControlPlaneBinaries();
  return needs === 'controllers' && !('missing' in found) && found.controllerManager === undefined
    ? { missing: `${found.dir} holds no kube-controller-manager` }
    : found;
}
