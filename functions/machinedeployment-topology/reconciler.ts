// The cleanup reconciler for MachineDeployments of managed topologies: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import { decide } from '../../shared/template-cleanup/decide.ts';
import { observe } from '../../shared/template-cleanup/observe.ts';
import { report } from '../../shared/template-cleanup/report.ts';
import type { TemplateCleanupSeen } from '../../shared/template-cleanup/seen.ts';
import { machineDeploymentCleanup } from './cleanup.ts';
import { machineDeploymentTopologyDeclaration } from './declaration.ts';

export const machineDeploymentTopologyReconciler: Reconciler<object, TemplateCleanupSeen> = {
  declaration: machineDeploymentTopologyDeclaration,
  observe: (primary, ask) => observe(primary, ask, machineDeploymentCleanup),
  decide,
  report,
};
