import { describe, expect, it } from 'vitest';
import {
  deprecatedStatus,
  mergeDeprecated,
  ownedV1Beta1Conditions,
} from '../../../../../functions/machineset/conditions/deprecated-status.ts';
import type { StatusFacts } from '../../../../../functions/machineset/conditions/machine-set-conditions.ts';
import type { MachineCollectionBuilder } from '../../../../support/builders.ts';
import { fieldsOf, testStart } from '../../../../support/object-builder.ts';
import { aReadyMachine, factsOf, machinesOf, twoReplicas } from './status-of.ts';

function deprecatedOf(given: Partial<StatusFacts> = {}, machineSet: MachineCollectionBuilder = twoReplicas) {
  const facts = factsOf(given, machineSet);
  return deprecatedStatus(facts, facts.machines?.length ?? facts.machineSet.status.replicas ?? 0);
}

function conditionsOf(given: Partial<StatusFacts> = {}, machineSet: MachineCollectionBuilder = twoReplicas) {
  const { conditions } = deprecatedOf(given, machineSet).fields;
  const list = Array.isArray(conditions) ? conditions.map(fieldsOf) : [];
  return Object.fromEntries(
    list.map(({ type, status, severity, reason, message }) => [
      `${type}`,
      [status, severity, reason, message].filter(part => part !== undefined).join('/'),
    ]),
  );
}

const minReady = (minReadySeconds: number) =>
  twoReplicas.withSpec({ template: { metadata: { labels: { pool: 'ms1' } }, spec: { minReadySeconds } } });

describe('the deprecated counters', () => {
  it.each<{
    readonly given?: Partial<StatusFacts>;
    readonly of?: MachineCollectionBuilder;
    readonly counts: readonly number[];
    readonly reason: string;
  }>([
    { counts: [2, 2, 2], reason: 'all' },
    { given: { machines: [] }, counts: [0, 0, 0], reason: 'no Machines' },
    {
      given: { machines: machinesOf(aReadyMachine('m1').labelled({ pool: 'other' }), aReadyMachine('m2')) },
      counts: [1, 2, 2],
      reason: 'another label',
    },
    {
      of: twoReplicas.withSpec({ template: { metadata: { labels: { pool: 'ms1', more: '1' } } } }),
      counts: [0, 2, 2],
      reason: 'a missing label',
    },
    {
      given: { machines: machinesOf(aReadyMachine('m1').withStatus({ nodeRef: undefined }), aReadyMachine('m2')) },
      counts: [2, 1, 1],
      reason: 'no Node',
    },
    {
      given: { machines: machinesOf(aReadyMachine('m1').withCondition('NodeReady', { status: 'Unknown' })) },
      counts: [1, 0, 0],
      reason: 'an unknown Node',
    },
    {
      given: { machines: machinesOf(aReadyMachine('m1').withStatus({ conditions: [] })) },
      counts: [1, 0, 0],
      reason: 'no condition',
    },
    { of: minReady(30), given: { now: testStart + 30_000 }, counts: [2, 2, 0], reason: 'not ready for long enough' },
    { of: minReady(30), given: { now: testStart + 30_001 }, counts: [2, 2, 2], reason: 'ready for long enough' },
    {
      of: minReady(30),
      given: {
        machines: machinesOf(aReadyMachine('m1').withCondition('NodeReady', { lastTransitionTime: '' })),
        now: testStart + 60_000,
      },
      counts: [1, 1, 0],
      reason: 'ready since an unknown time',
    },
    {
      of: minReady(0),
      given: { machines: machinesOf(aReadyMachine('m1').withCondition('NodeReady', { lastTransitionTime: '' })) },
      counts: [1, 1, 1],
      reason: 'any time is long enough',
    },
  ])('$counts ($reason)', ({ given, of, counts }) => {
    const { fullyLabeledReplicas, readyReplicas, availableReplicas } = deprecatedOf(given, of).fields;
    expect([fullyLabeledReplicas, readyReplicas, availableReplicas]).toEqual(counts);
  });

  it('are kept if the Machines are unknown', () => {
    expect(Object.keys(deprecatedOf({ machines: undefined }).fields)).toEqual([]);
  });

  it('are kept, with an error, if the replicas are not set', () => {
    expect(deprecatedOf({}, twoReplicas.withSpec({ replicas: undefined }))).toEqual({
      fields: {},
      errors: ['Cannot update status when MachineSet spec.replicas is not set'],
    });
  });
});

const resizing = (way: string, reason: string, counts: string) =>
  `False/Warning/${reason}/Scaling ${way} MachineSet to ${counts}`;

describe('the deprecated conditions', () => {
  it('have the time of the pass', () => {
    const { conditions } = deprecatedOf({ now: testStart + 60_000 }).fields;
    const times = (Array.isArray(conditions) ? conditions : []).map(item => fieldsOf(item)['lastTransitionTime']);
    expect(times).toEqual(Array(3).fill('2026-01-01T00:01:00Z'));
  });

  it('belong to this reconciler', () => {
    expect(Object.keys(conditionsOf()).toSorted()).toEqual(
      ownedV1Beta1Conditions.filter(type => type !== 'MachinesReady').toSorted(),
    );
  });

  it.each<{
    readonly given?: Partial<StatusFacts>;
    readonly of?: MachineCollectionBuilder;
    readonly is: Readonly<Record<string, string>>;
    readonly reason: string;
  }>([
    { is: { MachinesCreated: 'True', Resized: 'True', Ready: 'True' }, reason: 'all Machines' },
    {
      given: { machines: [] },
      is: {
        MachinesReady: 'True',
        Resized: resizing('up', 'ScalingUp', '2 replicas (actual 0)'),
        Ready: resizing('up', 'ScalingUp', '2 replicas (actual 0)'),
      },
      reason: 'no Machines',
    },
    {
      of: twoReplicas.withReplicas(1),
      is: {
        MachinesCreated: 'True',
        Resized: resizing('down', 'ScalingDown', '1 replicas (actual 2)'),
        Ready: resizing('down', 'ScalingDown', '1 replicas (actual 2)'),
      },
      reason: 'too many',
    },
    {
      of: twoReplicas.deleting(),
      is: {
        MachinesCreated: 'True',
        Resized: resizing('down', 'ScalingDown', '0 replicas (actual 2)'),
        Ready: resizing('down', 'ScalingDown', '0 replicas (actual 2)'),
      },
      reason: 'in deletion',
    },
    {
      of: twoReplicas.withV1Beta1Condition('Resized', { status: 'False', severity: 'Warning', reason: 'ScalingUp' }),
      given: { machines: machinesOf(aReadyMachine('m1'), aReadyMachine('m2').withStatus({ nodeRef: undefined })) },
      is: { MachinesCreated: 'True', Resized: 'False/Warning/ScalingUp', Ready: 'False/Warning/ScalingUp' },
      reason: 'a resize ends when all are ready',
    },
    {
      given: {
        machines: machinesOf(aReadyMachine('m1')),
        machinesCreated: {
          type: 'MachinesCreated',
          status: 'False',
          severity: 'Error',
          reason: 'PreflightCheckFailed',
        },
      },
      is: {
        MachinesCreated: 'False/Error/PreflightCheckFailed',
        Resized: resizing('up', 'ScalingUp', '2 replicas (actual 1)'),
        Ready: 'False/Error/PreflightCheckFailed',
      },
      reason: 'no Machine could be created',
    },
    {
      given: {
        machines: undefined,
        machinesCreated: {
          type: 'MachinesCreated',
          status: 'False',
          severity: 'Error',
          reason: 'PreflightCheckFailed',
        },
      },
      is: { MachinesCreated: 'False/Error/PreflightCheckFailed', Ready: 'False/Error/PreflightCheckFailed' },
      reason: 'unknown Machines keep the rest',
    },
    {
      given: {
        machines: machinesOf(
          aReadyMachine('m1').withV1Beta1Condition('Ready', { status: 'False', severity: 'Error', reason: 'R' }),
          aReadyMachine('m2').withV1Beta1Condition('Ready'),
        ),
      },
      is: {
        MachinesCreated: 'True',
        MachinesReady: 'False/Error/R @ Machine/m1/1 of 2 completed',
        Resized: 'True',
        Ready: 'False/Error/R @ Machine/m1/1 of 2 completed',
      },
      reason: 'one Machine is not ready',
    },
  ])('$reason', ({ given, of, is }) => {
    expect(conditionsOf(given, of)).toEqual(is);
  });
});

describe('the deprecated part of the status', () => {
  it.each([
    { stored: undefined, fields: {}, is: undefined, reason: 'nothing' },
    { stored: { other: 1 }, fields: {}, is: { other: 1 }, reason: 'only fields of others' },
    { stored: undefined, fields: { a: 1 }, is: { v1beta1: { a: 1 } }, reason: 'only new fields' },
    {
      stored: { other: 1, v1beta1: { a: 1, b: 2 } },
      fields: { a: 3 },
      is: { other: 1, v1beta1: { a: 3, b: 2 } },
      reason: 'both',
    },
  ])('$reason', ({ stored, fields, is }) => {
    expect(mergeDeprecated(stored, fields)).toEqual(is);
  });
});
