// The function behind the queue of MachineSets of managed topologies.
import { reconcilerHandler } from '../../shared/lambda/reconciler-handler.ts';
import { machineSetTopologyReconciler } from './reconciler.ts';

export const handler = reconcilerHandler(machineSetTopologyReconciler);
