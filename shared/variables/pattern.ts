// Regular expressions of schemas, compiled once.
import { type CompiledPattern, compilePattern as compile } from '../cel/index.ts';
import type { Work } from './work.ts';

/** About the most instructions that one character of an expression becomes: `a{1000}`. */
const instructionsPerCharacter = 150;

const remembered = new Map<string, CompiledPattern>();
const mostRemembered = 1000;

/** Throws TooMuchWorkError before many large expressions are compiled. */
export function compilePattern(source: string, work: Work): CompiledPattern {
  const known = remembered.get(source);
  if (known !== undefined) {
    return known;
  }
  work.spend(source.length * instructionsPerCharacter);
  if (remembered.size >= mostRemembered) {
    remembered.clear();
  }
  const compiled = compile(source);
  remembered.set(source, compiled);
  return compiled;
}
