// Compiles the regular expressions of schemas, once for each list of values or definitions.
import type { Checked } from '@capi-serverless/apimachinery';
import { compilePattern as compile, compileWork, type Pattern } from '@capi-serverless/apimachinery/pattern';
import { unitsPerStep, type Work } from './work.ts';

const compiledFor = new WeakMap<Work, Map<string, Checked<Pattern>>>();

/**
 * Each list pays for its expressions, so that its work does not depend on earlier lists. Throws TooMuchWorkError if
 * compilation exceeds the allowed work.
 */
export function compilePattern(source: string, work: Work): Checked<Pattern> {
  const ofWork = compiledFor.get(work) ?? new Map<string, Checked<Pattern>>();
  compiledFor.set(work, ofWork);
  const known = ofWork.get(source);
  if (known !== undefined) {
    return known;
  }
  work.spend(compileWork(source) / unitsPerStep);
  const compiled = compile(source);
  ofWork.set(source, compiled);
  return compiled;
}
