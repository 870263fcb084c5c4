import { describe, expect, it } from 'vitest';
import {
  ownedConditions,
  type StatusFacts,
  toConditions,
} from '../../../../../functions/machineset/conditions/machine-set-conditions.ts';
import type { MachineCollectionBuilder } from '../../../../support/builders.ts';
import { testStart } from '../../../../support/object-builder.ts';
import { aReadyMachine, factsOf, machinesOf, twoReplicas } from './status-of.ts';

const minute = 60_000;
const pending = 'in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move';

function conditionsOf(given: Partial<StatusFacts>, machineSet: MachineCollectionBuilder = twoReplicas) {
  const list = toConditions(factsOf(given, machineSet), { generation: 2, now: testStart });
  const texts = list.map(({ type, status, reason, message }) => [type, `${status}/${reason} ${message}`.trim()]);
  return Object.fromEntries(texts) as Readonly<Record<string, string>>; // true: pairs of texts
}

const one = machinesOf(aReadyMachine('m1'));
const three = machinesOf(aReadyMachine('m1'), aReadyMachine('m2'), aReadyMachine('m3').annotated({ [pending]: '' }));

describe('the conditions of a MachineSet', () => {
  it('with all its Machines', () => {
    expect(conditionsOf({})).toEqual({
      MachinesReady: 'True/Ready',
      MachinesUpToDate: 'True/UpToDate',
      ScalingUp: 'False/NotScalingUp',
      ScalingDown: 'False/NotScalingDown',
      Remediating: 'False/NotRemediating',
      Deleting: 'False/NotDeleting',
      Paused: 'False/NotPaused',
    });
  });

  it('has no other conditions than the owned ones', () => {
    expect(Object.keys(conditionsOf({})).toSorted()).toEqual([...ownedConditions].toSorted());
  });

  it('keeps conditions of others, and sets the observed generation', () => {
    const facts = factsOf({}, twoReplicas.withCondition('Other').withCondition('Deleting', { status: 'True' }));
    const list = toConditions(facts, { generation: 2, now: testStart });
    expect(list.map(({ type, observedGeneration }) => `${type} ${observedGeneration ?? 'old'}`)).toEqual([
      ...['Remediating 2', 'ScalingDown 2', 'ScalingUp 2', 'MachinesReady 2', 'MachinesUpToDate 2'],
      ...['Other old', 'Paused 2', 'Deleting 2'],
    ]);
  });

  it('are unknown if the Machines are unknown, also those of a deletion', () => {
    const text = 'Unknown/InternalError Please check controller logs for errors';
    expect(conditionsOf({ machines: undefined })).toEqual({
      ...{ ScalingUp: text, ScalingDown: text, MachinesReady: text, MachinesUpToDate: text },
      ...{ Remediating: text, Deleting: text, Paused: 'False/NotPaused' },
    });
  });

  it.each<{
    readonly type: string;
    readonly given: Partial<StatusFacts>;
    readonly of?: MachineCollectionBuilder;
    readonly is: string;
    readonly reason: string;
  }>([
    {
      ...{ type: 'ScalingUp', given: { machines: one }, reason: 'a Machine is missing' },
      is: 'True/ScalingUp Scaling up from 1 to 2 replicas',
    },
    {
      ...{ type: 'ScalingUp', reason: 'a preflight check failed, and a template is missing' },
      given: { machines: one, preflightMessages: ['A is upgrading', 'B is old'], missingTemplates: ['T'] },
      is: 'True/ScalingUp Scaling up from 1 to 2 replicas is blocked because:\n* A is upgrading\n* B is old\n* T does not exist',
    },
    {
      ...{ type: 'ScalingUp', given: { missingTemplates: ['B', 'I'] }, reason: 'templates are missing' },
      is: 'False/NotScalingUp Scaling up would be blocked because B and I do not exist',
    },
    {
      ...{ type: 'ScalingUp', given: { machines: one }, of: twoReplicas.deleting(), reason: 'in deletion' },
      is: 'False/NotScalingUp',
    },
    {
      ...{ type: 'ScalingUp', given: { machines: three }, reason: 'moved Machines are replicas' },
      is: 'False/NotScalingUp',
    },
    {
      ...{ type: 'ScalingDown', given: { machines: three }, reason: 'moved Machines are no surplus' },
      is: 'False/NotScalingDown',
    },
    {
      ...{ type: 'ScalingDown', given: {}, of: twoReplicas.withReplicas(1), reason: 'too many' },
      is: 'True/ScalingDown Scaling down from 2 to 1 replicas',
    },
    {
      ...{ type: 'ScalingDown', given: {}, of: twoReplicas.deleting(), reason: 'in deletion' },
      is: 'True/ScalingDown Scaling down from 2 to 0 replicas',
    },
    {
      ...{ type: 'ScalingDown', of: twoReplicas.withReplicas(0), reason: 'a slow deletion' },
      given: { machines: machinesOf(aReadyMachine('m1').deleting(testStart - 16 * minute)) },
      is: 'True/ScalingDown Scaling down from 1 to 0 replicas\n* Machine m1 is in deletion since more than 15m',
    },
    {
      ...{ type: 'MachinesReady', given: { machines: [] }, is: 'True/NoReplicas', reason: 'no Machines' },
    },
    {
      ...{ type: 'MachinesUpToDate', is: 'False/NotUpToDate * Machine m1:\n  * Version v1.30.0, v1.31.0 required' },
      given: {
        machines: machinesOf(
          aReadyMachine('m1').withCondition('UpToDate', {
            ...{ status: 'False', message: '* Version v1.30.0, v1.31.0 required' },
          }),
        ),
      },
      reason: 'an old version',
    },
    {
      ...{ type: 'MachinesUpToDate', is: 'True/NoReplicas', reason: 'a new Machine without the condition' },
      given: { machines: machinesOf(aReadyMachine('m3').withStatus({ conditions: [] })), now: testStart + 3000 },
    },
    {
      ...{ type: 'Remediating', reason: 'a Machine is deleted because of its health' },
      given: {
        machines: machinesOf(
          aReadyMachine('m1')
            .withCondition('HealthCheckSucceeded', { status: 'False' })
            .withCondition('OwnerRemediated', { status: 'False', message: 'Machine is deleting' }),
        ),
      },
      is: 'True/Remediating * Machine m1: Machine is deleting',
    },
    {
      ...{ type: 'Remediating', reason: 'nothing remediates the Machines' },
      given: {
        machines: machinesOf(
          ...['m2', 'm1'].map(name => aReadyMachine(name).withCondition('HealthCheckSucceeded', { status: 'False' })),
        ),
      },
      is: 'False/NotRemediating Machines m1, m2 are not healthy (not to be remediated by MachineSet)',
    },
    {
      ...{ type: 'Deleting', given: {}, of: twoReplicas.deleting(), reason: 'Machines are left' },
      is: 'True/Deleting Deleting 2 Machines',
    },
    {
      ...{ type: 'Deleting', given: { machines: [] }, of: twoReplicas.deleting(), reason: 'no Machine is left' },
      is: 'True/Deleting Deletion completed',
    },
    {
      ...{ type: 'Deleting', of: twoReplicas.deleting(), reason: 'a slow deletion' },
      given: { machines: one, now: testStart },
      is: 'True/Deleting Deleting 1 Machine',
    },
  ])('$type is $is ($reason)', ({ type, given, of, is }) => {
    expect(conditionsOf(given, of)[type]).toBe(is);
  });
});
