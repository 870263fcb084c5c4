import { expect, it } from 'vitest';
import { clusterDeclaration } from '../../../../functions/cluster/reconciler.ts';
import { toShape } from '../../../../infra/cost/shape.ts';

it('counts queues, and the reconcilers that look at a Cluster', () => {
  const twin = { ...clusterDeclaration, name: 'topology' };
  const other = {
    ...clusterDeclaration,
    name: 'class',
    primary: { ...clusterDeclaration.primary, kind: 'ClusterClass' },
  };
  expect(toShape([clusterDeclaration, twin, other])).toEqual({
    workQueues: 3,
    standardQueues: 2,
    reconcilersPerCluster: 2,
  });
});
