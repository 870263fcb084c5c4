import { describe, expect, test } from 'vitest';
import type { ReportedCondition } from '../../../../../packages/cluster-api/conditions/condition.ts';
import { type SummaryOptions, summarizeConditions } from '../../../../../packages/cluster-api/conditions/summary.ts';
import { fc } from '../../../../support/property.ts';
import { aCondition } from './builders.ts';

interface Example {
  readonly title: string;
  readonly conditions: readonly ReportedCondition[];
  readonly options: SummaryOptions;
  readonly status: string;
  readonly reason: string;
  readonly lines: readonly string[];
}

const a = aCondition({ type: 'A', status: 'True', message: 'Message-A' });

const examples: readonly Example[] = [
  {
    title: 'lists issues, then unknown and missing conditions',
    conditions: [
      a,
      aCondition({ type: '!B', status: 'True', message: 'Message-!B' }),
      aCondition({ type: 'C', status: 'Unknown', reason: 'RC' }),
      aCondition({ type: 'D', status: 'False', message: '* x: y\n* z' }),
    ],
    options: { forTypes: ['A', '!B', 'C', 'D', 'E'], negativePolarity: ['!B'] },
    status: 'False',
    reason: 'IssuesReported',
    lines: ['* !B: Message-!B', '* C: RC', '* D:', '  * x: y', '  * z', '* E: Condition not yet reported'],
  },
  {
    title: 'ignores a missing condition that is optional',
    conditions: [a],
    options: { forTypes: ['A', 'E'], ignoreIfMissing: ['E'] },
    status: 'True',
    reason: 'InfoReported',
    lines: ['* A: Message-A'],
  },
  {
    title: 'has no lines if no condition has a message',
    conditions: [aCondition({ type: 'A' })],
    options: { forTypes: ['A'] },
    status: 'True',
    reason: 'InfoReported',
    lines: [],
  },
  {
    title: 'orders messages by the requested types',
    conditions: [aCondition({ type: 'A', message: 'l1\nl2' }), aCondition({ type: 'B', message: 'ok' })],
    options: { forTypes: ['B', 'A'] },
    status: 'True',
    reason: 'InfoReported',
    lines: ['* B: ok', '* A:', '  * l1', '  * l2'],
  },
];

describe('worked examples', () => {
  test.each(examples)('$title', ({ conditions, options, status, reason, lines }) => {
    const value = { type: 'Target', status, reason, message: lines.join('\n') };
    expect(summarizeConditions(conditions, 'Target', options)).toEqual({ ok: true, value });
  });

  test('refuses an empty list of conditions', () => {
    expect(summarizeConditions(undefined, 'Target', { forTypes: ['E'], ignoreIfMissing: ['E'] })).toEqual({
      ok: false,
      error: "summary can't be performed when the list of conditions to be summarized is empty",
    });
  });
});

describe('a summary is refused', () => {
  test.each([
    { options: { forTypes: [] }, error: 'option ForConditionTypes not provided or empty' },
    {
      options: { forTypes: ['A', 'Target'] },
      error: 'option ForConditionTypes cannot include Target (target condition type)',
    },
    {
      options: { forTypes: ['A'], override: [a, aCondition({ type: 'A' })] },
      error: 'override condition A specified multiple times',
    },
    {
      options: { forTypes: ['A'], override: [a, aCondition({ type: 'B' })] },
      error: 'override condition B must exist in source object',
    },
  ])('with: $error', ({ options, error }) => {
    expect(summarizeConditions([a], 'Target', options)).toEqual({ ok: false, error });
  });
});

describe('a summary', () => {
  test('uses an override for this computation', () => {
    const override = [aCondition({ type: 'A', status: 'False', message: 'overridden' })];
    expect(summarizeConditions([a], 'Target', { forTypes: ['A'], override })).toMatchObject({
      value: { status: 'False', message: '* A: overridden' },
    });
  });

  test('gives a missing type the priority of an unknown one', () => {
    const asked: ReportedCondition[] = [];
    summarizeConditions([], 'Target', {
      forTypes: ['E'],
      priorityOf: condition => {
        asked.push(condition);
        return 'Issue';
      },
    });
    expect(asked).toEqual([
      { type: 'E', status: 'Unknown', reason: 'NotYetReported', message: 'Condition not yet reported' },
    ]);
  });

  test('counts a type that is listed twice once', () => {
    expect(summarizeConditions([a], 'Target', { forTypes: ['A', 'A'] })).toMatchObject({
      value: { message: '* A: Message-A' },
    });
  });

  test('hides infos while there are issues', () => {
    expect(summarizeConditions([a], 'Target', { forTypes: ['A', 'E'] })).toMatchObject({
      value: { status: 'Unknown', reason: 'UnknownReported', message: '* E: Condition not yet reported' },
    });
  });

  test('keeps the order of the types: an unknown may precede an issue', () => {
    const conditions = [aCondition({ type: 'B', status: 'False', message: 'issue' })];
    expect(summarizeConditions(conditions, 'Target', { forTypes: ['E', 'B'] })).toMatchObject({
      value: { status: 'False', message: '* E: Condition not yet reported\n* B: issue' },
    });
  });

  test('accepts other priorities and reasons, and a transformation of the lines', () => {
    const conditions = [aCondition({ type: 'A', status: 'False', message: 'on purpose' })];
    expect(
      summarizeConditions(conditions, 'Target', {
        forTypes: ['A'],
        priorityOf: () => 'Info',
        reasons: { issue: 'Bad', unknown: 'Dunno', info: 'Fine' },
        transformLines: lines => [...lines, 'last'],
      }),
    ).toEqual({
      ok: true,
      value: { type: 'Target', status: 'True', reason: 'Fine', message: '* A: on purpose\nlast' },
    });
  });
});

const anyConditions = fc.uniqueArray(
  fc.record({
    type: fc.oneof(fc.constantFrom('A', 'B', 'C', 'D'), fc.string()),
    status: fc.constantFrom('True', 'False', 'Unknown'),
    reason: fc.string(),
    message: fc.oneof(fc.constantFrom('', 'm', '* x: y', 'l1\nl2'), fc.string()),
    lastTransitionTime: fc.oneof(fc.constantFrom('', '2026-01-01T00:00:00Z'), fc.string()),
  }),
  { selector: ({ type }) => type },
);

test('a summary never throws and does not depend on the order of the list', () => {
  fc.assert(
    fc.property(anyConditions, fc.subarray(['A', 'B', 'C', 'D'], { minLength: 1 }), (conditions, forTypes) => {
      const summary = summarizeConditions(conditions, 'Target', { forTypes, negativePolarity: ['B'] });
      expect(summary.ok).toBe(true);
      const reversed = summarizeConditions(conditions.toReversed(), 'Target', { forTypes, negativePolarity: ['B'] });
      expect(reversed).toEqual(summary);
    }),
  );
});
