// Computes the desired state of a topology before patches. Pure function of blueprint, current state, names and
// versions.
import { type Checked, invalid, mapChecked, valid, withoutUndefined } from '@capi-serverless/apimachinery';
import type { Blueprint, WorkerTemplates } from '../../../../shared/topology/model/blueprint.ts';
import type { Current } from '../current/current-topology.ts';
import type { TopologyNames, WorkerNames } from '../names/topology-names.ts';
import type { Versions, WorkerProgress } from '../upgrade/version-progress.ts';
import { templateToObject, templateToTemplate } from './clone.ts';
import { computeControlPlane } from './desired-control-plane.ts';
import type { Desired, DesiredControlPlane } from './desired-topology.ts';
import { computeHealthCheck, controlPlaneSelector } from './health-check.ts';
import { computeMachineDeployment } from './machine-deployment.ts';
import { computeMachinePool } from './machine-pool.ts';
import { findClass, type WorkerKind, workerProblem } from './problems.ts';
import { clusterAsOwner, shimOwnerOf } from './topology-metadata.ts';

export interface DesiredInput {
  readonly blueprint: Blueprint;
  readonly current: Current;
  readonly names: TopologyNames;
  readonly versions: Versions;
}

/**
 * Returns the desired objects, including workers with a pending creation or upgrade. Errors have the wording of the
 * condition. The caller adds the prefix of the step.
 */
export function computeDesired(input: DesiredInput): Checked<Desired> {
  const { blueprint, current, names, versions } = input;
  const { cluster, topology, className } = blueprint;
  const controlPlane = computeControlPlaneParts(input);
  if (!controlPlane.ok) {
    return invalid(`failed to compute ControlPlane: ${controlPlane.error}`);
  }
  const machineDeployments = computeWorkers(topology.workers.machineDeployments, {
    kind: 'MachineDeployment',
    classes: blueprint.machineDeployments,
    className,
    names: names.machineDeployments,
    progress: versions.machineDeployments,
    compute: parts => computeMachineDeployment({ cluster, ...parts }),
  });
  if (!machineDeployments.ok) {
    return machineDeployments;
  }
  const machinePools = computeWorkers(topology.workers.machinePools, {
    kind: 'MachinePool',
    classes: blueprint.machinePools,
    className,
    names: names.machinePools,
    progress: versions.machinePools,
    compute: parts => computeMachinePool({ cluster, ...parts }),
  });
  if (!machinePools.ok) {
    return machinePools;
  }
  return valid({
    upgradeStep: versions.isUpgradeInProgress ? versions.controlPlane.version : undefined,
    infrastructureCluster: templateToObject({
      cluster,
      template: blueprint.infrastructureCluster.template,
      name: names.infrastructureCluster.name,
      owner: shimOwnerOf(current.infrastructureCluster, cluster),
    }),
    controlPlane: controlPlane.value,
    machineDeployments: machineDeployments.value,
    machinePools: machinePools.value,
  });
}

function computeControlPlaneParts({ blueprint, current, names, versions }: DesiredInput): Checked<DesiredControlPlane> {
  const { cluster, topology, controlPlane } = blueprint;
  const template = controlPlane.machineTemplate;
  const machineName = names.controlPlaneMachineTemplate?.name;
  const machineTemplate =
    template === undefined || machineName === undefined
      ? undefined
      : templateToTemplate({ cluster, template, name: machineName, owner: clusterAsOwner(cluster) });
  const computed = computeControlPlane({
    blueprint,
    machineTemplate,
    current: current.controlPlane,
    name: names.controlPlane.name,
    version: versions.controlPlane.version,
  });
  return mapChecked(computed, object => {
    if (machineTemplate === undefined) {
      return { object };
    }
    const watched = { cluster, object, selector: controlPlaneSelector };
    const healthCheck = computeHealthCheck(topology.controlPlane.healthCheck, controlPlane.healthCheck, watched);
    return { object, machineTemplate, ...withoutUndefined({ healthCheck }) };
  });
}

interface Workers<Topology, Class, Made> {
  readonly kind: WorkerKind;
  readonly classes: ReadonlyMap<string, WorkerTemplates<Class>>;
  readonly className: Blueprint['className'];
  readonly names: ReadonlyMap<string, WorkerNames>;
  readonly progress: WorkerProgress;
  compute(parts: {
    readonly topology: Topology;
    readonly from: WorkerTemplates<Class>;
    readonly names: WorkerNames;
    readonly version: string;
  }): Made;
}

/** Returns the workers by topology name in the order of the topology, or the first problem in this order. */
function computeWorkers<Topology extends { readonly name: string; readonly class: string }, Class, Made>(
  topologies: readonly Topology[],
  workers: Workers<Topology, Class, Made>,
): Checked<ReadonlyMap<string, Made>> {
  const made = new Map<string, Made>();
  for (const topology of topologies) {
    const from = findClass(topology, workers.kind, workers);
    if (!from.ok) {
      return from;
    }
    const names = workers.names.get(topology.name);
    const version = workers.progress.versions.get(topology.name);
    if (names === undefined || version === undefined) {
      return invalid(workerProblem(workers.kind, topology.name, 'it has no name or no version yet'));
    }
    made.set(topology.name, workers.compute({ topology, from: from.value, names, version }));
  }
  return valid(made);
}
