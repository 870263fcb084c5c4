import { describe, expect, it } from 'vitest';
import { hasUnreportedMachines } from '../../../../../functions/machinedeployment/conditions/unreported-machines.ts';
import { readWholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import { aMachine, aMachineSet } from '../../../../support/builders.ts';
import type { ConditionParts } from '../../../../support/object-builder.ts';
import { now } from './deployment-facts.ts';

type Status = NonNullable<ConditionParts['status']>;

const set = aMachineSet().named('ms1');
const other = aMachineSet().named('ms0');

interface MemberParts {
  readonly ready?: Status;
  readonly upToDate?: Status;
  readonly owner?: typeof set;
}

function aMember({ ready = 'True', upToDate = 'True', owner = set }: MemberParts) {
  const machine = aMachine()
    .named('m1')
    .ownedBy(owner.build(), { controller: true })
    .withCondition('Ready', { status: ready, reason: 'Ready', message: '' })
    .withCondition('UpToDate', { status: upToDate, reason: 'UpToDate', message: '' });
  return readWholeMachine(machine.build());
}

const reported = { status: 'True', message: '' } as const;
/** A MachineSet whose Machines were ready when it reported them. */
const aReport = () =>
  set
    .withCondition('MachinesReady', { ...reported, reason: 'Ready' })
    .withCondition('MachinesUpToDate', { ...reported, reason: 'UpToDate' })
    .withCondition('Remediating', { status: 'False', reason: 'NotRemediating', message: '' });

describe('Machines that a MachineDeployment read', () => {
  it.each([
    { machines: [aMember({})], is: false, reason: 'the MachineSet reports the same' },
    { machines: [aMember({ ready: 'Unknown' })], is: true, reason: 'the MachineSet reports that they are ready' },
    { machines: [aMember({ upToDate: 'False' })], is: true, reason: 'the MachineSet reports that they are up to date' },
    {
      machines: [aMember({ ready: 'Unknown', owner: other })],
      report: aReport()
        .withCondition('MachinesReady', { ...reported, reason: 'NoReplicas' })
        .withCondition('MachinesUpToDate', { ...reported, reason: 'NoReplicas' }),
      is: false,
      reason: 'they belong to another MachineSet',
    },
    { machines: [aMember({ ready: 'False' })], report: set, is: false, reason: 'the MachineSet has not reported yet' },
    {
      machines: [aMember({ ready: 'False' })],
      report: aReport().withCondition('Paused', { status: 'True', reason: 'Paused', message: '' }),
      is: false,
      reason: 'the MachineSet is paused, so it reports nothing',
    },
    {
      machines: [aMember({})],
      report: aReport().withCondition('MachinesReady', { ...reported, reason: 'NoReplicas' }),
      is: true,
      reason: 'only the reason differs',
    },
    {
      machines: [aMember({})],
      report: aReport().withCondition('Remediating', { status: 'False', reason: 'NotRemediating', message: 'one' }),
      is: true,
      reason: 'only the message differs',
    },
  ])('are unreported or not: $reason', ({ machines, report = aReport(), is }) => {
    const sets = [readWholeMachineSet(report.build())];
    expect(hasUnreportedMachines({ sets, machines, now })).toBe(is);
  });

  it('are compared with each MachineSet', () => {
    const sets = [other, aReport()].map(each => readWholeMachineSet(each.build()));
    expect(hasUnreportedMachines({ sets, machines: [aMember({ ready: 'Unknown' })], now })).toBe(true);
    expect(hasUnreportedMachines({ sets: [], machines: [aMember({ ready: 'Unknown' })], now })).toBe(false);
  });
});
