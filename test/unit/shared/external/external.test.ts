import { describe, expect, it } from 'vitest';
import { failureFieldsError, failureOfObject } from '../../../../shared/external/external.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

const anObject = (status: Readonly<Record<string, unknown>>) =>
  new ObjectBuilder({ apiVersion: 'example.com/v1', kind: 'Foo', name: 'f1' }).withStatus(status).build();

const named = 'example.com/v1, Kind=Foo';

describe('the failure fields of an object', () => {
  it.each([
    { status: {}, failure: {}, reason: 'absent fields' },
    { status: { failureReason: '', failureMessage: '' }, failure: {}, reason: 'empty fields' },
    { status: { failureReason: 'Bad' }, failure: { failureReason: 'Bad' }, reason: 'a reason' },
    {
      status: { failureMessage: 'it broke' },
      failure: { failureMessage: `Failure detected from referenced resource ${named} with name "f1": it broke` },
      reason: 'a message',
    },
    {
      status: { failureReason: 'R'.repeat(257), failureMessage: 'x'.repeat(1_000_000) },
      failure: { failureReason: 'ReasonTooLong', failureMessage: expect.stringMatching(/^Failure.{10232}…$/) },
      reason: 'texts that are too long',
    },
    { status: { failureReason: 1, failureMessage: 1 }, failure: {}, reason: 'fields of a wrong type' },
  ])('are copied: $reason', ({ status, failure }) => {
    expect(failureOfObject(anObject(status))).toEqual(failure);
  });

  it.each([
    { status: {}, error: undefined },
    { status: { failureReason: 'Bad', failureMessage: 'it broke' }, error: undefined },
    {
      status: { failureReason: 1 },
      error: `failed to determine failureReason on ${named} "f1": failed to get .status.failureReason from object: .status.failureReason is a number, expected a string`,
    },
    {
      status: { failureMessage: [] },
      error: `failed to determine failureMessage on ${named} "f1": failed to get .status.failureMessage from object: .status.failureMessage is a list, expected a string`,
    },
  ])('must be texts: $status', ({ status, error }) => {
    expect(failureFieldsError(anObject(status))).toBe(error);
  });
});
