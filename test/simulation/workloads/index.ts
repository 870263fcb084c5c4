// All workloads. Adding one is a file and a line here.
import { create } from './create.ts';
import { remove } from './delete.ts';
import { deleteEarly } from './delete-early.ts';
import { deleteStuck } from './delete-stuck.ts';
import { kubeconfig } from './kubeconfig.ts';
import { lose } from './lose.ts';
import { move } from './move.ts';
import { pause } from './pause.ts';
import { scale } from './scale.ts';
import type { Workload } from './workload.ts';

export const workloads: readonly Workload[] = [
  create,
  scale,
  pause,
  remove,
  deleteEarly,
  deleteStuck,
  lose,
  move,
  kubeconfig,
];

/** Throws when there is none of that name. */
export function workloadNamed(name: string): Workload {
  const found = workloads.find(workload => workload.name === name);
  if (found === undefined) {
    throw new RangeError(`There is no workload "${name}"; there are ${workloads.map(each => each.name).join(', ')}`);
  }
  return found;
}
