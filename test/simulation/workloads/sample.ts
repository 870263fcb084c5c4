// The workloads of a short run.
import { isFull } from '../../support/extent.ts';
import { createRandom } from '../engine/random.ts';
import type { Workload } from './workload.ts';

/** The life of a Cluster, of a Machine and of a managed topology. */
const always: readonly string[] = ['create', 'delete', 'machine-life', 'topology-create'];
const shareOfOthers = 1 / 4;

/** Returns all with the full extent. Otherwise the names of workloads determine which of them it is. */
export function sampleOf(workloads: readonly Workload[]): readonly Workload[] {
  const isChosen = (name: string): boolean =>
    always.includes(name) || createRandom(`workload/${name}`).chance(shareOfOthers);
  return isFull ? workloads : workloads.filter(({ name }) => isChosen(name));
}
