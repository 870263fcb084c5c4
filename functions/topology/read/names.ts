// Names for the objects of a topology (docs/decisions/0025): what references hold stays; for a new object a name is computed
// and looked up first, so that a repeated or parallel create can never make a second object.
import { createHash } from 'node:crypto';
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { quote } from '../../../shared/api/field-error.ts';
import { type Intent, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import type { ChosenName, TopologyNames, WorkerNames } from '../../../shared/topology/model/names.ts';
import { shimNameOf } from '../../../shared/topology/model/shim.ts';
import { toCanonicalText } from '../../../shared/topology/names/canonical.ts';
import { isOurs, namesShim } from '../../../shared/topology/names/ours.ts';
import { type NameRole, toName } from '../../../shared/topology/names/pattern.ts';
import { randomnessOf } from '../../../shared/topology/names/random.ts';
import {
  type Wanted,
  type WantedName,
  wantedClusterNames,
  wantedWorkerNames,
} from '../../../shared/topology/names/wanted.ts';
import { prefixed } from './checks.ts';

type Asked = Pick<Reads, 'get' | 'metadata'>;

/** Candidates 0 to 4. Only somebody who takes names on purpose makes a second one necessary. */
const lastCandidate = 4;

/**
 * For objects that are there the name that they have, whatever a naming template says now; an error in one is told all the
 * same. Errors are worded as the condition shows them, without the words for the whole step.
 */
export async function chooseNames(blueprint: Blueprint, current: Current, ask: Asked): Promise<Checked<TopologyNames>> {
  const one = wantedClusterNames(blueprint, current);
  const machineDeployments = wantedWorkerNames('MachineDeployment', blueprint, current);
  if (!machineDeployments.ok) {
    return machineDeployments;
  }
  const machinePools = wantedWorkerNames('MachinePool', blueprint, current);
  if (!machinePools.ok) {
    return machinePools;
  }
  const choose = chooser(blueprint.cluster, ask);
  const machineTemplate = one.controlPlaneMachineTemplate;
  const [infrastructureCluster, controlPlaneMachineTemplate, controlPlane, deployments, pools] = await Promise.all([
    choose(one.infrastructureCluster),
    machineTemplate === undefined ? valid(undefined) : choose(machineTemplate),
    choose(one.controlPlane),
    chooseWorkers(machineDeployments.value, choose),
    chooseWorkers(machinePools.value, choose),
  ]);
  if (!infrastructureCluster.ok) {
    return infrastructureCluster;
  }
  if (!controlPlaneMachineTemplate.ok) {
    return controlPlaneMachineTemplate;
  }
  if (!controlPlane.ok) {
    return controlPlane;
  }
  if (!deployments.ok) {
    return deployments;
  }
  if (!pools.ok) {
    return pools;
  }
  const machine = controlPlaneMachineTemplate.value;
  return valid({
    infrastructureCluster: infrastructureCluster.value,
    controlPlane: controlPlane.value,
    ...(machine === undefined ? {} : { controlPlaneMachineTemplate: machine }),
    machineDeployments: deployments.value,
    machinePools: pools.value,
  });
}

export interface Rotation {
  readonly cluster: Cluster;
  readonly role: Extract<NameRole, `${string}Template`>;
  /** "" for the control plane's machine template. */
  readonly topologyName: string;
  /** What the new template shall be. Its name is the one that the reference holds now. */
  readonly intent: Intent;
}

/** A new name for a template whose spec changes. The same change to the same template always gets the same name. */
export function chooseRotatedName(rotation: Rotation, ask: Asked): Promise<Checked<ChosenName>> {
  const { cluster, role, topologyName, intent } = rotation;
  const { name, uid: _, ...metadata } = intent.metadata;
  const candidates: Candidates = {
    ...{ role, topologyName, template: '', apiVersion: intent.apiVersion, kind: intent.kind },
    seed: [name, toCanonicalText({ ...intent, metadata })],
  };
  return findName(candidates, cluster, ask);
}

type Choose = (wanted: WantedName) => Promise<Checked<ChosenName>>;

function chooser(cluster: Cluster, ask: Asked): Choose {
  return async wanted => {
    const candidates: Candidates = { ...wanted, seed: [''] };
    const first = nameOf(candidates, cluster, 0);
    const { held } = wanted;
    const chosen = first.ok && held !== undefined ? valid({ name: held }) : await findName(candidates, cluster, ask);
    return chosen.ok ? chosen : invalid(wanted.toProblem(chosen.error));
  };
}

/** The first problem in the order of the topology. */
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
      return { topologyName, names, infrastructure, bootstrap, object };
    }),
  );
  const made = new Map<string, WorkerNames>();
  for (const { topologyName, names, infrastructure, bootstrap, object } of chosen) {
    if (!infrastructure.ok) {
      return infrastructure;
    }
    if (!bootstrap.ok) {
      return bootstrap;
    }
    if (!object.ok) {
      return object;
    }
    const rival = [...made].find(([, { object: other }]) => other.name === object.value.name);
    if (rival !== undefined) {
      const cause = `topology ${quote(rival[0])} has the name ${object.value.name} already; make the naming template of the class tell them apart`;
      return invalid(names.object.toProblem(cause));
    }
    made.set(topologyName, { object: object.value, bootstrap: bootstrap.value, infrastructure: infrastructure.value });
  }
  return valid(made);
}

/** Everything that names for one purpose follow from. */
interface Candidates extends Pick<WantedName, 'role' | 'topologyName' | 'template' | 'apiVersion' | 'kind'> {
  /** The name that the reference holds now, "" where it holds none; of what is rotated, its content, too. */
  readonly seed: readonly string[];
}

function nameOf({ seed, ...pattern }: Candidates, { metadata }: Cluster, n: number): Checked<string> {
  const { role, topologyName, kind } = pattern;
  const randomness = randomnessOf([metadata.uid, role, topologyName, ...seed], n, sha256);
  const name = toName({ ...pattern, clusterName: metadata.name }, randomness);
  return prefixed(name, `failed to generate name for ${kind}`);
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** The first candidate that is free or ours. */
async function findName(candidates: Candidates, cluster: Cluster, ask: Asked): Promise<Checked<ChosenName>> {
  const { apiVersion, kind, topologyName } = candidates;
  const { namespace } = cluster.metadata;
  const taken: string[] = [];
  for (let n = 0; n <= lastCandidate; n += 1) {
    const candidate = nameOf(candidates, cluster, n);
    if (!candidate.ok) {
      return candidate;
    }
    const name = candidate.value;
    if (taken.includes(name)) {
      break;
    }
    const answer = await ask.get({ apiVersion, kind, namespace, name });
    if (!answer.ok) {
      const problem = `failed to look up ${kind} ${toDisplayName({ namespace, name })}: ${answer.failure.message}`;
      return answer.missing ? valid({ name }) : invalid(problem);
    }
    const found = await belongsTo({ cluster, topologyName }, answer.value, ask);
    if (!found.ok) {
      return found;
    }
    if (found.value) {
      return valid({ name, existing: answer.value });
    }
    taken.push(name);
  }
  const names = taken.map(name => toDisplayName({ namespace, name })).join(', ');
  const obstacle = `taken by what is being deleted or does not belong to Cluster ${toDisplayName(cluster.metadata)}`;
  return invalid(`failed to find a name for ${kind}: ${obstacle}: ${names}; delete or rename what is in the way`);
}

/** Asks for the shim only where the object says that the shim is its owner. */
async function belongsTo(
  claim: { readonly cluster: Cluster; readonly topologyName: string },
  existing: Unstructured,
  ask: Asked,
): Promise<Checked<boolean>> {
  if (!namesShim(existing, claim.cluster)) {
    return valid(isOurs(existing, { ...claim, shimUid: undefined }));
  }
  const { namespace, name: clusterName } = claim.cluster.metadata;
  const name = shimNameOf(clusterName);
  const shim = await ask.metadata({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  return shim.ok || shim.missing
    ? valid(isOurs(existing, { ...claim, shimUid: shim.ok ? shim.value.uid : undefined }))
    : invalid(`failed to read the cluster shim object: ${shim.failure.message}`);
}
