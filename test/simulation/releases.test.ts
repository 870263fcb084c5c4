// A release is deployed while messages of the former one are in the queues. The functions of the new one serve them.
import { describe, expect, it } from 'vitest';
import { isFull } from '../support/extent.ts';
import { calm, noFaults } from './engine/faults.ts';
import { type RunResult, runSimulation } from './run.ts';
import { differences } from './trial.ts';
import { workloadNamed } from './workloads/found.ts';

const seeds = Array.from({ length: isFull ? 25 : 6 }, (_, index) => `release-${index}`);
/** Per second. Until the first one, all messages have the form of the former release. */
const faults = { ...noFaults, rates: { ...calm, deployment: 0.1 } };

function inFlight({ trace }: RunResult): number {
  const counts = trace.faults.flatMap(line => line.match(/deployed, (\d+) messages of the former one/)?.[1] ?? []);
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

describe.each(['per-kind', 'compact'] as const)('a deployment with the layout %s', layout => {
  it.each(['create', 'delete'])('serves messages of the former release that are in flight: %s', async name => {
    const workload = { ...workloadNamed(name), layout };
    const expected = await runSimulation({ workload, seed: 'undisturbed' });
    let former = 0;
    for (const seed of seeds) {
      const found = await runSimulation({ workload, seed, faults });
      expect(found.violations, seed).toEqual([]);
      expect(differences(found.end, expected.end), seed).toEqual([]);
      former += inFlight(found);
    }
    expect(former).toBeGreaterThan(2);
  });
});
