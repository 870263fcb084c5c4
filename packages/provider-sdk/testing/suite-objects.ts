// The objects of a suite: the spec of each one, and the cleanup after each case.
import type { CommonSetup, ConformanceCase, SuiteSpec } from './setup.ts';

interface SuiteObjects<Setup extends CommonSetup> {
  /** The setup of the cases. It records each id that a case takes. */
  readonly setup: Setup;
  /** Returns the cases with a cleanup of their ids. The cleanup also runs after a failed case. */
  withCleanup(cases: readonly ConformanceCase[]): readonly ConformanceCase[];
}

/** `clear` removes the objects of one id. */
export function trackObjects<Setup extends CommonSetup>(
  setup: Setup,
  clear: (setup: Setup, id: string) => Promise<void>,
): SuiteObjects<Setup> {
  const ids: string[] = [];
  const newId = (): string => {
    const id = setup.newId();
    ids.push(id);
    return id;
  };
  const clearAll = async (): Promise<void> => {
    for (const id of ids.splice(0)) {
      await clear(setup, id);
    }
  };
  return {
    setup: { ...setup, spec: countingSpecs(setup.spec), newId },
    withCleanup: cases => cases.map(({ name, run }) => ({ name, run: async () => run().finally(clearAll) })),
  };
}

/** Returns the spec of the setup per object. The returned function counts its calls and ignores its arguments. */
function countingSpecs(spec: CommonSetup['spec'] = {}): () => SuiteSpec {
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
