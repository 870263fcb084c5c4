// Estimates the work to compile a regular expression, before it is compiled.
import { instructionsOf } from './pattern-size.ts';

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
