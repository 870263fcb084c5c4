import { expect, test } from 'vitest';
import { indentMessage } from '../../../../../packages/cluster-api/conditions/indent.ts';

test.each([
  { message: 'foo', shown: '* X: foo', reason: 'one line stays on the line' },
  { message: '', shown: '* X: ', reason: 'an empty message leaves a trailing space' },
  { message: '* A: 1', shown: '* X:\n  * A: 1', reason: 'a bullet goes below' },
  { message: '* A: 1\n* B: 2', shown: '* X:\n  * A: 1\n  * B: 2', reason: 'bullets keep their bullets' },
  { message: 'l1\nl2', shown: '* X:\n  * l1\n  * l2', reason: 'lines become bullets' },
  { message: 'plain\n* B: 2', shown: '* X:\n  * plain\n    * B: 2', reason: 'bullets go below the line before' },
  { message: '2 * 3', shown: '* X:\n  2 * 3', reason: 'an asterisk before a space anywhere counts as a bullet' },
  { message: 'foo*bar', shown: '* X: foo*bar', reason: 'an asterisk before something else does not' },
  { message: 'foo *', shown: '* X: foo *', reason: 'a trailing asterisk does not' },
  { message: 'foo *\nbar', shown: '* X:\n  * foo *\n  * bar', reason: 'a line break is not the space after it' },
  { message: 'a*\tb', shown: '* X:\n  a*\tb', reason: 'a tab is white space' },
])('$reason', ({ message, shown }) => {
  expect(`* X:${indentMessage(message)}`).toBe(shown);
});
