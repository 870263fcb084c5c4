// The queues of a deployment and who looks at a Cluster, derived from the declarations.
import { clusterKind } from '../../functions/cluster/watches.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import { isFifo } from '../../shared/workqueue/queue-names.ts';
import { toConsumers } from '../../shared/workqueue/queue-specs.ts';
import type { Shape } from './prices.ts';

export function toShape(declarations: readonly Declaration[]): Shape {
  const queues = toConsumers(declarations).map(({ queue }) => queue);
  const workQueues = queues.filter(isFifo).length;
  return {
    workQueues,
    standardQueues: queues.length - workQueues,
    reconcilersPerCluster: declarations.filter(
      ({ primary }) => primary.kind === clusterKind.kind && primary.group === clusterKind.group,
    ).length,
  };
}
