import { describe, expect, it } from 'vitest';
import {
  annotationBytes,
  problemsOfLabelKey,
  problemsOfLabelValue,
  problemsOfSubdomain,
} from '../../../../../packages/apimachinery/names/label-rules.ts';

const word = /^(name part |)must consist of alphanumeric characters, '-', '_' or '\.', and must start and end/;
const label = /^(prefix part |)a lowercase RFC 1123 subdomain must consist of lower case/;

describe('label keys', () => {
  it.each([
    { key: 'a', problems: [], reason: 'a word' },
    { key: 'example.com/A_b.c', problems: [], reason: 'a word behind a domain' },
    { key: '', problems: ['name part must be non-empty', expect.stringMatching(word)], reason: 'nothing' },
    { key: '/a', problems: ['prefix part must be non-empty'], reason: 'no domain' },
    { key: 'A/a', problems: [expect.stringMatching(label)], reason: 'no domain has capitals' },
    { key: 'a/', problems: ['name part must be non-empty', expect.stringMatching(word)], reason: 'no word' },
    { key: 'a b', problems: [expect.stringMatching(word)], reason: 'a space' },
    { key: 'a'.repeat(64), problems: ['name part must be no more than 63 bytes'], reason: 'too long a word' },
    {
      key: `${'a'.repeat(254)}/a`,
      problems: ['prefix part must be no more than 253 bytes'],
      reason: 'too long a domain',
    },
    {
      key: 'a/b/c',
      problems: [expect.stringMatching(/^a valid label key must .*'example\.com\/MyName'\)$/)],
      reason: 'two slashes',
    },
  ])('$reason: $key', ({ key, problems }) => {
    expect(problemsOfLabelKey(key)).toEqual(problems);
  });
});

describe('label values', () => {
  it.each([
    { value: '', problems: [], reason: 'nothing' },
    { value: 'A.b-c_1', problems: [], reason: 'a word' },
    {
      value: '-a',
      problems: [expect.stringMatching(/^a valid label must be an empty string or consist of/)],
      reason: 'a hyphen first',
    },
    { value: 'a'.repeat(64), problems: ['must be no more than 63 bytes'], reason: 'too long' },
  ])('$reason: "$value"', ({ value, problems }) => {
    expect(problemsOfLabelValue(value)).toEqual(problems);
  });
});

it('domains have lower case labels with dots between them', () => {
  expect(problemsOfSubdomain('a-1.b')).toEqual([]);
  expect(problemsOfSubdomain('a..b')).toEqual([expect.stringMatching(label)]);
});

it('annotations are measured in bytes, keys included', () => {
  expect(annotationBytes({ a: 'ä', bb: '' })).toBe(5);
});
