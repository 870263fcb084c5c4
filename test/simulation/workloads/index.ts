// All workloads. Adding one is a file and a line here.
import { clusterClass } from './class.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { deleteEarly } from './delete-early.ts';
import { deleteSlowly } from './delete-slowly.ts';
import { deleteStuck } from './delete-stuck.ts';
import { extension } from './extension.ts';
import { kubeconfig } from './kubeconfig.ts';
import { lose } from './lose.ts';
import { move } from './move.ts';
import { neighbours } from './neighbours.ts';
import { pause } from './pause.ts';
import { scale } from './scale.ts';
import { several } from './several.ts';
import { slow } from './slow.ts';
import { topologyCreate } from './topology-create.ts';
import { topologyDelete, topologyDeleteEarly } from './topology-delete.ts';
import { topologyLife } from './topology-life.ts';
import { topologyRebase, topologyRotate } from './topology-rotate.ts';
import { topologyDefer, topologyUpgrade } from './topology-upgrade.ts';
import { topologyAdd, topologyRemove, topologyScale } from './topology-workers.ts';
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
  extension,
  neighbours,
  clusterClass,
];

/** Managed topologies: their runs cost more processor time than the others, so the suite takes samples of them. */
export const managedWorkloads: readonly Workload[] = [
  topologyCreate,
  topologyScale,
  topologyAdd,
  topologyRemove,
  topologyUpgrade,
  topologyDefer,
  topologyRotate,
  topologyRebase,
  topologyDelete,
  topologyDeleteEarly,
];

/** Too large to be killed at each of their calls. */
const largeWorkloads: readonly Workload[] = [several, slow, topologyLife];

/** Throws when there is none of that name. */
export function workloadNamed(name: string): Workload {
  const all = [...workloads, ...managedWorkloads, ...largeWorkloads];
  const found = all.find(workload => workload.name === name);
  if (found === undefined) {
    throw new RangeError(`There is no workload "${name}"; there are ${all.map(each => each.name).join(', ')}`);
  }
  return found;
}
