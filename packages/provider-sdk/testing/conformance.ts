// The conformance suite of infrastructure providers: the guarantees for a Cluster, its users and its controller.
import { creationCases } from './cases-of-creation.ts';
import { deletionCases } from './cases-of-deletion.ts';
import { failureCases } from './cases-of-failure.ts';
import { faultCases } from './cases-of-faults.ts';
import { waitingCases } from './cases-of-waiting.ts';
import { beginWorld, clearWorld } from './conformance-fixture.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';
import { trackObjects } from './suite-objects.ts';

/**
 * Returns the cases for one provider kind, for any test runner. Each case creates its own Cluster and object, steps
 * time and cleans up. The cases may run in any order, one at a time. The setup determines whether the failure cases
 * run.
 */
export function infrastructureConformance(setup: ConformanceSetup): readonly ConformanceCase[] {
  const objects = trackObjects(setup, clearWorld);
  const cases = [creationCases, waitingCases, failureCases, deletionCases].flatMap(toCases => toCases(objects.setup));
  const faulty = faultCases({ begin: () => beginWorld(objects.setup), kubernetes: setup.kubernetes });
  return objects.withCleanup([...cases, ...faulty]);
}
