import { describe, expect, it } from 'vitest';
import { readOperations } from '../../../../../packages/apimachinery/json-patch/patch-document.ts';

describe('the JSON patch of an extension', () => {
  it.each([
    { reason: 'no JSON', text: '[{', error: 'not valid JSON' },
    { reason: 'no list', text: '{}', error: 'a JSON patch must be a list of operations' },
    {
      reason: 'a list with an invalid operation',
      text: '[{"op":"remove","path":"/a"},{"op":"remove"}]',
      error: "invalid operation 1: failed to decode 'path': missing value",
    },
  ])('is refused if it is $reason', ({ text, error }) => {
    expect(readOperations(text)).toEqual({ ok: false, error });
  });

  it('has its operations in order', () => {
    const operations = readOperations('[{"op":"remove","path":"/a/b~1c"},{"op":"test","path":"x"}]');
    expect(operations).toEqual({
      ok: true,
      value: [
        { op: 'remove', path: { text: '/a/b~1c', segments: ['a', 'b/c'] } },
        { op: 'test', path: { text: 'x', segments: undefined }, value: null },
      ],
    });
  });

  it('is empty for null', () => {
    expect(readOperations('null')).toEqual({ ok: true, value: [] });
  });
});
