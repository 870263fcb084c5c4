// The cleanup reconciler for MachineSets of managed topologies: its declaration and its rules.
import { cleanupReconciler } from '../../shared/template-cleanup/reconciler.ts';
import { machineSetCleanup } from './cleanup.ts';
import { machineSetTopologyDeclaration } from './declaration.ts';

export const machineSetTopologyReconciler = cleanupReconciler(machineSetTopologyDeclaration, machineSetCleanup);
