// Regular expressions of schemas (RE2), with limits on their size and on the work of one match. Pure.

export { compilePattern, type Pattern, type PatternResult, patternLimits } from './pattern/pattern.ts';
export { instructionsOf, searchWork } from './pattern/pattern-size.ts';
