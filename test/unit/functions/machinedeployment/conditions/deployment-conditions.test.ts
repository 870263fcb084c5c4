import { describe, expect, it } from 'vitest';
import {
  ownedConditions,
  phaseOf,
  toConditions,
} from '../../../../../functions/machinedeployment/conditions/deployment-conditions.ts';
import { type FactTexts, facts, now, onDelete, rolling } from './deployment-facts.ts';

const paused = { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' } as const;

/** All conditions as `status/reason` and message, by type. */
function conditionsOf(texts: FactTexts): Readonly<Record<string, string>> {
  const list = toConditions(facts(texts), { stored: [], paused, generation: 2, now });
  return Object.fromEntries(
    list.map(({ type, status, reason, message }) => [
      type,
      `${status}/${reason}${message === '' ? '' : ` ${message}`}`,
    ]),
  );
}

interface Case extends FactTexts {
  readonly is: string;
  readonly reason: string;
}

function table(type: string, cases: readonly Case[]): void {
  describe(`the condition ${type}`, () => {
    it.each(cases)('is $is: $reason', ({ is, reason: _, ...texts }) => {
      expect(conditionsOf(texts)[type]).toBe(is);
    });
  });
}

const internalError = 'Unknown/InternalError Please check controller logs for errors';
const waitingForReplicas = 'Unknown/WaitingForReplicasSet Waiting for spec.replicas set';
const withoutReplicas = { replicas: undefined };

table('Available', [
  { sets: undefined, is: internalError, reason: 'the MachineSets are not known' },
  { sets: undefined, spec: withoutReplicas, is: internalError, reason: 'the MachineSets are not known either' },
  { sets: ['ms1 3/3 a3'], spec: withoutReplicas, is: waitingForReplicas, reason: 'spec.replicas is missing' },
  {
    sets: [],
    is: 'Unknown/WaitingForAvailableReplicasSet Waiting for status.availableReplicas set',
    reason: 'no MachineSet reports the counter',
  },
  { sets: ['ms1 3/3 a3'], is: 'True/Available', reason: 'all replicas are available' },
  { sets: ['ms1 3/3 a3'], isDeleting: true, is: 'True/Available', reason: 'deletion alone does not change it' },
  {
    sets: ['ms1 3/1 a1'],
    isDeleting: true,
    is: 'False/NotAvailable Deletion in progress',
    reason: 'it is being deleted',
  },
  { sets: ['ms1 0/0 a0'], spec: { replicas: 0 }, is: 'True/Available', reason: 'no replica is needed' },
  {
    sets: ['ms1 4/4 a4'],
    spec: { replicas: 5, ...rolling(0, 1) },
    is: 'True/Available',
    reason: 'one may be unavailable',
  },
  {
    sets: ['ms1 4/4 a2', 'ms2 1/1 a1'],
    spec: { replicas: 5, ...rolling(1, 1) },
    is: 'False/NotAvailable 3 available replicas, at least 4 required (spec.strategy.rollout.maxUnavailable is 1, spec.replicas is 5)',
    reason: 'one too many is unavailable',
  },
  {
    sets: ['ms1 4/4 a2'],
    spec: { replicas: 4, ...rolling(1, '25%') },
    is: 'False/NotAvailable 2 available replicas, at least 3 required (spec.strategy.rollout.maxUnavailable is 25%, spec.replicas is 4)',
    reason: 'the value is printed as it is written',
  },
  {
    sets: ['ms1 4/4 a2'],
    spec: { replicas: 4, ...rolling('0%', 0) },
    is: 'False/NotAvailable 2 available replicas, at least 3 required (spec.strategy.rollout.maxUnavailable is 0, spec.replicas is 4)',
    reason: 'without surge one may be unavailable',
  },
  {
    sets: ['ms1 5/5 a3'],
    spec: { replicas: 5, ...onDelete },
    is: 'False/NotAvailable 3 available replicas, at least 5 required',
    reason: 'OnDelete has no limits',
  },
]);

table('RollingOut', [
  { is: 'False/NotRollingOut', reason: 'there are no Machines' },
  {
    machines: ['m1 UpToDate=Unknown:x', 'm2'],
    is: 'False/NotRollingOut',
    reason: 'no Machine is known to be outdated',
  },
  { machines: ['m1 UpToDate=True:x'], is: 'False/NotRollingOut', reason: 'all Machines are up to date' },
  {
    machines: ['m1 UpToDate=False'],
    is: 'True/RollingOut Rolling out 1 not up-to-date replicas',
    reason: 'without text',
  },
  {
    machines: ['m1 UpToDate=False:*_b', 'm2 UpToDate=False:*_a|*_Version_2|*_Version_1'],
    is: 'True/RollingOut Rolling out 2 not up-to-date replicas\n* Version 1\n* Version 2\n* a\n* b',
    reason: 'versions are first, and each group is sorted',
  },
  {
    machines: [
      'm1 UpToDate=False:*_Failure_domain_a,_b_required|*_Version_v1.25.0,_v1.26.0_required',
      'm2 UpToDate=False:*_Version_v1.25.0,_v1.26.0_required',
      'm3 UpToDate=Unknown:*_other',
    ],
    is: 'True/RollingOut Rolling out 2 not up-to-date replicas\n* Version v1.25.0, v1.26.0 required\n* Failure domain a, b required',
    reason: 'each line is named once',
  },
  {
    sets: undefined,
    machines: ['m1 UpToDate=False'],
    is: 'True/RollingOut Rolling out 1 not up-to-date replicas',
    reason: 'the MachineSets do not matter',
  },
]);

const templates = ['FooConfigTemplate', 'FooMachineTemplate'];

table('ScalingUp', [
  { sets: undefined, is: internalError, reason: 'the MachineSets are not known' },
  { sets: [], spec: withoutReplicas, is: waitingForReplicas, reason: 'spec.replicas is missing' },
  { sets: [], is: 'True/ScalingUp Scaling up from 0 to 3 replicas', reason: 'there is no MachineSet yet' },
  { sets: ['ms1 2/2', 'ms2 1/1'], is: 'False/NotScalingUp', reason: 'all replicas exist' },
  { sets: ['ms1 2/1'], isDeleting: true, missing: templates, is: 'False/NotScalingUp', reason: 'it is being deleted' },
  {
    sets: ['ms1 3/3'],
    missing: templates,
    is: 'False/NotScalingUp Scaling up would be blocked because FooConfigTemplate and FooMachineTemplate do not exist',
    reason: 'missing templates would block',
  },
  {
    sets: ['ms1 3/3'],
    spec: { replicas: 4 },
    missing: ['FooMachineTemplate'],
    is: 'True/ScalingUp Scaling up from 3 to 4 replicas is blocked because FooMachineTemplate does not exist',
    reason: 'a missing template blocks',
  },
]);

table('ScalingDown', [
  { sets: undefined, is: internalError, reason: 'the MachineSets are not known' },
  { sets: [], spec: withoutReplicas, is: waitingForReplicas, reason: 'spec.replicas is missing' },
  { sets: ['ms1 3/3'], is: 'False/NotScalingDown', reason: 'no replica is too many' },
  {
    sets: ['ms1 3/3'],
    spec: { replicas: 1 },
    is: 'True/ScalingDown Scaling down from 3 to 1 replicas',
    reason: 'two are too many',
  },
  {
    sets: ['ms1 3/2', 'ms2 1/1'],
    isDeleting: true,
    is: 'True/ScalingDown Scaling down from 3 to 0 replicas',
    reason: 'it is being deleted',
  },
  {
    sets: ['ms1 6/6'],
    spec: { replicas: 1 },
    machines: ['e', 'c', 'a', 'd', 'b'].map(name => `${name} deleting=16`),
    is: 'True/ScalingDown Scaling down from 6 to 1 replicas\n* Machines a, b, c, ... (2 more) are in deletion since more than 15m',
    reason: 'deletions take long',
  },
]);

table('MachinesReady', [
  { is: 'True/NoReplicas', reason: 'there are no Machines' },
  { machines: ['m1 Ready=True'], is: 'True/Ready', reason: 'all Machines are ready' },
  { machines: ['m1 Ready=False:broken'], is: 'False/NotReady * Machine m1: broken', reason: 'a Machine is not ready' },
]);

table('MachinesUpToDate', [
  { machines: ['m1 age=0.05'], is: 'True/NoReplicas', reason: 'the Machine is new' },
  { machines: ['m1 age=0.05 UpToDate=True'], is: 'True/UpToDate', reason: 'a new Machine reports it' },
  {
    machines: ['m1 age=1 UpToDate=False:*_x'],
    is: 'False/NotUpToDate * Machine m1:\n  * x',
    reason: 'one is outdated',
  },
]);

table('Remediating', [
  { is: 'False/NotRemediating', reason: 'there are no Machines' },
  {
    machines: ['m1 HealthCheckSucceeded=False'],
    is: 'False/NotRemediating Machine m1 is not healthy (not to be remediated by MachineDeployment/MachineSet)',
    reason: 'one is unhealthy',
  },
  {
    machines: ['m2 HealthCheckSucceeded=False', 'm1 HealthCheckSucceeded=False'],
    is: 'False/NotRemediating Machines m1, m2 are not healthy (not to be remediated by MachineDeployment/MachineSet)',
    reason: 'two are unhealthy',
  },
  {
    machines: ['m1 HealthCheckSucceeded=False OwnerRemediated=False:Machine_is_deleting'],
    is: 'True/Remediating * Machine m1: Machine is deleting',
    reason: 'one is remediated',
  },
]);

table('Deleting', [
  { sets: undefined, isDeleting: true, is: internalError, reason: 'the MachineSets are not known' },
  { sets: ['ms1 3/3'], machines: ['m1'], is: 'False/NotDeleting', reason: 'it is not being deleted' },
  {
    sets: ['ms1 1/1'],
    machines: ['m1'],
    isDeleting: true,
    is: 'True/Deleting Deleting 1 Machine',
    reason: 'one is left',
  },
  {
    sets: ['ms1 1/1'],
    machines: ['m1', 'm2', 'm3 deleting=16'],
    isDeleting: true,
    is: 'True/Deleting Deleting 3 Machines\n* Machine m3 is in deletion since more than 15m',
    reason: 'Machines are left',
  },
  { sets: ['ms1 0/0'], isDeleting: true, is: 'True/Deleting Deleting 1 MachineSets', reason: 'one MachineSet is left' },
  { sets: [], isDeleting: true, is: 'True/Deleting Deletion completed', reason: 'nothing is left' },
]);

describe('the conditions of a MachineDeployment', () => {
  it('are those that it owns', () => {
    const list = toConditions(facts({}), { stored: [], paused, generation: 2, now });
    expect(list.map(({ type }) => type).toSorted()).toEqual(ownedConditions.toSorted());
    expect(list.map(({ observedGeneration }) => observedGeneration)).toEqual(list.map(() => 2));
  });

  it('include those of other writers, and Paused as it is given', () => {
    const other = { ...paused, type: 'Other', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const isPaused = { ...paused, status: 'True', reason: 'Paused' } as const;
    const list = toConditions(facts({}), { stored: [other], paused: isPaused, generation: 2, now });
    expect(list).toContainEqual(other);
    expect(list.find(({ type }) => type === 'Paused')).toMatchObject({ status: 'True', reason: 'Paused' });
  });
});

const cases: readonly (FactTexts & { readonly phase: string; readonly reason: string })[] = [
  { sets: undefined, phase: 'Unknown', reason: 'the MachineSets are not known' },
  { sets: ['ms1 3/3'], spec: { replicas: undefined }, phase: 'Unknown', reason: 'spec.replicas is missing' },
  { sets: undefined, isDeleting: true, phase: 'Unknown', reason: 'the MachineSets are not known during deletion' },
  { sets: ['ms1 3/3'], isDeleting: true, phase: 'ScalingDown', reason: 'it is being deleted' },
  { sets: ['ms1 3/1'], isDeleting: true, phase: 'ScalingDown', reason: 'Machines that are missing do not matter' },
  { sets: ['ms1 2/2', 'ms2 1/1'], phase: 'Running', reason: 'all MachineSets together have the replicas' },
  { sets: [], spec: { replicas: 0 }, phase: 'Running', reason: 'none are wanted' },
  { sets: ['ms1 3/4'], phase: 'ScalingDown', reason: 'one Machine is too many' },
  { sets: ['ms1 3/2'], phase: 'ScalingUp', reason: 'one Machine is missing' },
  { sets: ['ms1 3'], phase: 'ScalingUp', reason: 'no MachineSet reports Machines' },
];

it.each(cases)('the phase is $phase: $reason', ({ phase, ...texts }) => {
  expect(phaseOf(facts(texts))).toBe(phase);
});
