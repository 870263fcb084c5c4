import { expect, it } from 'vitest';
import { readClusterClass } from '../../../../shared/api/cluster-class/reader.ts';
import { isUsable } from '../../../../shared/api/cluster-class/usable.ts';
import { aPlainClusterClass } from '../../../support/cluster-class.ts';

const observed = aPlainClusterClass().withStatus({ observedGeneration: 1 });

it.each([
  { clusterClass: observed.withCondition('VariablesReady'), usable: true, reason: 'its variables are ready' },
  {
    clusterClass: observed.withCondition('VariablesReady', { status: 'Unknown' }),
    usable: true,
    reason: 'Unknown does not block Clusters',
  },
  {
    clusterClass: observed.withCondition('VariablesReady', { status: 'False' }),
    usable: false,
    reason: 'False blocks Clusters',
  },
  { clusterClass: observed, usable: false, reason: 'its variables were not checked' },
  {
    clusterClass: observed.withCondition('VariablesReady').atGeneration(2),
    usable: false,
    reason: 'its spec changed since then',
  },
  {
    clusterClass: observed.withCondition('VariablesReady').withCondition('RefVersionsUpToDate', { status: 'False' }),
    usable: true,
    reason: 'outdated references do not matter',
  },
])('a class is usable: $usable, $reason', ({ clusterClass, usable }) => {
  expect(isUsable(readClusterClass(clusterClass.build()))).toBe(usable);
});
