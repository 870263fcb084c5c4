// The conformance suite of infrastructure providers: the guarantees for a Cluster, its users and its controller.
import { creationCases } from './cases-of-creation.ts';
import { deletionCases } from './cases-of-deletion.ts';
import { failureCases } from './cases-of-failure.ts';
import { faultCases } from './cases-of-faults.ts';
import { waitingCases } from './cases-of-waiting.ts';
import { tidied } from './life.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';
import { countingSpecs } from './specs.ts';
import { beginWorld, clearWorld } from './world.ts';

/**
 * Returns the cases for one provider kind, for any test runner. Each case creates its own Cluster and object, steps
 * time and cleans up. The cases may run in any order, one at a time. The setup determines whether the failure cases
 * run.
 */
export function infrastructureConformance(setup: ConformanceSetup): readonly ConformanceCase[] {
  const begun: string[] = [];
  const noting: ConformanceSetup = {
    ...setup,
    spec: countingSpecs(setup.spec),
    newId: () => {
      const id = setup.newId();
      begun.push(id);
      return id;
    },
  };
  const cases = [creationCases, waitingCases, failureCases, deletionCases].flatMap(toCases => toCases(noting));
  const faulty = faultCases({ begin: () => beginWorld(noting), kubernetes: setup.kubernetes });
  return [...cases, ...faulty].map(({ name, run }) => ({
    name,
    run: () => tidied(run, async () => clearWorlds(setup, begun.splice(0))),
  }));
}

async function clearWorlds(setup: ConformanceSetup, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await clearWorld(setup, id);
  }
}
