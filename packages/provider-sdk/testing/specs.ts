// The specs of a suite's objects: one for all objects, or one per object.
import type { CommonSetup, SuiteSpec } from './setup.ts';

/** Returns the spec of the setup per object. The returned function counts its calls and ignores its arguments. */
export function countingSpecs(spec: CommonSetup['spec'] = {}): () => SuiteSpec {
  let next = 0;
  return () => {
    const index = next;
    next += 1;
    return typeof spec === 'function' ? spec(index) : spec;
  };
}

/** Returns the spec of the next object. */
export function specOf({ spec = {} }: CommonSetup): SuiteSpec {
  return typeof spec === 'function' ? spec(0) : spec;
}
