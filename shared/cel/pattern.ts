// Regular expressions as Kubernetes means them: RE2, which never backtracks, so that time grows with the length of the
// text times the size of the expression. Both are limited here. https://github.com/google/re2/wiki/Syntax
import { RE2JS, RE2JSException } from 're2js';
import { instructionsOf } from './pattern-size.ts';

export const patternLimits = {
  /** Characters of an expression. */
  length: 10_000,
  /** Instructions that an expression compiles to; repetitions multiply. */
  instructions: 10_000,
  /** Instructions times characters of one match. */
  steps: 20_000_000,
} as const;

export type Verdict = 'matches' | 'differs' | 'too much work';

export interface Pattern {
  /** Instructions: what one character costs at most. */
  readonly instructions: number;
  /** Whether the expression occurs anywhere in the text. */
  test(text: string): Verdict;
  /** Every part of the text that matches, at most `most`; undefined where that is too much work. */
  find(text: string, most: number): readonly string[] | undefined;
}

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: string };

const tooLarge = 'error parsing regexp: expression too large';

/** Never throws: `problem` says in the engine's words why the expression cannot be used. */
export function compilePattern(source: string): CompiledPattern {
  if (source.length > patternLimits.length) {
    return { ok: false, problem: `expression is longer than ${patternLimits.length} characters` };
  }
  if (instructionsOf(source) > patternLimits.instructions) {
    return { ok: false, problem: tooLarge };
  }
  try {
    const compiled = RE2JS.compile(source);
    const instructions = compiled.programSize();
    return instructions > patternLimits.instructions
      ? { ok: false, problem: tooLarge }
      : { ok: true, pattern: toPattern(compiled, instructions) };
  } catch (error) {
    if (error instanceof RE2JSException) {
      return { ok: false, problem: error.message };
    }
    throw error;
  }
}

function toPattern(compiled: RE2JS, instructions: number): Pattern {
  const isTooMuch = (text: string): boolean => instructions * (text.length + 1) > patternLimits.steps;
  return {
    instructions,
    test(text) {
      if (isTooMuch(text)) {
        return 'too much work';
      }
      return compiled.test(text) ? 'matches' : 'differs';
    },
    find(text, most) {
      if (isTooMuch(text)) {
        return undefined;
      }
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < most && matcher.find()) {
        found.push(matcher.group() ?? '');
      }
      return found;
    },
  };
}
