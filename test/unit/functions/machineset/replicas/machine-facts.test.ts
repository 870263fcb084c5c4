import { describe, expect, it } from 'vitest';
import {
  type MachineFacts,
  toMachineFacts,
} from '../../../../../functions/machineset/phases/replicas/machine-facts.ts';
import { aMachine } from '../../../../support/builders.ts';
import { testStart } from '../../../../support/object-builder.ts';

const healthy = aMachine().withNode('n1');
const inPlace = 'in-place-updates.internal.cluster.x-k8s.io';

describe('the facts about a Machine', () => {
  it('that has a Node and nothing special', () => {
    expect(toMachineFacts(healthy.build())).toEqual({
      ...{ name: 'm1', createdAt: testStart, hasNode: true },
      ...{ isDeleting: false, isChosen: false, isUpdatingInPlace: false, waitsForAcknowledgement: false },
      ...{ isUnhealthy: false, mustBeRemediated: false },
    });
  });

  it.each<{ readonly machine: typeof healthy; readonly facts: Partial<MachineFacts>; readonly reason: string }>([
    { machine: healthy.createdAtText('x'), facts: { createdAt: undefined }, reason: 'a time that is no time' },
    { machine: healthy.deleting(), facts: { isDeleting: true }, reason: 'in deletion' },
    {
      machine: healthy.annotated({ 'cluster.x-k8s.io/delete-machine': '' }),
      facts: { isChosen: true },
      reason: 'chosen by a user',
    },
    {
      machine: healthy.annotated({ [`${inPlace}/update-in-progress`]: '' }),
      facts: { isUpdatingInPlace: true },
      reason: 'an update is requested',
    },
    {
      machine: healthy.annotated({ 'runtime.cluster.x-k8s.io/pending-hooks': 'UpdateMachine' }),
      facts: { isUpdatingInPlace: true },
      reason: 'an update has started',
    },
    {
      machine: healthy.annotated({ 'runtime.cluster.x-k8s.io/pending-hooks': 'Other' }),
      facts: {},
      reason: 'another hook is pending',
    },
    {
      machine: healthy.annotated({ [`${inPlace}/pending-acknowledge-move`]: '' }),
      facts: { waitsForAcknowledgement: true },
      reason: 'it moved here',
    },
    { machine: aMachine(), facts: { hasNode: false, isUnhealthy: true }, reason: 'no Node' },
    {
      machine: healthy.withCondition('NodeHealthy', { status: 'False' }),
      facts: { isUnhealthy: true },
      reason: 'an unhealthy Node',
    },
    { machine: healthy.withCondition('NodeHealthy', { status: 'Unknown' }), facts: {}, reason: 'an unknown Node' },
    {
      machine: healthy.withCondition('HealthCheckSucceeded', { status: 'False' }),
      facts: { isUnhealthy: true },
      reason: 'a failed health check',
    },
    { machine: healthy.withCondition('OwnerRemediated', { status: 'False' }), facts: {}, reason: 'an old request' },
    {
      machine: healthy
        .withCondition('HealthCheckSucceeded', { status: 'False' })
        .withCondition('OwnerRemediated', { status: 'False' }),
      facts: { isUnhealthy: true, mustBeRemediated: true },
      reason: 'it must be replaced',
    },
  ])('$reason', ({ machine, facts }) => {
    expect(toMachineFacts(machine.build())).toEqual({ ...toMachineFacts(healthy.build()), ...facts });
  });
});
