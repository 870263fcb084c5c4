// All planted bugs.
import type { PlantedBug } from '../bug.ts';
import { clusterBugs } from './cluster.ts';
import { resourceSetBugs } from './clusterresourceset.ts';
import { kernelBugs } from './kernel.ts';
import { machineBugs } from './machine.ts';
import { machineDeploymentBugs } from './machinedeployment.ts';
import { healthCheckBugs } from './machinehealthcheck.ts';
import { machinePoolBugs } from './machinepool.ts';
import { queueBugs } from './queues.ts';
import { sourceBugs } from './sources.ts';
import { topologyBugs } from './topology.ts';

export const bugs: readonly PlantedBug[] = [
  ...queueBugs,
  ...kernelBugs,
  ...sourceBugs,
  ...clusterBugs,
  ...machineBugs,
  ...resourceSetBugs,
  ...machineDeploymentBugs,
  ...healthCheckBugs,
  ...machinePoolBugs,
  ...topologyBugs,
];

/** Throws if no bug has this name. */
export function bugNamed(name: string): PlantedBug {
  const found = bugs.find(bug => bug.name === name);
  if (found === undefined) {
    throw new RangeError(`There is no planted bug "${name}"; there are ${bugs.map(bug => bug.name).join(', ')}`);
  }
  return found;
}
