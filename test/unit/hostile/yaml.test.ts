// YAML of tenants. These texts formerly caused more than linear parsing work. Nothing is timed.

import { decodeYaml11 } from '@capi-serverless/go-template/yaml';
import { describe, expect, it } from 'vitest';
import { countWork } from '../../support/counted-work.ts';

const attacks: readonly { readonly reason: string; readonly text: (length: number) => string }[] = [
  { reason: 'short lines', text: length => '- a\n'.repeat(length / 4) },
  { reason: 'short lines without a last line break', text: length => `${'- a\n'.repeat(length / 4)}- b` },
  { reason: 'one long line', text: length => `${'a'.repeat(length)}\n` },
  { reason: 'spaces', text: length => `a:${' '.repeat(length)}\n` },
  { reason: 'keys', text: length => Array.from({ length: length / 8 }, (_, at) => `k${at}: v\n`).join('') },
  { reason: 'blocks', text: length => '- |\n b\n'.repeat(length / 7) },
  { reason: 'a block of many lines', text: length => `|\n${' b\n'.repeat(length / 3)}` },
  { reason: 'aliases', text: length => `- &a b\n${'- *a\n'.repeat(length / 5)}` },
  { reason: 'merges', text: length => `a: &a {b: c}\nd:\n${'  <<: *a\n'.repeat(length / 9)}` },
  { reason: 'anchors', text: length => Array.from({ length: length / 8 }, (_, at) => `- &a${at} b\n`).join('') },
  { reason: 'tags', text: length => Array.from({ length: length / 8 }, (_, at) => `- !t${at} b\n`).join('') },
  { reason: 'comments', text: length => 'a: b\n# c\n'.repeat(length / 9) },
  { reason: 'documents', text: length => '---\na\n'.repeat(length / 6) },
  { reason: 'quotes', text: length => `"${'\\"'.repeat(length / 2)}"` },
  { reason: 'errors', text: length => `[${','.repeat(length)}` },
  { reason: 'wrong indentation', text: length => '  a: b\n a: b\n'.repeat(length / 13) },
  { reason: 'a flow', text: length => `[${'a, '.repeat(length / 3)}]` },
];

/** For a text that is four times as long, linear work is four times as much. */
const short = 4_000;
const factor = 4;

describe('reading YAML is linear in the text', () => {
  it.each(attacks)('also with $reason', ({ text }) => {
    const [once, more] = [short, short * factor].map(length => countWork(work => decodeYaml11(text(length), work))) as [
      ReturnType<typeof countWork>,
      ReturnType<typeof countWork>,
    ]; // true: there are two lengths and two counts
    expect(more.steps).toBeLessThanOrEqual(once.steps * factor * 1.1);
    expect(more.scanned).toBeLessThanOrEqual(once.scanned * factor * 1.1 + short * factor);
    expect(more.steps).toBeLessThanOrEqual(4 * short * factor + 100);
  });
});

describe('YAML beyond a limit is refused', () => {
  it('when aliases repeat a long text', () => {
    const text = `- &a ${'x'.repeat(100_000)}\n${'- *a\n'.repeat(20)}`;
    expect(decodeYaml11(text)).toEqual({
      ok: false,
      error: 'error converting YAML to JSON: yaml: limit exceeded: more than 1572864 characters, aliases followed',
    });
  });

  it('when it has a million signs', () => {
    expect(decodeYaml11(`[${','.repeat(1_000_000)}]`)).toEqual({
      ok: false,
      error: 'error converting YAML to JSON: yaml: limit exceeded: more than 600000 words, signs and spaces',
    });
  });

  it('when the memory of its tokens exceeds a limit, before they are read', () => {
    let [tokens, held] = [0, 0];
    const work = {
      spend: (): void => {
        tokens += 1;
      },
      hold: (bytes: number): void => {
        held += bytes;
        if (held > 20 * 1024 * 1024) {
          throw new RangeError('no memory left');
        }
      },
    };
    expect(() => decodeYaml11(`[${'{},'.repeat(40_000)}]`, work)).toThrow('no memory left');
    expect(tokens).toBeLessThan(40_000);
  });

  it('when the work that is left does not suffice, with the error of that limit', () => {
    let left = 1000;
    const work = {
      spend: (steps: number): void => {
        left -= steps;
        if (left < 0) {
          throw new RangeError('no work left');
        }
      },
    };
    expect(() => decodeYaml11('- a\n'.repeat(1000), work)).toThrow('no work left');
  });
});

it('counts no memory for a text of few tokens', () => {
  const hold = (): void => {
    throw new RangeError('no memory left');
  };
  expect(decodeYaml11('- a\n'.repeat(3000), { spend: () => {}, hold }).ok).toBe(true);
});

it.each([
  { text: '9'.repeat(300), value: Number('9'.repeat(300)) },
  { text: `0${'0'.repeat(100)}7`, value: 7 },
  { text: '0x8000000000000000', value: 2 ** 63 },
  { text: `0x${'f'.repeat(17)}`, value: `0x${'f'.repeat(17)}` },
  { text: `-0b1${'0'.repeat(63)}`, value: -(2 ** 63) },
  { text: `0b${'1'.repeat(65)}`, value: `0b${'1'.repeat(65)}` },
])('reads the number $text without the work of a long integer', ({ text, value }) => {
  expect(decodeYaml11(text)).toEqual({ ok: true, value });
});

it.each([
  { text: 'a: \ud800', error: 'invalid UTF-8', reason: 'half of a character' },
  { text: 'a: \u0007', error: 'control characters are not allowed', reason: 'a control character' },
  {
    text: `a: &a ${'['.repeat(150)}${']'.repeat(150)}\nb: ${'['.repeat(150)}*a${']'.repeat(150)}`,
    error: 'limit exceeded: more than 200 lists and maps inside each other',
    reason: 'depth behind an alias',
  },
  { text: 'a: 1\n---\n[b', error: undefined, reason: 'what follows the first document' },
  { text: 'a: 1\n...\n%YAML x\n---\nb', error: undefined, reason: 'a directive of the next document' },
  { text: '[a\n}: b', error: expect.stringMatching(/^line \d: /), reason: 'a wrong bracket' },
])('answers for $reason', ({ text, error }) => {
  const decoded = decodeYaml11(text);
  expect(decoded.ok ? undefined : decoded.error.replace('error converting YAML to JSON: yaml: ', '')).toEqual(error);
});

it.each([
  { text: '!!int 0x10', value: 16 },
  { text: '!!int 1.5', value: undefined },
  { text: '!!int x', value: undefined },
  { text: '!!float 1e2', value: 100 },
  { text: '!!float x', value: undefined },
  { text: '!!bool yes', value: true },
  { text: '!!bool 1', value: undefined },
  { text: '!!null ~', value: null },
  { text: '!!null x', value: undefined },
  { text: '!!binary YQ==', value: 'a' },
  { text: '!!binary ?', value: undefined },
  { text: '!!str 1', value: '1' },
  { text: '1e999', value: '1e999' },
])('resolves the tag of $text, or refuses it', ({ text, value }) => {
  const decoded = decodeYaml11(text);
  expect(decoded.ok ? decoded.value : undefined).toEqual(value);
});
