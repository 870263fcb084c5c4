// Determines the templates that a patch definition selects.
import type { PatchSelector } from '../../../../shared/api/cluster-class/class-spec.ts';
import { matchesClassName } from '../../../../shared/topology/model/class-name-pattern.ts';
import type { PatchItem, TemplateRole } from './items.ts';

/** Matches the kind in exactly this version, and a use of the template that the selector names. */
export function isSelected({ apiVersion, kind, role }: PatchItem, selector: PatchSelector): boolean {
  return selector.apiVersion === apiVersion && selector.kind === kind && isMatched(role, selector.matchResources);
}

function isMatched(role: TemplateRole, match: PatchSelector['matchResources']): boolean {
  switch (role.is) {
    case 'infrastructureCluster':
      return match.infrastructureCluster;
    case 'controlPlane':
    case 'controlPlaneMachines':
      return match.controlPlane;
    case 'machineDeployment':
      return isNamed(role.class, match.machineDeploymentClass.names);
    case 'machinePool':
      return isNamed(role.class, match.machinePoolClass.names);
  }
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some(pattern => matchesClassName(name, pattern));
}
