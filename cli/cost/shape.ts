// The queues of a deployment, the reconcilers of a Cluster and the kinds of a resync, derived from the declarations.

import type { Kind } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { clusterDeclaration } from '../../functions/cluster/declaration.ts';
import { toWatchSet } from '../../shared/event-source/watch-set.ts';
import { isFifo } from '../../shared/workqueue/queue-names.ts';
import { toConsumers } from '../../shared/workqueue/queue-specs.ts';
import type { DeclaredFigures, KindFigures } from './items.ts';

/** The kinds of which a Cluster is assumed to have one object each. */
const kindsOfCluster: readonly string[] = ['Cluster', 'Machine', 'MachineDeployment', 'MachineSet'];

/** The kinds that the objects of one kind reference: one of infrastructure, one of control planes or of bootstrap. */
const kindsPerReferrer = 2;

export function toShape(declarations: readonly Declaration[]): DeclaredFigures {
  const queues = toConsumers(declarations).map(({ queue }) => queue);
  const reconcilers = queues.filter(isFifo).length;
  return { reconcilers, standardQueues: queues.length - reconcilers, ...toKindFigures(declarations) };
}

export function toKindFigures(declarations: readonly Declaration[]): KindFigures {
  const cluster = clusterDeclaration.primary;
  const { declared, referrers } = toWatchSet(declarations);
  const references = referrers.length * kindsPerReferrer;
  const isOfCluster = ({ group, kind }: Kind) => group === cluster.group && kindsOfCluster.includes(kind);
  const primaries = declarations.map(({ primary }) => primary).filter(isOfCluster);
  return {
    reconcilersPerCluster: primaries.filter(({ kind }) => kind === cluster.kind).length,
    targetsPerCluster: primaries.length,
    listedKinds: declared.length + references,
    kindsPerCluster: declared.filter(({ kind }) => isOfCluster(kind)).length + references,
  };
}
