// The conformance suite of actuators, which handle a v1alpha1 Cluster itself.
import { beginActuatorWorld, clearActuatorWorld } from './actuator-fixture.ts';
import { actuatorCases } from './cases-of-actuators.ts';
import { faultCases } from './cases-of-faults.ts';
import type { ActuatorConformanceSetup, ConformanceCase } from './setup.ts';
import { trackObjects } from './suite-objects.ts';

/**
 * Returns the cases for one actuator, for any test runner. Each case creates its own Cluster, steps time and cleans up.
 * The cases may run in any order, one at a time. The setup determines whether the cases of failures and children run.
 */
export function actuatorConformance(setup: ActuatorConformanceSetup): readonly ConformanceCase[] {
  const objects = trackObjects(setup, clearActuatorWorld);
  const faulty = faultCases({ begin: () => beginActuatorWorld(objects.setup), kubernetes: setup.kubernetes });
  return objects.withCleanup([...actuatorCases(objects.setup), ...faulty]);
}
