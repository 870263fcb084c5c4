// Compiles and caches the regular expressions of schemas.
import type { Checked } from '@capi-serverless/apimachinery';
import { compilePattern as compile, type Pattern } from '@capi-serverless/apimachinery/pattern';
import type { Work } from './work.ts';

/** The estimated maximum of instructions per character of an expression. An example is `a{1000}`. */
const instructionsPerCharacter = 150;

const remembered = new Map<string, Checked<Pattern>>();
const mostRemembered = 1000;

/** Throws TooMuchWorkError if compilation exceeds the allowed work. */
export function compilePattern(source: string, work: Work): Checked<Pattern> {
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
