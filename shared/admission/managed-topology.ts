// Validates the topology of a Cluster, alone and against its ClusterClass. Cluster API's webhook refuses invalid
// topologies. If no webhook is called, reconciles report them.
import { type FieldError, forbidden, invalidValue, quote, requiredValue } from '@capi-serverless/apimachinery';
import { printSemver } from '@capi-serverless/apimachinery/semver';
import { parseVersion } from '@capi-serverless/cluster-api/contract';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import { type HealthCheck, isDefinedCheck, isDefinedTemplateRef } from '../api/topology-parts.ts';
import type { Blueprint } from '../topology/model/blueprint.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import { problemsOfMetadata } from '../variables/variable-metadata.ts';
import { problemsOfAutoscaling } from './autoscaling.ts';
import {
  problemsOfHealthCheck,
  problemsOfRollingUpdate,
  problemsOfTaints,
  problemsOfWorkerHealthCheck,
} from './workers.ts';

const path = 'spec.topology';

interface TopologyToCheck extends TopologyWorkersToCheck {
  readonly cluster: { readonly name: string; readonly namespace: string };
}

/**
 * Used by reconciles. Returns all problems that do not depend on the old Cluster, in the words and order of the
 * webhook. Variables are checked elsewhere. Whether taints are propagated is known only to the controllers that create
 * Machines.
 */
export function problemsOfTopology({
  cluster,
  topology,
  className,
  classSpec,
}: Pick<Blueprint, 'cluster' | 'topology' | 'className' | 'classSpec'>): readonly FieldError[] {
  return [
    ...problemsOfTopologyAlone(topology, true),
    ...problemsOfTopologyInClass({ cluster: cluster.metadata, topology, className, classSpec }),
  ];
}

/** The checks that do not need the class. */
export function problemsOfTopologyAlone(topology: ClusterTopology, taintPropagation: boolean): readonly FieldError[] {
  return [
    ...problemsOfSyntax(topology.version),
    ...problemsOfTopologyMetadata(topology),
    ...topology.workers.machineDeployments.flatMap(({ name, rollout }) =>
      problemsOfRollingUpdate(rollout, `${path}.workers.machineDeployments[${name}].rollout.strategy.rollingUpdate`),
    ),
    ...problemsOfTopologyTaints(topology, taintPropagation),
  ];
}

/** Without the class, only autoscaling is checked. */
export function problemsOfTopologyInClass({
  classSpec,
  ...input
}: Omit<TopologyToCheck, 'classSpec'> & { readonly classSpec: ClassSpec | undefined }): readonly FieldError[] {
  const { cluster, topology } = input;
  const { name, namespace } = cluster;
  const ofClass =
    classSpec === undefined
      ? []
      : [
          ...problemsOfListedVersion(topology.version, classSpec),
          ...problemsOfTopologyWorkers({ ...input, classSpec }),
          ...problemsOfTopologyHealthChecks(topology, classSpec),
        ];
  return [
    ...ofClass,
    ...problemsOfAutoscaling({ name, namespace, topology }, classSpec?.workers.machineDeployments ?? []),
  ];
}

function problemsOfSyntax(version: string): readonly FieldError[] {
  const field = `${path}.version`;
  const parsed = parseVersion(version);
  // The tolerant parser adds missing numbers.
  const isWhole = parsed !== undefined && printSemver(parsed) === version.replace(/^v/, '');
  return [
    ...(version.startsWith('v') ? [] : [invalidValue(field, version, 'must start with v')]),
    ...(isWhole ? [] : [invalidValue(field, version, 'version must be a valid semantic version')]),
  ];
}

function problemsOfTopologyMetadata({ controlPlane, workers }: ClusterTopology): readonly FieldError[] {
  const ofWorkers = (list: 'machineDeployments' | 'machinePools') =>
    workers[list].flatMap(({ name, metadata }) =>
      problemsOfMetadata(metadata, `${path}.workers.${list}[${name}].metadata`),
    );
  return [
    ...problemsOfMetadata(controlPlane.metadata, `${path}.controlPlane.metadata`),
    ...ofWorkers('machineDeployments'),
    ...ofWorkers('machinePools'),
  ];
}

function problemsOfTopologyTaints({ controlPlane, workers }: ClusterTopology, allowed: boolean): readonly FieldError[] {
  const ofWorkers = (list: 'machineDeployments' | 'machinePools') =>
    workers[list].flatMap(({ name, taints }) =>
      problemsOfTaints(taints, `${path}.workers.${list}[${name}].taints`, allowed),
    );
  return [
    ...problemsOfTaints(controlPlane.taints, `${path}.controlPlane.taints`, allowed),
    ...ofWorkers('machineDeployments'),
    ...ofWorkers('machinePools'),
  ];
}

function problemsOfListedVersion(version: string, { kubernetesVersions }: ClassSpec): readonly FieldError[] {
  const detail = 'version must match one of the versions defined in the ClusterClass';
  return kubernetesVersions.length === 0 || kubernetesVersions.includes(version)
    ? []
    : [invalidValue(`${path}.version`, version, detail)];
}

/** Checks the health checks in a topology: their fields, and whether a check is defined if it is enabled. */
function problemsOfTopologyHealthChecks(
  { controlPlane, workers }: ClusterTopology,
  classSpec: ClassSpec,
): readonly FieldError[] {
  const ofWorkers = workers.machineDeployments.flatMap(({ name, class: className, healthCheck }) => {
    const field = `spec.topology.workers.machineDeployments[${name}].healthCheck`;
    const ofClass = classSpec.workers.machineDeployments.find(each => each.class === className);
    return [
      ...(isDefinedCheck(healthCheck) ? problemsOfWorkerHealthCheck(healthCheck, field) : []),
      // A missing class is reported as an error of the class name.
      ...(ofClass === undefined ? [] : problemsOfSwitch(healthCheck, ofClass.healthCheck, field)),
    ];
  });
  return [...problemsOfControlPlane(controlPlane.healthCheck, classSpec), ...ofWorkers];
}

function problemsOfControlPlane(healthCheck: HealthCheck, { controlPlane }: ClassSpec): readonly FieldError[] {
  const field = 'spec.topology.controlPlane.healthCheck';
  const detail = 'can be only set if spec.controlPlane.machineInfrastructure is set in ClusterClass';
  const hasMachines = isDefinedTemplateRef(controlPlane.machineInfrastructure.templateRef);
  const ofDefinition = isDefinedCheck(healthCheck)
    ? [...(hasMachines ? [] : [forbidden(field, detail)]), ...problemsOfHealthCheck(healthCheck, field)]
    : [];
  return [...ofDefinition, ...problemsOfSwitch(healthCheck, controlPlane.healthCheck, field)];
}

/** The field name in the message is upstream's. */
function problemsOfSwitch(own: HealthCheck, ofClass: HealthCheck, field: string): readonly FieldError[] {
  const detail =
    'cannot be set to true as healthCheck definition is not available in the Cluster topology or the ClusterClass';
  return own.enabled !== true || isDefinedCheck(own) || isDefinedCheck(ofClass)
    ? []
    : [forbidden(`${field}.enable`, detail)];
}

type WorkerList = 'machineDeployments' | 'machinePools';

const workerKinds = { machineDeployments: 'MachineDeployment', machinePools: 'MachinePool' } as const;

interface TopologyWorkersToCheck {
  readonly topology: ClusterTopology;
  readonly className: { readonly name: string };
  readonly classSpec: ClassSpec;
}

/** Each worker needs a unique name and a class that the ClusterClass defines. */
function problemsOfTopologyWorkers(input: TopologyWorkersToCheck): readonly FieldError[] {
  return [...problemsOfList('machineDeployments', input), ...problemsOfList('machinePools', input)];
}

function problemsOfList(
  list: WorkerList,
  { topology, className, classSpec }: TopologyWorkersToCheck,
): readonly FieldError[] {
  const kind = workerKinds[list];
  const classes = new Set(classSpec.workers[list].map(each => each.class));
  const names = new Set<string>();
  return topology.workers[list].flatMap((each, index) => {
    const field = `spec.topology.workers.${list}[${index}]`;
    const missing = `${kind}Class with name ${quote(each.class)} does not exist in ClusterClass ${quote(className.name)}`;
    const repeated = `name must be unique. ${kind} with name ${quote(each.name)} is defined more than once`;
    const isRepeated = names.has(each.name);
    names.add(each.name);
    const ofName =
      each.name === ''
        ? [requiredValue(`${field}.name`, 'name must not be empty')]
        : isRepeated
          ? [invalidValue(`${field}.name`, each.name, repeated)]
          : [];
    return [...(classes.has(each.class) ? [] : [invalidValue(`${field}.class`, each.class, missing)]), ...ofName];
  });
}
