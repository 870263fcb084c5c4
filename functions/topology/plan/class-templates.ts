// The templates of a ClusterClass by purpose.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { ClassSpec } from '../../../shared/api/cluster-class/class-spec.ts';
import type { Blueprint, TopologyVariables, WorkerTemplates } from '../../../shared/topology/model/blueprint.ts';
import type { ClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { StatusVariable } from '../../../shared/variables/index.ts';

/** The facts that are known before templates are read. */
export interface TopologySource {
  readonly cluster: Cluster;
  readonly topology: ClusterTopology;
  readonly variables: TopologyVariables;
  readonly className: { readonly namespace: string; readonly name: string };
  readonly classSpec: ClassSpec;
  readonly definitions: readonly StatusVariable[];
}

/** A blueprint without the contract of the control plane. */
export type Templates = Omit<Blueprint, 'controlPlane'> & {
  readonly controlPlane: Omit<Blueprint['controlPlane'], 'contract'>;
};

interface FoundTemplates extends Pick<Blueprint, 'machineDeployments' | 'machinePools'> {
  readonly infrastructureCluster: Unstructured;
  readonly controlPlane: Unstructured;
  /** Undefined if the class has no control plane machine infrastructure. */
  readonly machine: Unstructured | undefined;
}

/** The health check of the class is used only with machine infrastructure. */
export function toTemplates(source: TopologySource, found: FoundTemplates): Templates {
  const { infrastructureCluster, controlPlane, machine, machineDeployments, machinePools } = found;
  const { healthCheck } = source.classSpec.controlPlane;
  return {
    ...source,
    infrastructureCluster: { template: infrastructureCluster },
    controlPlane: {
      template: controlPlane,
      ...(machine === undefined ? {} : { machineTemplate: machine, healthCheck }),
    },
    machineDeployments,
    machinePools,
  };
}

/**
 * `templates` contains the templates of the class in the same order. If two worker classes have the same name, the
 * first is used.
 */
export function toWorkerTemplates<Class extends { readonly class: string }>(
  classes: readonly Class[],
  templates: readonly Omit<WorkerTemplates<Class>, 'class'>[],
): ReadonlyMap<string, WorkerTemplates<Class>> {
  const byClass = new Map<string, WorkerTemplates<Class>>();
  for (const [index, each] of classes.entries()) {
    const found = templates[index];
    if (found !== undefined && !byClass.has(each.class)) {
      byClass.set(each.class, { class: each, ...found });
    }
  }
  return byClass;
}
