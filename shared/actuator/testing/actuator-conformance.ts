// The conformance suite of actuators, which act on a Cluster of the first generation itself.
import { beginActuatorWorld, clearActuatorWorld } from './actuator-world.ts';
import { actuatorCases } from './cases-of-actuators.ts';
import { faultCases } from './cases-of-faults.ts';
import { tidied } from './life.ts';
import type { ActuatorConformanceSetup, ConformanceCase } from './setup.ts';
import { countingSpecs } from './specs.ts';

/**
 * The cases for one actuator, for any test runner. Each makes a Cluster of its own, steps time itself and takes away what it
 * made; they may run in any order, one at a time. Failures are provoked and children made only as far as the setup tells how.
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
