// The steps of `npm test`.
import type { LaneStep } from './lanes.ts';

/** A project of vitest.config.ts. */
export function suite(name: string, more: Partial<LaneStep> = {}): LaneStep {
  return {
    name,
    command: ['npm', 'run', '--silent', `test:${name}`],
    ...more,
    env: { CAPI_TEST_SUITE: name, ...more.env },
  };
}

/**
 * A few seeds and kill points of the simulation. `npm run test:simulation` runs all. The simulation uses one core,
 * because the other lane needs the other core. Each additional worker would compute the runs without faults again.
 */
const simulationSample = suite('simulation', {
  command: ['npx', 'vitest', 'run', '--project', 'simulation'],
  env: { CAPI_SIMULATION_WORKERS: '1' },
});

export const quickLanes: readonly (readonly LaneStep[])[] = [
  [suite('unit'), suite('virtual'), simulationSample, suite('ports')],
  [suite('local-run'), suite('infra')],
];
