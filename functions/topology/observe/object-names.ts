// Chooses the names of the objects of a topology. For new objects, it reads the candidates from the API server
// (docs/decisions/0025).
import { createHash } from 'node:crypto';
import {
  all,
  type Checked,
  invalid,
  mapChecked,
  type ObjectRef,
  type Reads,
  valid,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Current } from '../plan/current/current-topology.ts';
import { toWorkerNames } from '../plan/names/chosen-names.ts';
import {
  type JudgedCandidate,
  judgeCandidate,
  judgeWithShim,
  type NameRotation,
  type NameSearch,
  nextCandidate,
  searchOfRotation,
  startName,
} from '../plan/names/name-candidates.ts';
import type { ChosenName, TopologyNames, WorkerNames } from '../plan/names/topology-names.ts';
import { type Wanted, type WantedName, wantedClusterNames, wantedWorkerNames } from '../plan/names/wanted-names.ts';

type Asked = Pick<Reads, 'get' | 'metadata'>;

/** Errors have the wording of the condition. The caller adds the prefix of the step. */
export async function chooseNames(blueprint: Blueprint, current: Current, ask: Asked): Promise<Checked<TopologyNames>> {
  const workers = all({
    machineDeployments: wantedWorkerNames('MachineDeployment', blueprint, current),
    machinePools: wantedWorkerNames('MachinePool', blueprint, current),
  });
  if (!workers.ok) {
    return workers;
  }
  const wanted = wantedClusterNames(blueprint, current);
  const machineTemplate = wanted.controlPlaneMachineTemplate;
  const choose = chooser(blueprint.cluster, ask);
  const [infrastructureCluster, controlPlaneMachineTemplate, controlPlane, machineDeployments, machinePools] =
    await Promise.all([
      choose(wanted.infrastructureCluster),
      machineTemplate === undefined ? valid(undefined) : choose(machineTemplate),
      choose(wanted.controlPlane),
      chooseWorkers(workers.value.machineDeployments, choose),
      chooseWorkers(workers.value.machinePools, choose),
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

/** Returns a name for the template that replaces another one. */
export function chooseRotatedName(rotation: NameRotation, ask: Asked): Promise<Checked<ChosenName>> {
  return findName(searchOfRotation(rotation), ask);
}

type Choose = (wanted: WantedName) => Promise<Checked<ChosenName>>;

function chooser(cluster: Cluster, ask: Asked): Choose {
  return async wanted => {
    const started = startName(wanted, cluster, sha256);
    const chosen = started.state === 'held' ? valid(started.chosen) : await findName(started.search, ask);
    return chosen.ok ? chosen : invalid(wanted.toProblem(chosen.error));
  };
}

async function chooseWorkers(
  wanted: ReadonlyMap<string, Wanted<WantedName>>,
  choose: Choose,
): Promise<Checked<ReadonlyMap<string, WorkerNames>>> {
  const chosen = await Promise.all(
    [...wanted].map(async ([topologyName, names]) => {
      const [infrastructure, bootstrap, object] = await Promise.all([
        choose(names.infrastructure),
        choose(names.bootstrap),
        choose(names.object),
      ]);
      return { topologyName, wanted: names, chosen: { infrastructure, bootstrap, object } };
    }),
  );
  return toWorkerNames(chosen);
}

/** Stops at the last candidate. */
async function findName(search: NameSearch, ask: Asked): Promise<Checked<ChosenName>> {
  const taken: string[] = [];
  for (;;) {
    const candidate = nextCandidate(search, taken, sha256);
    if (!candidate.ok) {
      return candidate;
    }
    const judged = await lookUp(search, candidate.value, ask);
    switch (judged.state) {
      case 'chosen':
        return valid(judged.chosen);
      case 'failed':
        return invalid(judged.error);
      case 'taken':
        taken.push(candidate.value.name);
    }
  }
}

async function lookUp(
  search: NameSearch,
  ref: ObjectRef,
  ask: Asked,
): Promise<Exclude<JudgedCandidate, { state: 'askShim' }>> {
  const judged = judgeCandidate(search, ref, await ask.get(ref));
  return judged.state === 'askShim' ? judgeWithShim(search, judged.existing, await ask.metadata(judged.ref)) : judged;
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
