// The queues of a deployment and the reconcilers of a Cluster, derived from the declarations.

import type { Declaration } from '@capi-serverless/reconciler';
import { clusterDeclaration } from '../../functions/cluster/declaration.ts';
import { isFifo } from '../../shared/workqueue/queue-names.ts';
import { toConsumers } from '../../shared/workqueue/queue-specs.ts';
import type { DeclaredFigures } from './items.ts';

export function toShape(declarations: readonly Declaration[]): DeclaredFigures {
  const cluster = clusterDeclaration.primary;
  const queues = toConsumers(declarations).map(({ queue }) => queue);
  const workQueues = queues.filter(isFifo).length;
  return {
    workQueues,
    standardQueues: queues.length - workQueues,
    reconcilersPerCluster: declarations.filter(
      ({ primary }) => primary.kind === cluster.kind && primary.group === cluster.group,
    ).length,
  };
}
