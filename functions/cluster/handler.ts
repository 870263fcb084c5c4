// The function behind the queue of Clusters.
import { reconcilerHandler } from '../../shared/lambda/reconciler-handler.ts';
import { clusterReconciler } from './reconciler.ts';

export const handler = reconcilerHandler(clusterReconciler);
