// Chooses the names of the objects of a topology. Candidates for new objects are read from the API server
// (docs/decisions/0025).
import { all, type Checked, invalid, mapChecked, quote, valid, withoutUndefined } from '@capi-serverless/apimachinery';
import { type AskingPlan, together } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type { Current } from '../current/current-topology.ts';
import type { ReadQuestion } from '../questions.ts';
import { chooseName } from './name-candidates.ts';
import type { ChosenName, TopologyNames, WorkerNames } from './topology-names.ts';
import { type Wanted, type WantedName, wantedClusterNames, wantedWorkerNames } from './wanted-names.ts';

/**
 * All names are searched at the same time. Errors have the wording of the condition. The caller adds the prefix of the
 * step.
 */
export function* chooseNames(blueprint: Blueprint, current: Current): AskingPlan<ReadQuestion, Checked<TopologyNames>> {
  const workers = all({
    machineDeployments: wantedWorkerNames('MachineDeployment', blueprint, current),
    machinePools: wantedWorkerNames('MachinePool', blueprint, current),
  });
  if (!workers.ok) {
    return workers;
  }
  const { cluster } = blueprint;
  const wanted = wantedClusterNames(blueprint, current);
  const [infrastructureCluster, controlPlaneMachineTemplate, controlPlane, machineDeployments, machinePools] =
    yield* together([
      choose(wanted.infrastructureCluster, cluster),
      chooseIfWanted(wanted.controlPlaneMachineTemplate, cluster),
      choose(wanted.controlPlane, cluster),
      chooseWorkers(workers.value.machineDeployments, cluster),
      chooseWorkers(workers.value.machinePools, cluster),
    ]);
  const names = all({
    infrastructureCluster,
    controlPlaneMachineTemplate,
    controlPlane,
    machineDeployments,
    machinePools,
  });
  return mapChecked(names, ({ controlPlaneMachineTemplate: machine, ...others }) => ({
    ...others,
    ...withoutUndefined({ controlPlaneMachineTemplate: machine }),
  }));
}

function* choose(wanted: WantedName, cluster: Cluster): AskingPlan<ReadQuestion, Checked<ChosenName>> {
  const chosen = yield* chooseName(wanted, cluster);
  return chosen.ok ? chosen : invalid(wanted.toProblem(chosen.error));
}

function* chooseIfWanted(
  wanted: WantedName | undefined,
  cluster: Cluster,
): AskingPlan<ReadQuestion, Checked<ChosenName | undefined>> {
  return wanted === undefined ? valid(undefined) : yield* choose(wanted, cluster);
}

function* chooseWorkers(
  workers: ReadonlyMap<string, Wanted<WantedName>>,
  cluster: Cluster,
): AskingPlan<ReadQuestion, Checked<ReadonlyMap<string, WorkerNames>>> {
  return toWorkerNames(yield* together([...workers].map(worker => chooseWorker(worker, cluster))));
}

function* chooseWorker(
  [topologyName, wanted]: readonly [string, Wanted<WantedName>],
  cluster: Cluster,
): AskingPlan<ReadQuestion, ChosenWorker> {
  const [infrastructure, bootstrap, object] = yield* together([
    choose(wanted.infrastructure, cluster),
    choose(wanted.bootstrap, cluster),
    choose(wanted.object, cluster),
  ]);
  return { topologyName, wanted, chosen: { infrastructure, bootstrap, object } };
}

export interface ChosenWorker {
  readonly topologyName: string;
  readonly wanted: Wanted<WantedName>;
  readonly chosen: Wanted<Checked<ChosenName>>;
}

/** Returns the unique names by topology name, or the first problem in the order of the topology. */
export function toWorkerNames(workers: readonly ChosenWorker[]): Checked<ReadonlyMap<string, WorkerNames>> {
  const named = new Map<string, WorkerNames>();
  for (const { topologyName, wanted, chosen } of workers) {
    const { infrastructure, bootstrap, object } = chosen;
    const names = all({ infrastructure, bootstrap, object });
    if (!names.ok) {
      return names;
    }
    const { name } = names.value.object;
    const other = [...named].find(([, each]) => each.object.name === name);
    if (other !== undefined) {
      const cause = `topology ${quote(other[0])} has the name ${name} already; change the naming template of the class so that the names differ`;
      return invalid(wanted.object.toProblem(cause));
    }
    named.set(topologyName, names.value);
  }
  return valid(named);
}
