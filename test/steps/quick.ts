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

/** Mostly waits. It writes the bundles when it begins, long before infra reads them. */
const localRun = suite('local-run');

const quickLanes: readonly (readonly LaneStep[])[] = [
  [suite('unit'), suite('virtual'), suite('ports')],
  [suite('unit-uncovered'), suite('infra')],
  [localRun, simulationSample],
];

/** The same suites with the full extent, and with the coverage of the unit tests. */
const fullLanes: readonly (readonly LaneStep[])[] = [
  [
    suite('unit', { command: ['npm', 'run', '--silent', 'test:coverage'] }),
    suite('unit-uncovered'),
    suite('virtual'),
    suite('infra'),
    suite('ports'),
  ],
  [suite('simulation')],
  [localRun],
];

/** Returns the lanes of `npm test`, or those of `CAPI_TEST_EXTENT=full npm test`. */
export function testLanes({ isFull }: { readonly isFull: boolean }): readonly (readonly LaneStep[])[] {
  const quick = (step: LaneStep): LaneStep => ({ ...step, env: { CAPI_TEST_EXTENT: 'quick', ...step.env } });
  return isFull ? fullLanes : quickLanes.map(lane => lane.map(quick));
}
