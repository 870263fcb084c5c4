import type { Action } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { whyOfMachineSet } from '../../../../../functions/machineset/explain.ts';
import { remediesOfMachineSet, waitOfMachineSet } from '../../../../../functions/machineset/why/set-waits.ts';
import { aMachineSet } from '../../../../support/builders.ts';

const fine = aMachineSet()
  .withCondition('Paused', { status: 'False' })
  .withCondition('ScalingUp', { status: 'False' })
  .withCondition('MachinesReady');

describe('a MachineSet', () => {
  it.each([
    { reason: 'new', set: aMachineSet(), until: 'its first reconcile' },
    { reason: 'settled', set: fine, until: undefined },
    { reason: 'paused', set: fine.withCondition('Paused'), until: 'its pause to end' },
    { reason: 'deleted', set: fine.withCondition('Deleting'), until: 'its deletion to end' },
    { reason: 'remediating', set: fine.withCondition('Remediating'), until: 'its remediation' },
    { reason: 'scaling up', set: fine.withCondition('ScalingUp'), until: 'more Machines' },
    { reason: 'scaling down', set: fine.withCondition('ScalingDown'), until: 'fewer Machines' },
    {
      reason: 'not ready',
      set: fine.withCondition('MachinesReady', { status: 'Unknown' }),
      until: 'its Machines to be ready',
    },
    {
      reason: 'not up to date',
      set: fine.withCondition('MachinesUpToDate', { status: 'False' }),
      until: 'its Machines to be up to date',
    },
  ])('that is $reason waits for: $until', ({ set, until }) => {
    expect(waitOfMachineSet(set.build())?.until).toBe(until);
  });

  it.each([
    { set: aMachineSet(), remedy: 'log of function machineset' },
    {
      set: fine.withCondition('ScalingUp', { message: 'x is blocked because:\n* y' }),
      remedy: 'skip-preflight-checks',
    },
    { set: fine.withCondition('ScalingUp'), remedy: 'see the error in the log of function machineset' },
    { set: fine.withCondition('Deleting'), remedy: 'kubectl get machines -n ns' },
  ])('has the remedy $remedy', ({ set, remedy }) => {
    const object = set.build();
    const wait = waitOfMachineSet(object);
    expect(wait && remediesOfMachineSet(object, wait).join('\n')).toContain(remedy);
  });
});

describe('an action', () => {
  const whyOf = (id: string) => whyOfMachineSet({ action: { id } as Action }); // true: only the id is read

  it.each([
    { id: 'finalizer:add', why: 'the finalizer cluster.x-k8s.io/machineset is missing' },
    { id: 'set:metadata', why: 'of its Cluster' },
    { id: 'own:infrastructure', why: 'the template lacks' },
    { id: 'own:bootstrap', why: 'the template lacks' },
    { id: 'reserve', why: 'their names are reserved' },
    { id: 'release', why: 'no Machine with a reserved name' },
    { id: 'finalizer:remove', why: 'no Machine of the MachineSet is left' },
    { id: 'adopt:m1', why: 'has no controller' },
    { id: 'remediation:m1', why: 'does not ask for it any more' },
    { id: 'remediate:m1', why: 'a health check asks for the remediation of the Machine' },
    { id: 'sync:m1', why: 'fields of the template differ' },
    { id: 'start:m1:FooMachine', why: 'updated in place' },
    { id: 'orphan:FooMachine:x', why: 'no Machine references it' },
    { id: 'create:m1', why: 'fewer Machines than replicas' },
    { id: 'scaledown:m1', why: 'more Machines than replicas' },
    { id: 'move:m1', why: 'hands surplus Machines over' },
    { id: 'delete:m1', why: 'the MachineSet is being deleted' },
  ])('$id has a reason', ({ id, why }) => {
    expect(whyOf(id)).toContain(why);
  });

  it('that is unknown has none', () => {
    expect(whyOf('other')).toBeUndefined();
  });
});
