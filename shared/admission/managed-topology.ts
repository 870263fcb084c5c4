// Validates the topology of a Cluster, alone and against its ClusterClass. Cluster API's webhook refuses invalid
// topologies. If no webhook is called, reconciles report them.
import { type FieldError, invalidValue } from '@capi-serverless/apimachinery';
import { printSemver } from '@capi-serverless/apimachinery/semver';
import { parseVersion } from '@capi-serverless/cluster-api/contract';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import type { Blueprint } from '../topology/model/blueprint.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import { problemsOfMetadata } from '../variables/variable-metadata.ts';
import { problemsOfAutoscaling } from './autoscaling.ts';
import { problemsOfTopologyHealthChecks } from './topology-health-checks.ts';
import { problemsOfTopologyWorkers, type TopologyWorkersToCheck } from './topology-workers.ts';
import { problemsOfRollingUpdate, problemsOfTaints } from './workers.ts';

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
