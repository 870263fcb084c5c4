// Regular expressions in RE2, the syntax of Kubernetes. RE2 never backtracks: the time is proportional to the length of
// the text times the size of the expression. Both are limited. https://github.com/google/re2/wiki/Syntax
import { RE2JS } from 're2js';
import { type Checked, invalid, valid } from '../checked.ts';
import { instructionsOf, searchWork } from './pattern-size.ts';

export const patternLimits = {
  /** The maximum number of characters of an expression. */
  length: 10_000,
  /** The maximum number of instructions of the compiled expression. Repetitions multiply them. */
  instructions: 10_000,
  /** The maximum of `compileWork`, which is 50 to 100 ms. */
  compilation: 10_000_000,
  /** The maximum of instructions times characters of one match. */
  steps: 20_000_000,
} as const;

export type PatternResult = 'matches' | 'differs' | 'too much work';

export interface Pattern {
  /** The maximum number of instructions per character. */
  readonly instructions: number;
  /** Returns true if the expression occurs anywhere in the text. */
  test(text: string): PatternResult;
  /**
   * Returns at most `most` matches of the expression, or undefined if one search exceeds the limit. `charge` receives
   * the work of each further search, counted in instructions on one character each. If it throws, the search ends.
   */
  find(text: string, most: number, charge: (work: number) => void): readonly string[] | undefined;
}

const tooLarge = 'error parsing regexp: expression too large';

/** Returns whether an expression has too many instructions, or too large classes. */
export function isTooLarge(source: string): boolean {
  return instructionsOf(source) > patternLimits.instructions || estimateWork(source) > patternLimits.compilation;
}

/**
 * The work to compile an expression, in units of a common meter. An upper estimate. An expression that is too large is
 * only read.
 */
export function compileWork(source: string): number {
  return source.length > patternLimits.length || isTooLarge(source) ? source.length : estimateWork(source);
}

const remembered = new Map<string, RE2JS>();
let rememberedInstructions = 0;
/** The compiled expressions take at most some MiB. */
const mostRemembered = 20_000;

/**
 * Compiles an expression once per process, as long as it is remembered. Callers check the limits before, and charge
 * `compileWork` each time, so that a result does not depend on earlier work of the process. Throws errors of the engine.
 */
export function compileOnce(source: string): RE2JS {
  const known = remembered.get(source);
  if (known !== undefined) {
    return known;
  }
  const compiled = RE2JS.compile(source);
  rememberedInstructions += compiled.programSize();
  if (rememberedInstructions > mostRemembered) {
    remembered.clear();
    rememberedInstructions = compiled.programSize();
  }
  remembered.set(source, compiled);
  return compiled;
}

/** Never throws. The error is the engine's reason why the expression is invalid. */
export function compilePattern(source: string): Checked<Pattern> {
  if (source.length > patternLimits.length) {
    return invalid(`expression is longer than ${patternLimits.length} characters`);
  }
  if (isTooLarge(source)) {
    return invalid(tooLarge);
  }
  try {
    const compiled = compileOnce(source);
    const instructions = compiled.programSize();
    return instructions > patternLimits.instructions
      ? invalid(tooLarge)
      : valid(toPattern(compiled, source, instructions));
  } catch (error) {
    // True: the engine throws only its own errors, or a stack overflow for nested expressions.
    return invalid((error as Error).message);
  }
}

function toPattern(compiled: RE2JS, source: string, instructions: number): Pattern {
  const isTooMuch = (text: string): boolean => instructions * (text.length + 1) > patternLimits.steps;
  return {
    instructions,
    test(text) {
      if (isTooMuch(text)) {
        return 'too much work';
      }
      return compiled.test(text) ? 'matches' : 'differs';
    },
    find(text, most, charge) {
      if (isTooMuch(text)) {
        return undefined;
      }
      const work = searchWork(source, instructions, text.length);
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < most && matcher.find()) {
        found.push(String(matcher.group()));
        if (found.length < most) {
          charge(work.next(matcher.end()));
        }
      }
      return found;
    },
  };
}

/** The units of a common meter for one character or instruction: measured at most at 2,000 ns. */
const unitsPerInstruction = 300;
/** For a Unicode class such as `\pL`: at most 155,000 ns, because its ranges are sorted and merged. */
const unitsPerClass = 25_000;
/** For one character of a range without case: 21 ns, because its other spellings are searched. */
const unitsPerFolded = 5;
/** The engine searches spellings of no further characters. */
const mostFolded = 125_251;

/** Returns an upper estimate, in units of a common meter. */
export function estimateWork(source: string): number {
  const classes = source.match(/\\p/gi)?.length ?? 0;
  const folded = /\(\?[a-zA-Z]*i/.test(source) ? charactersInRanges(source) : 0;
  return (
    unitsPerInstruction * (source.length + instructionsOf(source)) + unitsPerClass * classes + unitsPerFolded * folded
  );
}

/** Each `-` between two characters may be a range. */
function charactersInRanges(source: string): number {
  let sum = 0;
  for (let at = source.indexOf('-', 1); at >= 0; at = source.indexOf('-', at + 1)) {
    const isEscaped = source[at - 1] === '}' || source[at + 1] === '\\';
    const first = codeAt(source, isSecondHalf(source, at - 1) ? at - 2 : at - 1);
    const last = codeAt(source, at + 1);
    sum += isEscaped ? mostFolded : Math.min(mostFolded, Math.max(0, last - first));
  }
  return sum;
}

/** Returns 0 after the end. */
function codeAt(source: string, at: number): number {
  return source.codePointAt(at) ?? 0;
}

function isSecondHalf(source: string, at: number): boolean {
  const code = source.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
