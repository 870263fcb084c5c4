import { expect, it } from 'vitest';
import { toAggregateText } from '../../../../packages/apimachinery/aggregate-text.ts';

it.each([
  { errors: [], text: '', reason: 'no error' },
  { errors: ['a'], text: 'a', reason: 'one error is printed alone' },
  { errors: ['b', 'a'], text: '[b, a]', reason: 'several keep their order' },
  { errors: ['a', 'b', 'a'], text: '[a, b]', reason: 'duplicates are printed once' },
  { errors: ['a', 'a'], text: 'a', reason: 'a single error without duplicates has no brackets' },
])('the text of errors: $reason', ({ errors, text }) => {
  expect(toAggregateText(errors)).toBe(text);
});
