import { expect, it } from 'vitest';
import { toShape } from '../../../../cli/cost/shape.ts';
import { clusterDeclaration } from '../../../../functions/cluster/declaration.ts';

it('counts queues, the reconcilers of a Cluster, and the kinds of a resync', () => {
  const twin = { ...clusterDeclaration, name: 'topology' };
  const other = {
    ...clusterDeclaration,
    name: 'class',
    primary: { ...clusterDeclaration.primary, kind: 'ClusterClass' },
  };
  expect(toShape([clusterDeclaration, twin, other])).toEqual({
    reconcilers: 3,
    standardQueues: 2,
    reconcilersPerCluster: 2,
    targetsPerCluster: 2,
    listedKinds: 9,
    kindsPerCluster: 7,
  });
});
