import { describe, expect, it } from 'vitest';
import { toSetTotals } from '../../../../../functions/machinedeployment/conditions/deployment-conditions.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachineSet } from '../../../../support/builders.ts';
import { aSet } from './deployment-facts.ts';

const none = {
  replicas: undefined,
  readyReplicas: undefined,
  availableReplicas: undefined,
  upToDateReplicas: undefined,
  versions: undefined,
};

describe('the counters of a MachineDeployment', () => {
  it.each([
    { sets: [], totals: none, reason: 'there are no MachineSets' },
    { sets: ['ms1 3', 'ms2 1'], totals: none, reason: 'no MachineSet has a status' },
    { sets: ['ms1 3/1', 'ms2 1'], totals: { ...none, replicas: 1 }, reason: 'one reports one counter' },
    {
      sets: ['ms1 3/5 r4 a3 u2', 'ms2 1/10 r20 a30 u40'],
      totals: { ...none, replicas: 15, readyReplicas: 24, availableReplicas: 33, upToDateReplicas: 42 },
      reason: 'all report all counters',
    },
    {
      sets: ['ms1 3/0 r0 a0 u0'],
      totals: { ...none, replicas: 0, readyReplicas: 0, availableReplicas: 0, upToDateReplicas: 0 },
      reason: 'a reported 0 is not absent',
    },
  ])('of $sets: $reason', ({ sets, totals }) => {
    expect(toSetTotals(sets.map(aSet))).toEqual(totals);
  });

  it('add up the versions of the MachineSets, oldest first', () => {
    const versions = [
      [
        { version: 'v1.32.0', replicas: 2 },
        { version: 'v1.31.0', replicas: 1 },
      ],
      [{ version: 'v1.32.0', replicas: 3 }],
    ];
    const sets = versions.map(each => readWholeMachineSet(aMachineSet().withStatus({ versions: each }).build()));
    expect(toSetTotals(sets).versions).toEqual([
      { version: 'v1.31.0', replicas: 1 },
      { version: 'v1.32.0', replicas: 5 },
    ]);
  });
});
