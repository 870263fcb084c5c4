// The input of a topology: the Cluster, its ClusterClass, and every template that the class references.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { ContractVersion } from '@capi-serverless/cluster-api/contract';
import type { Cluster } from '../../api/cluster/reader.ts';
import type { ClassSpec, MachineDeploymentClass, MachinePoolClass } from '../../api/cluster-class/class-spec.ts';
import type { HealthCheck } from '../../api/topology-parts.ts';
import type { ClusterVariable, StatusVariable } from '../../variables/index.ts';
import type { ClusterTopology } from './cluster-topology.ts';

/** Templates of one class of workers, in the namespace of the ClusterClass. */
export interface WorkerTemplates<Class> {
  readonly class: Class;
  readonly bootstrap: Unstructured;
  readonly infrastructure: Unstructured;
}

export interface Blueprint {
  readonly cluster: Cluster;
  /** The topology of `cluster`, without default values of variables. */
  readonly topology: ClusterTopology;
  /** The variables with default values, for the whole Cluster and by topology name. */
  readonly variables: TopologyVariables;
  readonly className: { readonly namespace: string; readonly name: string };
  readonly classSpec: ClassSpec;
  /** The variables in `ClusterClass.status.variables`. */
  readonly definitions: readonly StatusVariable[];
  readonly infrastructureCluster: { readonly template: Unstructured };
  readonly controlPlane: {
    readonly template: Unstructured;
    /** Present if the class has control plane machine infrastructure, otherwise absent. */
    readonly machineTemplate?: Unstructured;
    /** The health check of the class, if the control plane has machine infrastructure. */
    readonly healthCheck?: HealthCheck;
    /** The contract of the control plane's kind in the version of its template. */
    readonly contract: ContractVersion;
  };
  /** Keys are names of worker classes. */
  readonly machineDeployments: ReadonlyMap<string, WorkerTemplates<MachineDeploymentClass>>;
  readonly machinePools: ReadonlyMap<string, WorkerTemplates<MachinePoolClass>>;
}

export interface TopologyVariables {
  readonly cluster: readonly ClusterVariable[];
  readonly controlPlane: readonly ClusterVariable[];
  readonly machineDeployments: ReadonlyMap<string, readonly ClusterVariable[]>;
  readonly machinePools: ReadonlyMap<string, readonly ClusterVariable[]>;
}
