// Checks that no regular expression on texts of tenants takes more than linear time, unless the text is short.

import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { findSlowText } from './backtracking.ts';
import { readSources } from './sources.ts';

interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly file: string;
}

const isProduct = (file: string): boolean =>
  /^(?:functions|shared|packages)\//.test(file) && !/^packages\/apiserver\/|\/node_modules\//.test(file);

/** The literals. Expressions that are built from texts have a literal part or are listed below. */
function expressionsOf(file: string, source: string): readonly Expression[] {
  const found: Expression[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (typeof value === 'object' && value !== null) {
      if ('regex' in value && typeof value.regex === 'object' && value.regex !== null) {
        const { pattern, flags } = value.regex as { readonly pattern: string; readonly flags: string }; // True: ESTree.
        found.push({ source: pattern, flags, file });
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}

const all = readSources()
  .filter(({ file }) => isProduct(file))
  .flatMap(({ file, source }) => expressionsOf(file, source));

/** Expressions on short texts, with the reason why the texts are short. */
const onShortTexts: readonly (Omit<Expression, 'flags'> & { readonly because: string })[] = [
  {
    file: 'packages/apimachinery/text-formats.ts',
    source:
      '^(?:[a-zA-Z0-9\\p{S}\\p{L}](?:-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?|(?:[a-zA-Z0-9\\p{S}\\p{L}](?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?\\.)+[a-zA-Z\\p{L}]{2,63})$',
    because: 'longer names are refused before',
  },
  {
    file: 'packages/cel/overload.ts',
    source: '^(?:([\\w.]+(?:<.*>)?)\\.)?([\\w@!?[\\]+*/%<>=&|.-]+)\\((.*)\\): (.+)$',
    because: 'signatures are written in the sources',
  },
];

describe('the search for slow texts', () => {
  it.each([
    { source: '0+$', flags: '', slow: true },
    { source: '^0+$', flags: '', slow: false },
    { source: '(\\d*)(?:\\.(\\d*))?([^\\d.]+)', flags: 'y', slow: false },
    { source: '([0-9]+)[ ]*([a-z]+)', flags: 'g', slow: true },
    { source: '^(?:a+)+$', flags: '', slow: true },
    { source: '^[^=]*=.*$', flags: '', slow: false },
    { source: '(?<!0)0+$', flags: '', slow: false },
    { source: '\\.[^./]*$', flags: '', slow: false },
  ])('finds one for /$source/$flags: $slow', ({ slow, ...expression }) => {
    const found = findSlowText({ ...expression });
    expect(found !== undefined).toBe(slow);
  });
});

describe('regular expressions', () => {
  it('are found', () => {
    expect(all.length).toBeGreaterThan(150);
  });

  it('take steps in proportion to the text', () => {
    const isListed = ({ source, file }: Expression): boolean =>
      onShortTexts.some(listed => listed.source === source && listed.file === file);
    const slow = all.flatMap(expression => {
      const text = isListed(expression) ? undefined : findSlowText(expression);
      return text === undefined ? [] : [`${expression.file}: /${expression.source}/${expression.flags} on ${text}`];
    });
    expect(slow).toEqual([]);
  });

  it('on short texts still exist', () => {
    expect(
      onShortTexts.filter(listed => !all.some(({ source, file }) => source === listed.source && file === listed.file)),
    ).toEqual([]);
  });
});
