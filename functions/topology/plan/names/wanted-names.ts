// The names that a topology requires, from existing references or to be chosen for new objects.

import { type Checked, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { readString, valueOr } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import type { Blueprint, WorkerTemplates } from '../../../../shared/topology/model/blueprint.ts';
import type { Current } from '../current/current-topology.ts';
import { instanceKindOf } from '../desired/clone.ts';
import { findClass, type WorkerKind, workerProblem } from '../desired/problems.ts';
import type { NameRole } from './name-pattern.ts';

/** One name that an object of the topology needs. */
export interface WantedName {
  readonly role: NameRole;
  /** "" for objects that exist once per Cluster. */
  readonly topologyName: string;
  /** The naming template of the class, "" if there is none. */
  readonly template: string;
  /** The object that gets the name. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The name in an existing reference. This name is kept. */
  readonly held: string | undefined;
  /** The cause of an error, with the prefix of the part of the topology that cannot be computed. */
  toProblem(cause: string): string;
}

export interface Wanted<Name> {
  readonly object: Name;
  /** The names of the templates of a MachineDeployment, or of the objects of a MachinePool. */
  readonly bootstrap: Name;
  readonly infrastructure: Name;
}

/**
 * The names for the control plane. The last one is present only if the class has control plane machine infrastructure.
 */
export function wantedClusterNames({ infrastructureCluster, controlPlane, classSpec }: Blueprint, current: Current) {
  const machine = controlPlane.machineTemplate;
  const computing = (part: string) => (cause: string) => `failed to compute ${part}: ${cause}`;
  const generating =
    (part: string, { kind }: Unstructured) =>
    (cause: string) =>
      computing(part)(`failed to generate the ${part} object from the ${kind}: ${cause}`);
  const ofCluster: WantedName = {
    role: 'InfrastructureCluster',
    topologyName: '',
    template: classSpec.infrastructure.naming.template,
    ...instanceKindOf(infrastructureCluster.template),
    held: current.infrastructureCluster?.metadata.name,
    toProblem: generating('InfrastructureCluster', infrastructureCluster.template),
  };
  const ofControlPlane: WantedName = {
    role: 'ControlPlane',
    topologyName: '',
    template: classSpec.controlPlane.naming.template,
    ...instanceKindOf(controlPlane.template),
    held: current.controlPlane.object?.metadata.name,
    toProblem: generating('ControlPlane', controlPlane.template),
  };
  const ofMachineTemplate: WantedName | undefined = machine && {
    role: 'ControlPlaneMachineTemplate',
    topologyName: '',
    template: '',
    apiVersion: machine.apiVersion,
    kind: machine.kind,
    held: current.controlPlane.machineTemplate?.metadata.name,
    toProblem: computing('ControlPlane InfrastructureMachineTemplate'),
  };
  return {
    infrastructureCluster: ofCluster,
    controlPlane: ofControlPlane,
    controlPlaneMachineTemplate: ofMachineTemplate,
  } as const;
}

interface WorkerRoles {
  readonly object: WorkerKind;
  readonly bootstrap: NameRole;
  readonly infrastructure: NameRole;
  kindOf(template: Unstructured): Pick<Unstructured, 'apiVersion' | 'kind'>;
}

const roles: Readonly<Record<WorkerKind, WorkerRoles>> = {
  MachineDeployment: {
    object: 'MachineDeployment',
    bootstrap: 'MachineDeploymentBootstrapTemplate',
    infrastructure: 'MachineDeploymentInfrastructureTemplate',
    kindOf: template => template,
  },
  MachinePool: {
    object: 'MachinePool',
    bootstrap: 'MachinePoolBootstrapObject',
    infrastructure: 'MachinePoolInfrastructureObject',
    kindOf: instanceKindOf,
  },
};

/**
 * Returns the names by topology name, in the order of the topology. Fails if a topology references a class that does
 * not exist.
 */
export function wantedWorkerNames(
  kind: WorkerKind,
  { topology, className, ...blueprint }: Blueprint,
  current: Current,
): Checked<ReadonlyMap<string, Wanted<WantedName>>> {
  const [topologies, classes, made] =
    kind === 'MachineDeployment'
      ? [topology.workers.machineDeployments, blueprint.machineDeployments, current.machineDeployments]
      : [topology.workers.machinePools, blueprint.machinePools, current.machinePools];
  const wanted = new Map<string, Wanted<WantedName>>();
  for (const each of topologies) {
    const from = findClass<Naming>(each, kind, { classes, className });
    if (!from.ok) {
      return from;
    }
    wanted.set(each.name, wantedOf(kind, each.name, { from: from.value, holder: made.get(each.name)?.object }));
  }
  return valid(wanted);
}

interface Naming {
  readonly naming: { readonly template: string };
}

function wantedOf(
  kind: WorkerKind,
  topologyName: string,
  { from, holder }: { readonly from: WorkerTemplates<Naming>; readonly holder: Unstructured | undefined },
): Wanted<WantedName> {
  const { object, bootstrap, infrastructure, kindOf } = roles[kind];
  const toProblem = (cause: string): string => workerProblem(kind, topologyName, cause);
  const referred = (role: NameRole, template: Unstructured, path: string): WantedName => ({
    role,
    topologyName,
    template: '',
    toProblem,
    apiVersion: kindOf(template).apiVersion,
    kind: kindOf(template).kind,
    held: valueOr(readString(holder, `spec.template.spec.${path}.name`), undefined),
  });
  return {
    object: {
      role: object,
      topologyName,
      template: from.class.naming.template,
      toProblem,
      apiVersion: clusterApiVersion,
      kind,
      held: holder?.metadata.name,
    },
    bootstrap: referred(bootstrap, from.bootstrap, 'bootstrap.configRef'),
    infrastructure: referred(infrastructure, from.infrastructure, 'infrastructureRef'),
  };
}
