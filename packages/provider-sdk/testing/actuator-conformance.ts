// The conformance suite of actuators, which handle a v1alpha1 Cluster itself.
import { beginActuatorWorld, clearActuatorWorld } from './actuator-world.ts';
import { actuatorCases } from './cases-of-actuators.ts';
import { faultCases } from './cases-of-faults.ts';
import { tidied } from './life.ts';
import type { ActuatorConformanceSetup, ConformanceCase } from './setup.ts';
import { countingSpecs } from './specs.ts';

/**
 * Returns the cases for one actuator, for any test runner. Each case creates its own Cluster, steps time and cleans up.
 * The cases may run in any order, one at a time. The setup determines whether the cases of failures and children run.
 */
export function actuatorConformance(setup: ActuatorConformanceSetup): readonly ConformanceCase[] {
  const begun: string[] = [];
  const noting: ActuatorConformanceSetup = {
    ...setup,
    spec: countingSpecs(setup.spec),
    newId: () => {
      const id = setup.newId();
      begun.push(id);
      return id;
    },
  };
  const faulty = faultCases({ begin: () => beginActuatorWorld(noting), kubernetes: setup.kubernetes });
  const tidy = async (): Promise<void> => {
    for (const id of begun.splice(0)) {
      await clearActuatorWorld(setup, id);
    }
  };
  return [...actuatorCases(noting), ...faulty].map(({ name, run }) => ({ name, run: () => tidied(run, tidy) }));
}
