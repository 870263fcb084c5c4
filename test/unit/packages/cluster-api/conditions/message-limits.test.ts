import { describe, expect, test } from 'vitest';
import { aggregateConditions } from '../../../../../packages/cluster-api/conditions/aggregate.ts';
import {
  longestMessage,
  longestReason,
  longestV1Beta1Message,
  longestV1Beta1Reason,
  reasonTooLong,
  toFittingMessage,
  toStoredMessage,
} from '../../../../../packages/cluster-api/conditions/message-limits.ts';
import { setCondition } from '../../../../../packages/cluster-api/conditions/set.ts';
import { summarizeConditions } from '../../../../../packages/cluster-api/conditions/summary.ts';
import { setV1Beta1Condition, v1Beta1False } from '../../../../../packages/cluster-api/conditions/v1beta1.ts';
import { fc } from '../../../../support/property.ts';

const options = { generation: 1, now: Date.parse('2026-01-01T00:00:00Z') };

describe('the limit of a message', () => {
  test.each([
    { reason: 'a short one stays', message: 'ab', longest: 3, fitting: 'ab' },
    { reason: 'one that just fits stays', message: 'abc', longest: 3, fitting: 'abc' },
    { reason: 'a longer one loses its end', message: 'abcd', longest: 3, fitting: 'ab…' },
    { reason: 'characters count, not their halves', message: '😀😀😀', longest: 3, fitting: '😀😀😀' },
    { reason: 'no character is split', message: '😀😀😀😀', longest: 3, fitting: '😀😀…' },
  ])('$reason', ({ message, longest, fitting }) => {
    expect(toFittingMessage(message, longest)).toBe(fitting);
  });
});

describe('the limit of a stored message', () => {
  test.each([
    { reason: 'two bytes for each character are kept', message: 'éééé', longest: 4, fitting: 'éééé' },
    { reason: 'the last character with one byte', message: '\u007f€€', longest: 3, fitting: '\u007f…' },
    { reason: 'the first character with two bytes', message: '\u0080€€', longest: 4, fitting: '\u0080€€' },
    { reason: 'the last character with two bytes', message: '\u07ff€€', longest: 4, fitting: '\u07ff€€' },
    { reason: 'the first character with three bytes', message: '\u0800€€', longest: 4, fitting: '\u0800…' },
    { reason: 'an emoji has four', message: '😀😀😀x', longest: 6, fitting: '😀😀…' },
    { reason: 'one that just fits stays', message: '😀😀😀', longest: 6, fitting: '😀😀😀' },
    { reason: 'the mark has three', message: '😀xxxxxx', longest: 5, fitting: '😀xxx…' },
    { reason: 'an escaped character has six', message: '\u0001\u0001\u0001', longest: 8, fitting: '\u0001\u0001…' },
    { reason: 'half of an emoji has six', message: '\ud83d\ud83d', longest: 6, fitting: '\ud83d\ud83d' },
    { reason: 'quotes count once', message: '"', longest: 1, fitting: '"' },
  ])('$reason', ({ message, longest, fitting }) => {
    expect(toStoredMessage(message, longest)).toBe(fitting);
  });
});

describe('the limit of a reason', () => {
  test.each([
    { size: longestReason, kept: true },
    { size: longestReason + 1, kept: false },
    { size: 1_000_000, kept: false },
  ])('keeps $size characters: $kept', ({ size, kept }) => {
    const reason = 'R'.repeat(size);
    const [condition] = setCondition([], { type: 'Ready', status: 'True', reason }, options);
    expect(condition?.reason).toBe(kept ? reason : reasonTooLong);
  });

  test('is lower in the deprecated conditions, which may have none', () => {
    const reasonOf = (length: number) =>
      setV1Beta1Condition(
        [],
        { type: 'Ready', status: 'False', severity: 'Error', reason: 'R'.repeat(length) },
        options,
      )[0]?.reason;
    expect([reasonOf(longestV1Beta1Reason), reasonOf(longestV1Beta1Reason + 1)]).toEqual([
      'R'.repeat(longestV1Beta1Reason),
      reasonTooLong,
    ]);
    expect(setV1Beta1Condition([], { type: 'Ready', status: 'True' }, options)[0]?.reason).toBeUndefined();
  });
});

/** Lengths close to the limits, and far above them if several messages are combined. */
const messages = fc
  .tuple(fc.constantFrom('', 'x', '* a: b\n', '😀', 'line\nline '), fc.integer({ min: 0, max: 40_000 }))
  .map(([part, length]) => part.repeat(Math.ceil(length / Math.max(part.length, 1))));
const reported = fc.record({
  status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
  message: messages,
});
const few = { numRuns: 60 };

/** Returns the length as the API server counts it. */
function lengthOf(text: string): number {
  return [...text].length;
}

describe('stored conditions match the schema whatever objects report', () => {
  test('an aggregate of many, set twice, is stored once', () => {
    fc.assert(
      fc.property(fc.array(reported, { minLength: 1, maxLength: 6 }), conditions => {
        const aggregate = aggregateConditions(
          conditions.map(({ status, message }, index) => ({
            owner: { kind: 'Machine', name: `m${index}`, isControlPlaneMachine: false },
            conditions: [{ type: 'Ready', status, reason: 'Reason', message }],
          })),
          'Ready',
        );
        if (!aggregate.ok) {
          throw new Error(aggregate.error);
        }
        const stored = setCondition([], aggregate.value, options);
        expect(lengthOf(stored[0]?.message ?? '')).toBeLessThanOrEqual(longestMessage);
        expect(setCondition(stored, aggregate.value, options)).toBe(stored);
      }),
      few,
    );
  });

  test('a summary', () => {
    fc.assert(
      fc.property(reported, reported, (a, b) => {
        const conditions = [
          { type: 'A', reason: 'Reason', ...a },
          { type: 'B', reason: 'Reason', ...b },
        ];
        const summary = summarizeConditions(conditions, 'Target', { forTypes: ['A', 'B'] });
        if (!summary.ok) {
          throw new Error(summary.error);
        }
        const [stored] = setCondition([], summary.value, options);
        expect(lengthOf(stored?.message ?? '')).toBeLessThanOrEqual(longestMessage);
        expect(stored?.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
      }),
      few,
    );
  });

  test('a deprecated condition, set twice, is stored once', () => {
    fc.assert(
      fc.property(messages, message => {
        const draft = v1Beta1False('Ready', { reason: 'Reason', severity: 'Info', message });
        const stored = setV1Beta1Condition([], draft, options);
        expect(lengthOf(stored[0]?.message ?? '')).toBeLessThanOrEqual(longestV1Beta1Message);
        expect(setV1Beta1Condition(stored, draft, options)).toBe(stored);
      }),
      few,
    );
  });
});
