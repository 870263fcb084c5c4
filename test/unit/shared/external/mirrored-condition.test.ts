import { describe, expect, it } from 'vitest';
import type { Scoped } from '../../../../shared/external/external.ts';
import { mirrorReferenced, objectDeleted, objectDoesNotExist } from '../../../../shared/external/mirrored-condition.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

const ref = { apiGroup: 'example.com', kind: 'Foo', name: 'f1' };
const type = 'InfrastructureReady';
const field = 'status.initialization.provisioned';

const inScope = (conditions: readonly object[]): Scoped => ({
  state: 'inScope',
  ref,
  contract: 'v1beta2',
  object: new ObjectBuilder({ apiVersion: 'example.com/v1', kind: 'Foo', name: 'f1' })
    .withStatus({ conditions })
    .build(),
});

const ready = (status: string, reason?: string) => [
  { type: 'Ready', status, lastTransitionTime: '2026-01-02T03:04:05Z', ...(reason === undefined ? {} : { reason }) },
];

const mirrored = (scoped: Scoped, isAchieved = false, source: 'Ready' | 'Available' = 'Ready') =>
  mirrorReferenced(scoped, { type, source, field, isAchieved, missing: objectDoesNotExist });

describe('the condition of a referenced object', () => {
  it.each<Scoped>([{ state: 'undefined' }, { state: 'unknown', ref }])('is InternalError if it is $state', scoped => {
    expect(mirrored(scoped)).toEqual({
      type,
      status: 'Unknown',
      reason: 'InternalError',
      message: 'Please check controller logs for errors',
    });
  });

  it('has the reason of its owner if the object is missing', () => {
    expect(mirrored({ state: 'missing', ref })).toEqual({
      type,
      status: 'False',
      reason: 'ObjectDoesNotExist',
      message: 'Foo does not exist',
    });
  });

  it.each([
    { source: 'Ready', isAchieved: true, status: 'True', reason: 'Ready', message: '' },
    { source: 'Available', isAchieved: true, status: 'True', reason: 'Available', message: '' },
    { source: 'Ready', isAchieved: false, status: 'False', reason: 'NotReady', message: `Foo ${field} is false` },
    {
      source: 'Available',
      isAchieved: false,
      status: 'False',
      reason: 'NotAvailable',
      message: `Foo ${field} is false`,
    },
  ] as const)('follows the status field if the object reports none: $reason', ({ source, isAchieved, ...state }) => {
    expect(mirrored(inScope([]), isAchieved, source)).toEqual({ type, ...state });
  });

  it.each([
    { status: 'True', reported: 'Connected', reason: 'Connected', when: 'a reason' },
    { status: 'True', reported: undefined, reason: 'Ready', when: 'True without a reason' },
    { status: 'False', reported: undefined, reason: 'NoReasonReported', when: 'False without a reason' },
    { status: 'Unknown', reported: undefined, reason: 'NoReasonReported', when: 'Unknown without a reason' },
  ])('is mirrored: $when', ({ status, reported, reason }) => {
    expect(mirrored(inScope(ready(status, reported)))).toMatchObject({ type, status, reason });
  });

  it('is Unknown if the object reports it in a wrong form', () => {
    expect(mirrored(inScope(ready('Maybe')))).toMatchObject({
      type,
      status: 'Unknown',
      reason: 'InvalidConditionReported',
      message:
        'failed to convert status.conditions from Foo to []metav1.Condition: status for the Ready condition must be one of True, False, Unknown',
    });
  });
});

it('reports that an object was deleted, with a detail', () => {
  expect(objectDeleted('Foo')).toEqual({ reason: 'ObjectDeleted', message: 'Foo has been deleted' });
  expect(objectDeleted('Foo', ' while the cluster still exists').message).toBe(
    'Foo has been deleted while the cluster still exists',
  );
});
