// What may stand in a Cluster's topology: on its own, and by its ClusterClass. Cluster API's webhook refuses the rest when it is
// written; where nobody asks a webhook, reconciles tell it.
import { type FieldError, invalidValue } from '../api/field-error.ts';
import { parseVersion, toVersionText } from '../contract/version.ts';
import type { Blueprint } from '../topology/model/blueprint.ts';
import type { ClassSpec } from '../topology/model/class-spec.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import { problemsOfMetadata } from '../variables/metadata.ts';
import { problemsOfAutoscaling } from './autoscaling.ts';
import { readRollingUpdate, readTaints } from './class.ts';
import { problemsOfTopologyHealthChecks } from './topology-health-checks.ts';
import { problemsOfTopologyWorkers } from './topology-workers.ts';
import { problemsOfRollingUpdate, problemsOfTaints } from './workers.ts';

const path = 'spec.topology';

export interface TopologyToCheck {
  readonly cluster: { readonly name: string; readonly namespace: string };
  readonly topology: ClusterTopology;
  readonly className: { readonly name: string };
  readonly classSpec: ClassSpec;
}

/**
 * For reconciles: every reason, in the webhook's words and order, that needs no older Cluster to be seen. Variables are judged
 * elsewhere, and whether taints are propagated is known to those who make Machines alone.
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

/** What needs no class. */
export function problemsOfTopologyAlone(topology: ClusterTopology, taintPropagation: boolean): readonly FieldError[] {
  return [
    ...problemsOfSyntax(topology.version),
    ...problemsOfTopologyMetadata(topology),
    ...topology.workers.machineDeployments.flatMap(({ name, rollout }) =>
      problemsOfRollingUpdate(
        readRollingUpdate(rollout),
        `${path}.workers.machineDeployments[${name}].rollout.strategy.rollingUpdate`,
      ),
    ),
    ...problemsOfTopologyTaints(topology, taintPropagation),
  ];
}

/** Without the class little can be told. */
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
  // A tolerant reading fills in what is missing.
  const isWhole = parsed !== undefined && toVersionText(parsed).slice(1) === version.replace(/^v/, '');
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
      problemsOfTaints(readTaints(taints), `${path}.workers.${list}[${name}].taints`, allowed),
    );
  return [
    ...problemsOfTaints(readTaints(controlPlane.taints), `${path}.controlPlane.taints`, allowed),
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
