import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { changedUnwatched, isMissedEvent, isUnseen } from '../../../../shared/kernel/missed-event.ts';
import type { Reconciled } from '../../../../shared/kernel/reconciled.ts';
import { aDeclaration, aWidget } from '../../../support/kernel.ts';

const wrote: Reconciled = { result: { kind: 'done' }, passes: 1, writes: 1 };
const failed: Reconciled['result'] = { kind: 'failed', error: new Error('no'), terminal: false };

describe('a missed event', () => {
  it.each<{ causes?: string[]; attempt?: number; change?: Partial<Reconciled>; missed: boolean; reason: string }>([
    { missed: true, reason: 'only the resync caused the reconcile, and something was written' },
    { change: { result: { kind: 'again' } }, missed: true, reason: 'the reconcile needs more passes' },
    { causes: ['resync', 'event'], missed: false, reason: 'an event enqueued it too' },
    { causes: ['list'], missed: false, reason: 'a list of a source enqueued it' },
    { change: { writes: 0 }, missed: false, reason: 'nothing was written' },
    { attempt: 2, missed: false, reason: 'it is a retry' },
    { change: { result: { kind: 'requeueAfter', ms: 1 } }, missed: false, reason: 'the object is requeued anyway' },
    {
      change: { result: { kind: 'requeueAfter', ms: 1 }, unseen: true },
      missed: true,
      reason: 'the object itself changed, although it is requeued',
    },
    { change: { unwatched: true, unseen: true }, missed: true, reason: 'the object itself changed, too' },
    { change: { result: failed }, missed: false, reason: 'the reconcile failed' },
    { change: { unwatched: true }, missed: false, reason: 'the change sends no event' },
  ])('is $missed if $reason', ({ causes = ['resync'], attempt = 0, change = {}, missed }) => {
    expect(isMissedEvent({ causes, attempt }, { ...wrote, ...change })).toBe(missed);
  });
});

describe('a change that sends no event', () => {
  const declaration = aDeclaration({
    owns: { conditions: ['Ready', 'Probe'], v1beta1: [], status: [], unwatched: ['Probe'] },
  });
  const withConditions = (...conditions: readonly object[]): Unstructured =>
    aWidget({ status: { conditions: conditions.map(each => ({ message: '', lastTransitionTime: '', ...each })) } });
  const ready = { type: 'Ready', status: 'True', reason: 'Ready' };
  const probed = { type: 'Probe', status: 'True', reason: 'Answered' };

  it.each([
    {
      before: [ready, probed],
      after: [ready, { ...probed, status: 'False' }],
      is: true,
      reason: 'its status changed',
    },
    {
      before: [ready, probed],
      after: [ready, { ...probed, reason: 'Late' }],
      is: true,
      reason: 'its reason changed',
    },
    { before: [ready, probed], after: [ready], is: true, reason: 'it was removed' },
    { before: [ready], after: [ready, probed], is: false, reason: 'it is new' },
    { before: [ready, probed], after: [probed], is: false, reason: 'only others changed' },
  ])('is detected by its condition: $is if $reason', ({ before, after, is }) => {
    expect(changedUnwatched(declaration, withConditions(...before), withConditions(...after))).toBe(is);
  });

  it('is not detected if the object was deleted', () => {
    expect(changedUnwatched(declaration, withConditions(probed), undefined)).toBe(false);
  });

  it('is not detected if a reconciler declares no such condition', () => {
    expect(changedUnwatched(aDeclaration(), withConditions(probed), withConditions())).toBe(false);
  });

  it('is not detected if the object has no status yet', () => {
    expect(changedUnwatched(declaration, aWidget(), aWidget())).toBe(false);
  });
});

describe('a generation', () => {
  const tracking = aDeclaration({ owns: { conditions: [], v1beta1: [], status: ['observedGeneration'] } });
  it.each([
    {
      declaration: tracking,
      generation: 2,
      status: { observedGeneration: 1 },
      is: true,
      reason: 'the status has another generation',
    },
    { declaration: tracking, generation: 1, status: undefined, is: true, reason: 'the object is new' },
    {
      declaration: tracking,
      generation: 2,
      status: { observedGeneration: 2 },
      is: false,
      reason: 'the status has this generation',
    },
    {
      declaration: aDeclaration(),
      generation: 2,
      status: {},
      is: false,
      reason: 'the reconciler does not own observedGeneration',
    },
  ])('is unseen: $is if $reason', ({ declaration, generation, status, is }) => {
    const widget = aWidget({ metadata: { generation }, ...(status === undefined ? {} : { status }) });
    expect(isUnseen(declaration, widget)).toBe(is);
  });
});
