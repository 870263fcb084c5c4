import { describe, expect, it } from 'vitest';
import {
  canonicalElement,
  fieldElement,
  keyElement,
  toPathText,
  valueElement,
} from '../../../../../../packages/apiserver/core/apply/path-element.ts';

describe('an element of a path', () => {
  it.each([
    { reason: 'a field', element: fieldElement('a'), text: 'f:a', path: '.a' },
    { reason: 'an item by its key', element: keyElement([['name', 'p']]), text: 'k:{"name":"p"}', path: '[name="p"]' },
    {
      reason: 'an item by several keys, in order',
      element: keyElement([
        ['protocol', 'TCP'],
        ['port', 80],
      ]),
      text: 'k:{"port":80,"protocol":"TCP"}',
      path: '[port=80,protocol="TCP"]',
    },
    { reason: 'a member of a set', element: valueElement('x'), text: 'v:"x"', path: '[="x"]' },
    { reason: 'a number in a set', element: valueElement(7), text: 'v:7', path: '[=7]' },
    {
      reason: 'characters that Go escapes',
      element: valueElement('a<b>&\u2028'),
      text: 'v:"a\\u003cb\\u003e\\u0026\\u2028"',
      path: '[="a<b>&\u2028"]',
    },
    { reason: 'an index', element: 'i:3', text: 'i:3', path: '[3]' },
  ])('has the text and path of $reason', ({ element, text, path }) => {
    expect(element).toBe(text);
    expect(canonicalElement(text)).toBe(text);
    expect(toPathText([element])).toBe(path);
  });

  it.each([
    { reason: 'is omitted when its type is unknown', element: 'q:x', canonical: undefined },
    { reason: 'has its keys in order', element: 'k:{"b": 1, "a": 2}', canonical: 'k:{"a":2,"b":1}' },
    { reason: 'has no blanks', element: 'v: 1', canonical: 'v:1' },
  ])('$reason', ({ element, canonical }) => {
    expect(canonicalElement(element)).toBe(canonical);
  });

  it.each(['x', 'k:[]', 'k:x', 'v:', 'i:x'])('%s is malformed', element => {
    expect(() => canonicalElement(element)).toThrow(SyntaxError);
  });
});
