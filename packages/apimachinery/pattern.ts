// Regular expressions of schemas (RE2), with limits on their size and on the work of one match. Pure.

export {
  compileOnce,
  compilePattern,
  compileWork,
  isTooLarge,
  type Pattern,
  type PatternResult,
  patternLimits,
} from './pattern/pattern.ts';
export { searchWork } from './pattern/pattern-size.ts';
