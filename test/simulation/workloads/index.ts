// All workloads. Adding one is a file and a line here.
import { create } from './create.ts';
import { remove } from './delete.ts';
import { deleteEarly } from './delete-early.ts';
import { deleteSlowly } from './delete-slowly.ts';
import { deleteStuck } from './delete-stuck.ts';
import { kubeconfig } from './kubeconfig.ts';
import { lose } from './lose.ts';
import { move } from './move.ts';
import { neighbours } from './neighbours.ts';
import { pause } from './pause.ts';
import { scale } from './scale.ts';
import { several } from './several.ts';
import { slow } from './slow.ts';
import type { Workload } from './workload.ts';

export const workloads: readonly Workload[] = [
  create,
  scale,
  pause,
  remove,
  deleteEarly,
  deleteStuck,
  deleteSlowly,
  lose,
  move,
  kubeconfig,
  neighbours,
];

/** Too large to be killed at each of their calls. */
const largeWorkloads: readonly Workload[] = [several, slow];

/** Throws when there is none of that name. */
export function workloadNamed(name: string): Workload {
  const found = [...workloads, ...largeWorkloads].find(workload => workload.name === name);
  if (found === undefined) {
    throw new RangeError(
      `There is no workload "${name}"; there are ${[...workloads, ...largeWorkloads].map(each => each.name).join(', ')}`,
    );
  }
  return found;
}
