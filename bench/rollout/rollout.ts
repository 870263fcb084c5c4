// Section `rollout`: a MachineDeployment that replaces its Machines. Compares this project with upstream's manager.

import { withMachines } from '../machines/with-machines.ts';
import type { Section } from '../section.ts';
import { type CompareOptions, compare, upstreamAsReleased } from '../subjects/compared-section.ts';
import { type RolloutSizes, RolloutWorkload } from './rollout-workload.ts';
import { toRows } from './rows.ts';

export const fullSizes: RolloutSizes = { replicas: 10, rollouts: 1 };
export const quickSizes: RolloutSizes = { replicas: 2, rollouts: 1 };

/** Each subject has its own control plane. */
export function measureRollout(sizes: RolloutSizes, options: CompareOptions): Promise<Section> {
  const { say } = options;
  return compare(
    {
      name: 'rollout',
      title: `Rollout of a MachineDeployment with ${sizes.replicas} Machines`,
      upstreams: program => [upstreamAsReleased(program)],
      measure: (subject, crds) =>
        withMachines(subject, { crds, say, open: RolloutWorkload.open }, workload => workload.measureAll(sizes)),
      toRows,
    },
    options,
  );
}
