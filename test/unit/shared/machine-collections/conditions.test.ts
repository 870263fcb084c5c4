import { describe, expect, it } from 'vitest';
import { listNames } from '../../../../shared/machine-collections/listed-names.ts';
import { machinesReady, machinesUpToDate } from '../../../../shared/machine-collections/machine-conditions.ts';
import { countVersions, versionsOfMachines } from '../../../../shared/machine-collections/machine-versions.ts';
import { remediatingCondition } from '../../../../shared/machine-collections/remediating-condition.ts';
import {
  desiredReplicas,
  missingTemplates,
  scalingDownCondition,
  scalingUpCondition,
} from '../../../../shared/machine-collections/scaling-conditions.ts';
import { testStart } from '../../../support/object-builder.ts';
import { listOfMachines } from './list-of-machines.ts';

describe('the condition about ready Machines', () => {
  it.each([
    { machines: '', is: 'True/NoReplicas', message: '', reason: 'no Machines' },
    { machines: 'm1 Ready=True', is: 'True/Ready', message: '', reason: 'all are ready' },
    {
      machines: 'm1 Ready=False:broken, m2 Ready=True',
      is: 'False/NotReady',
      message: '* Machine m1: broken',
      reason: 'one is not',
    },
    {
      machines: 'm1',
      is: 'Unknown/ReadyUnknown',
      message: '* Machine m1: Condition Ready not yet reported',
      reason: 'not reported',
    },
  ])('is $is for "$machines" ($reason)', ({ machines, is, message }) => {
    const [status, reason] = is.split('/');
    expect(machinesReady('MachinesReady', listOfMachines(machines))).toEqual({
      ...{ type: 'MachinesReady', status, reason, message },
    });
  });
});

describe('the condition about up-to-date Machines', () => {
  it.each([
    { machines: '', is: 'True/NoReplicas', message: '', reason: 'no Machines' },
    { machines: 'm1 age=10', is: 'True/NoReplicas', message: '', reason: 'a new Machine is ignored' },
    {
      machines: 'm1 age=11',
      is: 'Unknown/UpToDateUnknown',
      message: '* Machine m1: Condition UpToDate not yet reported',
      reason: 'an older one is not',
    },
    { machines: 'm1 UpToDate=True', is: 'True/UpToDate', message: '', reason: 'a new Machine that reports' },
    {
      machines: 'm1 UpToDate=True, m2 UpToDate=False:*_Version_v1',
      is: 'False/NotUpToDate',
      message: '* Machine m2:\n  * Version v1',
      reason: 'one is not',
    },
  ])('is $is for "$machines" ($reason)', ({ machines, is, message }) => {
    const [status, reason] = is.split('/');
    expect(machinesUpToDate('MachinesUpToDate', listOfMachines(machines), testStart)).toEqual({
      ...{ type: 'MachinesUpToDate', status, reason, message },
    });
  });

  it('ignores a Machine whose creation time cannot be read', () => {
    const [machine] = listOfMachines('m1');
    const undated = {
      ...machine,
      metadata: { name: 'm1', uid: 'u', resourceVersion: '1' },
      status: { conditions: [] },
    };
    expect(machinesUpToDate('T', [undated], testStart).reason).toBe('NoReplicas');
  });
});

const unhealthy = 'HealthCheckSucceeded=False';

describe('the condition Remediating', () => {
  it.each([
    { machines: '', is: 'False/NotRemediating', message: '', reason: 'no Machines' },
    { machines: 'm1 OwnerRemediated=False:x', is: 'False/NotRemediating', message: '', reason: 'not unhealthy' },
    {
      machines: `m1 ${unhealthy}`,
      is: 'False/NotRemediating',
      message: 'Machine m1 is not healthy (not to be remediated by X)',
      reason: 'no owner remediates',
    },
    {
      machines: ['m4', 'm3', 'm2', 'm1'].map(name => `${name} ${unhealthy}`).join(', '),
      is: 'False/NotRemediating',
      message: 'Machines m1, m2, m3, ... (1 more) are not healthy (not to be remediated by X)',
      reason: 'four names',
    },
    {
      machines: `m1 ${unhealthy}, m2 ${unhealthy} OwnerRemediated=False:Machine_is_deleting`,
      is: 'True/Remediating',
      message: '* Machine m2: Machine is deleting',
      reason: 'one is remediated',
    },
    {
      machines: `m1 ${unhealthy} OwnerRemediated=True`,
      is: 'False/NotRemediating',
      message: 'Machine m1 is not healthy (not to be remediated by X)',
      reason: 'the remediation is done',
    },
  ])('is $is for "$machines" ($reason)', ({ machines, is, message }) => {
    const [status, reason] = is.split('/');
    expect(remediatingCondition(listOfMachines(machines), ' by X')).toEqual({
      ...{ type: 'Remediating', status, reason, message },
    });
  });
});

describe('the condition ScalingUp', () => {
  const up = { replicas: 3, isDeleting: false, current: 3, missing: '', blocked: '' };
  it.each([
    {
      given: { replicas: undefined },
      is: 'Unknown/WaitingForReplicasSet',
      message: 'Waiting for spec.replicas set',
      reason: 'no replicas',
    },
    { given: {}, is: 'False/NotScalingUp', message: '', reason: 'enough' },
    { given: { current: 4 }, is: 'False/NotScalingUp', message: '', reason: 'more than enough' },
    {
      given: { missing: 'A does not exist' },
      is: 'False/NotScalingUp',
      message: 'Scaling up would be blocked because A does not exist',
      reason: 'a template is missing',
    },
    {
      given: { missing: 'A does not exist', isDeleting: true },
      is: 'False/NotScalingUp',
      message: '',
      reason: 'in deletion',
    },
    {
      given: { current: 0, isDeleting: true },
      is: 'False/NotScalingUp',
      message: '',
      reason: 'in deletion without Machines',
    },
    { given: { current: 1 }, is: 'True/ScalingUp', message: 'Scaling up from 1 to 3 replicas', reason: 'too few' },
    {
      given: { current: 1, missing: 'A does not exist', blocked: ' A does not exist' },
      is: 'True/ScalingUp',
      message: 'Scaling up from 1 to 3 replicas is blocked because A does not exist',
      reason: 'blocked',
    },
  ])('is $is with $given ($reason)', ({ given, is, message }) => {
    const [status, reason] = is.split('/');
    expect(scalingUpCondition({ ...up, ...given })).toEqual({ type: 'ScalingUp', status, reason, message });
  });

  it.each([
    { kinds: [], text: '', reason: 'none' },
    { kinds: ['A'], text: 'A does not exist', reason: 'one' },
    { kinds: ['A', 'B'], text: 'A and B do not exist', reason: 'two' },
  ])('names missing templates: $reason', ({ kinds, text }) => {
    expect(missingTemplates(kinds)).toBe(text);
  });
});

describe('the condition ScalingDown', () => {
  const down = { replicas: 3, isDeleting: false, current: 3, stale: '' };
  it.each([
    {
      given: { replicas: undefined },
      is: 'Unknown/WaitingForReplicasSet',
      message: 'Waiting for spec.replicas set',
      reason: 'no replicas',
    },
    { given: {}, is: 'False/NotScalingDown', message: '', reason: 'not too many' },
    { given: { current: 2, stale: '\nx' }, is: 'False/NotScalingDown', message: '', reason: 'too few' },
    {
      given: { current: 4, stale: '\nx' },
      is: 'True/ScalingDown',
      message: 'Scaling down from 4 to 3 replicas\nx',
      reason: 'too many',
    },
    {
      given: { isDeleting: true },
      is: 'True/ScalingDown',
      message: 'Scaling down from 3 to 0 replicas',
      reason: 'in deletion',
    },
  ])('is $is with $given ($reason)', ({ given, is, message }) => {
    const [status, reason] = is.split('/');
    expect(scalingDownCondition({ ...down, ...given })).toEqual({ type: 'ScalingDown', status, reason, message });
  });

  it.each([
    { isDeleting: false, desired: 3 },
    { isDeleting: true, desired: 0 },
  ])('wants $desired if deletion is $isDeleting', ({ isDeleting, desired }) => {
    expect(desiredReplicas(3, isDeleting)).toBe(desired);
  });
});

describe('names in messages', () => {
  it.each([
    { machines: '', most: 2, text: '', reason: 'none' },
    { machines: 'm2, m1', most: 2, text: 'm1, m2', reason: 'sorted' },
    { machines: 'm3, m2, m1', most: 2, text: 'm1, m2, ... (1 more)', reason: 'one too many' },
  ])('$machines: $text ($reason)', ({ machines, most, text }) => {
    expect(listNames(listOfMachines(machines), most)).toBe(text);
  });
});

describe('versions of Machines', () => {
  it.each([
    { kubelet: '', version: 'v1.31.0', is: ['v1.31.0'], reason: 'without a Node, the spec' },
    { kubelet: 'v1.30.0', version: 'v1.31.0', is: ['v1.30.0'], reason: 'the Node' },
    { kubelet: '', version: '', is: [], reason: 'neither' },
    { kubelet: '', version: undefined, is: [], reason: 'neither' },
  ])('$is ($reason)', ({ kubelet, version, is }) => {
    const found = versionsOfMachines([{ spec: { version }, status: { nodeInfo: { kubeletVersion: kubelet } } }]);
    expect(found).toEqual(is.map(each => ({ version: each, replicas: 1 })));
  });

  it.each([
    { counts: [], is: undefined, reason: 'none' },
    { counts: ['v1.31.0', 'v1.30.0', 'v1.31.0'], is: ['v1.30.0 1', 'v1.31.0 2'], reason: 'oldest first' },
    { counts: ['v1.10.0', 'v1.9.0'], is: ['v1.9.0 1', 'v1.10.0 1'], reason: 'versions are no texts' },
  ])('$counts: $is ($reason)', ({ counts, is }) => {
    const total = countVersions(counts.map(version => ({ version, replicas: 1 })));
    expect(total?.map(({ version, replicas }) => `${version} ${replicas}`)).toEqual(is);
  });

  it('counts a version without number as 0', () => {
    expect(countVersions([{ version: 'v1.31.0' }])).toEqual([{ version: 'v1.31.0', replicas: 0 }]);
  });
});
