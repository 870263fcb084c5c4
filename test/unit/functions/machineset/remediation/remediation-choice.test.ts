import { describe, expect, it } from 'vitest';
import { aMachine, type MachineBuilder } from '../../../../support/builders.ts';
import { testStart } from '../../../../support/object-builder.ts';
import { anUnhealthyMachine, aRemediatedMachine, choiceOf, type RemediationCase } from './remediation-pass.ts';

const names = (list: readonly { readonly metadata: { readonly name: string } }[]): string =>
  list.map(({ metadata }) => metadata.name).join(' ');

function textOf(of: RemediationCase): string {
  const choice = choiceOf(of);
  if (!choice.ok) {
    return choice.error;
  }
  const { healed, refused, deferred, chosen } = choice.value;
  const groups = Object.entries({ healed, refused, deferred, chosen });
  return groups.flatMap(([group, list]) => (list.length === 0 ? [] : [`${group} ${names(list)}`])).join(', ');
}

/** Created one second apart: the last one is the newest. */
const unhealthy = (count: number): readonly MachineBuilder[] =>
  Array.from({ length: count }, (_, at) => anUnhealthyMachine(`m${at + 1}`).createdAt(testStart + at * 1000));

describe('the choice of Machines to remediate', () => {
  it.each<RemediationCase & { readonly is: string; readonly reason: string }>([
    { machines: [], is: '', reason: 'no Machines' },
    { machines: [aMachine()], is: '', reason: 'a healthy Machine' },
    { machines: unhealthy(2), is: 'chosen m2 m1', reason: 'without limit, the newest first' },
    { machines: [anUnhealthyMachine('b'), anUnhealthyMachine('a')], is: 'chosen a b', reason: 'the same age' },
    {
      machines: [anUnhealthyMachine('b').createdAtText('x'), anUnhealthyMachine('a')],
      is: 'chosen a b',
      reason: 'an unknown age is old',
    },
    { machines: [anUnhealthyMachine('m1').deleting()], is: '', reason: 'in deletion' },
    { machines: unhealthy(1), deployment: {}, is: 'chosen m1', reason: 'a current set without limit' },
    { machines: unhealthy(2), deployment: { revision: '10' }, is: 'refused m1 m2', reason: 'an old set' },
    {
      machines: unhealthy(8),
      deployment: { maxInFlight: 3 },
      is: 'deferred m5 m4 m3 m2 m1, chosen m8 m7 m6',
      reason: 'three at a time',
    },
    {
      machines: [...unhealthy(2), aRemediatedMachine('d1'), aRemediatedMachine('d2'), aRemediatedMachine('d3')],
      deployment: { maxInFlight: 3 },
      is: 'deferred m2 m1',
      reason: 'three are in progress',
    },
    {
      machines: [...unhealthy(2), ...['d1', 'd2', 'd3', 'd4'].map(aRemediatedMachine)],
      deployment: { maxInFlight: 3 },
      is: 'deferred m2 m1',
      reason: 'more than the limit are in progress',
    },
    {
      machines: [...unhealthy(2), anUnhealthyMachine('d1').deleting()],
      deployment: { maxInFlight: 1 },
      is: 'deferred m1, chosen m2',
      reason: 'a Machine that a user deleted does not count',
    },
    {
      machines: [
        ...unhealthy(1),
        aRemediatedMachine('d1').withCondition('OwnerRemediated', { reason: 'MachineDeleting' }),
      ],
      deployment: { maxInFlight: 1 },
      is: 'chosen m1',
      reason: 'a remediation that is done does not count',
    },
    {
      machines: [
        ...unhealthy(1),
        anUnhealthyMachine('m2').withCondition('OwnerRemediated', { status: 'False', reason: 'MachineDeleting' }),
      ],
      deployment: { maxInFlight: 1 },
      is: 'deferred m2, chosen m1',
      reason: 'a mark without deletion does not count',
    },
    { machines: unhealthy(1), deployment: { maxInFlight: 0 }, is: 'deferred m1', reason: 'none at a time' },
    {
      machines: unhealthy(3),
      deployment: { maxInFlight: '20%', replicas: 6 },
      is: 'deferred m1, chosen m3 m2',
      reason: 'a share is rounded up',
    },
    {
      machines: unhealthy(2),
      deployment: { maxInFlight: '100%' },
      is: 'deferred m1, chosen m2',
      reason: 'one replica is the default',
    },
    {
      machines: unhealthy(1),
      deployment: { maxInFlight: 'many' },
      is: 'failed to calculate maxInFlight to remediate machines: invalid value for IntOrString: invalid type: string is not a percentage',
      reason: 'a limit that is not valid',
    },
    { machines: [aMachine()], deployment: { maxInFlight: 'many' }, is: '', reason: 'the limit is not needed' },
    {
      machines: [
        anUnhealthyMachine('new').createdAt(testStart + 1000),
        anUnhealthyMachine('old').annotated({ 'cluster.x-k8s.io/remediate-machine': '' }),
      ],
      deployment: { maxInFlight: 1 },
      is: 'deferred new, chosen old',
      reason: 'a user chose the old one',
    },
    {
      machines: [anUnhealthyMachine('m1').withCondition('HealthCheckSucceeded')],
      is: 'healed m1',
      reason: 'healthy again',
    },
    {
      machines: [anUnhealthyMachine('m1').withCondition('HealthCheckSucceeded').deleting()],
      is: '',
      reason: 'healthy again, but in deletion',
    },
    {
      machines: [
        aMachine()
          .withV1Beta1Condition('HealthCheckSucceeded')
          .withV1Beta1Condition('OwnerRemediated', { status: 'False' }),
      ],
      is: 'healed m1',
      reason: 'the deprecated family alone',
    },
    {
      machines: [
        anUnhealthyMachine('m1')
          .withV1Beta1Condition('HealthCheckSucceeded')
          .withV1Beta1Condition('OwnerRemediated', { status: 'False' }),
      ],
      is: 'chosen m1',
      reason: 'the deprecated family disagrees',
    },
  ])('$is ($reason)', ({ is, ...given }) => {
    expect(textOf(given)).toBe(is);
  });
});
