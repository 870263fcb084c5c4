// The Lambda function of the queue for MachineSets of managed topologies.
import { reconcilerHandler } from '../../shared/lambda/reconciler-handler.ts';
import { machineSetTopologyReconciler } from './reconciler.ts';

export const handler = reconcilerHandler(machineSetTopologyReconciler);
