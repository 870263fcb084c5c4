// Regular expressions of schemas, rules and templates: large classes, repetitions and syntax errors.
import { compilePattern, compileWork, patternLimits } from '@capi-serverless/apimachinery/pattern';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const atom = fc.constantFrom(
  'a',
  '.',
  '\\pL',
  '\\P{Greek}',
  '[a-z]',
  '[^é-ﾀ]',
  '(?i)',
  '(?i:k',
  '(',
  ')',
  '|',
  '*',
  '+?',
  '{3}',
  '{2,900}',
  '{1000}',
  '[',
  ']',
  '\\Q',
  '\\E',
  '^',
  '$',
  '\\b',
  '[[:alpha:]]',
  '😀',
  '\ud800',
  '(?P<n>',
);
const source = fc
  .tuple(fc.array(atom, { maxLength: 10 }), fc.array(atom, { maxLength: 4 }), fc.nat({ max: 300 }))
  .map(([start, part, times]) => [...start, part.join('').repeat(times)].join(''));
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.nat({ max: 3000 }).map(length => 'ab'.repeat(length)),
);

/** Compilation and searches end within their counted limits, and nothing is thrown. */
function check(expression: string, given: string): void {
  const work = compileWork(expression);
  const compiled = compilePattern(expression);
  if (!compiled.ok) {
    return;
  }
  if (work > patternLimits.compilation || work < compiled.value.instructions) {
    throw new Error(`${compiled.value.instructions} instructions are compiled for ${work} units`);
  }
  compiled.value.test(given);
  let charged = 0;
  const found = compiled.value.find(given, given.length, more => {
    charged += more;
    if (charged > patternLimits.steps) {
      throw new RangeError('enough');
    }
  });
  if (found !== undefined && found.length > 1 && charged < found.length) {
    throw new Error(`${found.length} matches for ${charged} instructions`);
  }
}

function checkWithin(expression: string, given: string): void {
  try {
    check(expression, given);
  } catch (error) {
    if (!(error instanceof RangeError && error.message === 'enough')) {
      throw error;
    }
  }
}

export const parser: FuzzedParser = { name: 'patterns', property: fc.property(source, text, checkWithin) };
