// The specs of the objects that a suite makes: one for all, or one for each.
import type { CommonSetup, SuiteSpec } from './setup.ts';

/** As the setup says, for one object after the other: what is returned counts itself, whatever it is handed. */
export function countingSpecs(spec: CommonSetup['spec'] = {}): () => SuiteSpec {
  let next = 0;
  return () => {
    const index = next;
    next += 1;
    return typeof spec === 'function' ? spec(index) : spec;
  };
}

/** Of the next object. */
export function specOf({ spec = {} }: CommonSetup): SuiteSpec {
  return typeof spec === 'function' ? spec(0) : spec;
}
