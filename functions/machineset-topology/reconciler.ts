// The cleanup reconciler for MachineSets of managed topologies: its declaration and its parts.
import type { Reconciler } from '@capi-serverless/reconciler';
import { decide } from '../../shared/template-cleanup/decide.ts';
import { observe } from '../../shared/template-cleanup/observe.ts';
import { report } from '../../shared/template-cleanup/report.ts';
import type { TemplateCleanupSeen } from '../../shared/template-cleanup/seen.ts';
import { machineSetCleanup } from './cleanup.ts';
import { machineSetTopologyDeclaration } from './declaration.ts';

export const machineSetTopologyReconciler: Reconciler<object, TemplateCleanupSeen> = {
  declaration: machineSetTopologyDeclaration,
  observe: (primary, ask) => observe(primary, ask, machineSetCleanup),
  decide,
  report,
};
