import { expect, it } from 'vitest';
import { toAggregateText } from '../../../../shared/api/aggregate-text.ts';

it.each([
  { errors: [], text: '', reason: 'nothing went wrong' },
  { errors: ['a'], text: 'a', reason: 'one error stands for itself' },
  { errors: ['b', 'a'], text: '[b, a]', reason: 'several keep their order' },
  { errors: ['a', 'b', 'a'], text: '[a, b]', reason: 'each is told once' },
  { errors: ['a', 'a'], text: 'a', reason: 'one that comes twice is one' },
])('the text of errors: $reason', ({ errors, text }) => {
  expect(toAggregateText(errors)).toBe(text);
});
