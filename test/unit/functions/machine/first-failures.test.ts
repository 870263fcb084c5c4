import { describe, expect, it } from 'vitest';
import {
  firstFailuresAnnotation,
  readFirstFailures,
  storeFailuresActions,
} from '../../../../functions/machine/phases/first-failures.ts';
import type { FailureChange } from '../../../../functions/machine/phases/pass-progress.ts';
import { readWholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { aMachine, now } from './scenario-objects.ts';

const machineWith = (value?: string) =>
  readWholeMachine(
    (value === undefined ? aMachine() : aMachine().annotated({ [firstFailuresAnnotation]: value })).build(),
  );

/** The value of the annotation after these changes. `undefined`: it is not written. */
function written(stored: string | undefined, ...changes: readonly FailureChange[]): unknown {
  const machine = machineWith(stored);
  const steps = changes.map(firstFailures => ({ change: { firstFailures } }));
  const [action] = storeFailuresActions(machine, [{ change: {} }, ...steps]);
  if (action?.do !== 'patch' || typeof action.body !== 'function' || action.when?.(new Map()) === false) {
    return undefined;
  }
  const { metadata } = action.body(new Map()) as { readonly metadata: { readonly annotations: object } }; // true: the body of this action
  return Object.values(metadata.annotations)[0];
}

const at = (ms: number) => timestamp(now + ms);

describe('the memory of first failures', () => {
  it.each([
    { reason: 'no annotation', value: undefined },
    { reason: 'the text of a Cluster', value: timestamp(now) },
    { reason: 'no object', value: '[]' },
    { reason: 'no times', value: '{"connection":1,"nodeDeletion":"x","other":"2026-01-01T00:00:00Z"}' },
  ])('is empty: $reason', ({ value }) => {
    expect(readFirstFailures(machineWith(value))).toEqual({});
  });

  it('contains the known times', () => {
    const value = JSON.stringify({ nodeLookup: at(1_000), connection: at(2_000) });
    expect(readFirstFailures(machineWith(value))).toEqual({ connection: now + 2_000, nodeLookup: now + 1_000 });
  });

  it.each([
    { reason: 'the first time', stored: undefined, change: { connection: now }, after: { connection: at(0) } },
    {
      reason: 'up to the next second',
      stored: undefined,
      change: { connection: now + 1 },
      after: { connection: at(1_000) },
    },
    {
      reason: 'in a fixed order, beside the others',
      stored: { nodeLookup: at(0) },
      change: { nodeDeletion: now, connection: now },
      after: { connection: at(0), nodeDeletion: at(0), nodeLookup: at(0) },
    },
    {
      reason: 'without a time that is over',
      stored: { connection: at(0), nodeLookup: at(0) },
      change: { connection: null },
      after: { nodeLookup: at(0) },
    },
  ])('is stored: $reason', ({ stored, change, after }) => {
    expect(written(stored && JSON.stringify(stored), change)).toBe(JSON.stringify(after));
  });

  it('is removed with its last time', () => {
    expect(written(JSON.stringify({ connection: at(0) }), { connection: null, nodeLookup: null })).toBeNull();
  });

  it.each([
    { reason: 'no change', stored: { connection: at(0) }, changes: [] },
    { reason: 'the same time', stored: { connection: at(0) }, changes: [{ connection: now }] },
    { reason: 'nothing to forget', stored: { connection: at(0) }, changes: [{ nodeLookup: null }] },
    { reason: 'a later step has changed it back', stored: {}, changes: [{ connection: now }, { connection: null }] },
  ])('is not written: $reason', ({ stored, changes }) => {
    expect(written(JSON.stringify(stored), ...changes)).toBeUndefined();
  });
});
