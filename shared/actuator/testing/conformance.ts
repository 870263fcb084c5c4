// The conformance suite of infrastructure providers: what a Cluster, its users and its controller may rely on.
import { creationCases } from './cases-of-creation.ts';
import { deletionCases } from './cases-of-deletion.ts';
import { failureCases } from './cases-of-failure.ts';
import { faultCases } from './cases-of-faults.ts';
import { waitingCases } from './cases-of-waiting.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';
import { clearWorld } from './world.ts';

/**
 * The cases for one provider kind, for any test runner. Each makes a Cluster and an object of its own, steps time itself and
 * takes away what it made; they may run in any order, one at a time. Failures are provoked only as far as the setup tells how.
 */
export function infrastructureConformance(setup: ConformanceSetup): readonly ConformanceCase[] {
  const begun: string[] = [];
  const noting: ConformanceSetup = {
    ...setup,
    newId: () => {
      const id = setup.newId();
      begun.push(id);
      return id;
    },
  };
  const cases = [creationCases, waitingCases, failureCases, deletionCases, faultCases];
  return cases
    .flatMap(toCases => toCases(noting))
    .map(({ name, run }) => ({ name, run: () => tidied(run, setup, begun) }));
}

/** A failing case leaves its objects behind no finalizer either. */
async function tidied(run: () => Promise<void>, setup: ConformanceSetup, begun: string[]): Promise<void> {
  try {
    await run();
  } finally {
    for (const id of begun.splice(0)) {
      await clearWorld(setup, id);
    }
  }
}
