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
    reason: 'scenario 39: Unknown does not stop anybody',
  },
  {
    clusterClass: observed.withCondition('VariablesReady', { status: 'False' }),
    usable: false,
    reason: 'scenario 39: False does',
  },
  { clusterClass: observed, usable: false, reason: 'nobody has looked at its variables' },
  {
    clusterClass: observed.withCondition('VariablesReady').atGeneration(2),
    usable: false,
    reason: 'its spec changed since',
  },
  {
    clusterClass: observed.withCondition('VariablesReady').withCondition('RefVersionsUpToDate', { status: 'False' }),
    usable: true,
    reason: 'old references do not matter',
  },
])('a class is usable: $usable, $reason', ({ clusterClass, usable }) => {
  expect(isUsable(readClusterClass(clusterClass.build()))).toBe(usable);
});
