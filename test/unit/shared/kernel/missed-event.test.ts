import { describe, expect, it } from 'vitest';
import type { Unstructured } from '../../../../shared/api/object.ts';
import { changedUnheralded, isMissedEvent, isUnseen } from '../../../../shared/kernel/missed-event.ts';
import type { Reconciled } from '../../../../shared/kernel/reconcile.ts';
import { aDeclaration, aWidget } from '../../../support/kernel.ts';

const wrote: Reconciled = { result: { kind: 'done' }, passes: 1, writes: 1 };
const failed: Reconciled['result'] = { kind: 'failed', error: new Error('no'), terminal: false };

describe('a missed event', () => {
  it.each<{ causes?: string[]; attempt?: number; change?: Partial<Reconciled>; missed: boolean; reason: string }>([
    { missed: true, reason: 'only the resync asked, and something was written' },
    { change: { result: { kind: 'again' } }, missed: true, reason: 'so much was to be done that it goes on' },
    { causes: ['resync', 'event'], missed: false, reason: 'an event told, too' },
    { causes: ['list'], missed: false, reason: 'a source showed the object' },
    { change: { writes: 0 }, missed: false, reason: 'nothing had changed' },
    { attempt: 2, missed: false, reason: 'a retry was due anyway' },
    { change: { result: { kind: 'requeueAfter', ms: 1 } }, missed: false, reason: 'the object looks again by itself' },
    {
      change: { result: { kind: 'requeueAfter', ms: 1 }, unseen: true },
      missed: true,
      reason: 'the object itself changed, which it does not wait for',
    },
    { change: { unheralded: true, unseen: true }, missed: true, reason: 'the object itself changed, too' },
    { change: { result: failed }, missed: false, reason: 'it failed, so it is not known what there is to do' },
    { change: { unheralded: true }, missed: false, reason: 'no event tells of what changed' },
  ])('is $missed where $reason', ({ causes = ['resync'], attempt = 0, change = {}, missed }) => {
    expect(isMissedEvent({ causes, attempt }, { ...wrote, ...change })).toBe(missed);
  });
});

describe('a change that no event could tell of', () => {
  const declaration = aDeclaration({
    owns: { conditions: ['Ready', 'Probe'], v1beta1: [], status: [], unheralded: ['Probe'] },
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
      reason: 'its status is another',
    },
    {
      before: [ready, probed],
      after: [ready, { ...probed, reason: 'Late' }],
      is: true,
      reason: 'its reason is another',
    },
    { before: [ready, probed], after: [ready], is: true, reason: 'it went' },
    { before: [ready], after: [ready, probed], is: false, reason: 'it is new, as all conditions of a new object are' },
    { before: [ready, probed], after: [probed], is: false, reason: 'only others changed' },
  ])('is told by its condition: $is where $reason', ({ before, after, is }) => {
    expect(changedUnheralded(declaration, withConditions(...before), withConditions(...after))).toBe(is);
  });

  it('is none where the object went', () => {
    expect(changedUnheralded(declaration, withConditions(probed), undefined)).toBe(false);
  });

  it('is none where a reconciler names no such condition', () => {
    expect(changedUnheralded(aDeclaration(), withConditions(probed), withConditions())).toBe(false);
  });

  it('is none where the object has no status yet', () => {
    expect(changedUnheralded(declaration, aWidget(), aWidget())).toBe(false);
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
      reason: 'the status is of another',
    },
    { declaration: tracking, generation: 1, status: undefined, is: true, reason: 'the object is new' },
    {
      declaration: tracking,
      generation: 2,
      status: { observedGeneration: 2 },
      is: false,
      reason: 'the status tells of it',
    },
    { declaration: aDeclaration(), generation: 2, status: {}, is: false, reason: 'the status never tells' },
  ])('is unseen: $is where $reason', ({ declaration, generation, status, is }) => {
    const widget = aWidget({ metadata: { generation }, ...(status === undefined ? {} : { status }) });
    expect(isUnseen(declaration, widget)).toBe(is);
  });
});
