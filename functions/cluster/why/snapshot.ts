// A Cluster and the objects that it references, as they were read. This is the input of the tree and the explanation.
// Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { type ContractReference, isDefined, readCluster } from '../../../shared/api/cluster/reader.ts';
import type { Referred } from '../../../shared/explain/referred.ts';

export interface ClusterSnapshot {
  readonly cluster: Unstructured;
  /** `undefined` if the Cluster has no infrastructure reference. */
  readonly infrastructure: Referred | undefined;
  readonly controlPlane: Referred | undefined;
  /** The problem of the Secret with the kubeconfig. It is read only if the workload cluster does not answer. */
  readonly kubeconfigProblem?: string | undefined;
  readonly machineDeployments: readonly Unstructured[];
  readonly machines: readonly Unstructured[];
  readonly machinePools: readonly Unstructured[];
  readonly machineHealthChecks: readonly Unstructured[];
}

/** Kinds whose objects belong to a Cluster by label. */
export const memberKinds = ['MachineDeployment', 'Machine', 'MachinePool', 'MachineHealthCheck'] as const;

export type MemberKind = (typeof memberKinds)[number];

/** The lists of a snapshot, by kind. */
export function toMembers(of: (kind: MemberKind) => readonly Unstructured[]) {
  return {
    machineDeployments: of('MachineDeployment'),
    machines: of('Machine'),
    machinePools: of('MachinePool'),
    machineHealthChecks: of('MachineHealthCheck'),
  };
}

interface References {
  readonly infrastructure: ContractReference | undefined;
  readonly controlPlane: ContractReference | undefined;
}

export function referencesOf(cluster: Unstructured): References {
  const { infrastructureRef, controlPlaneRef } = readCluster(cluster).spec;
  return {
    infrastructure: isDefined(infrastructureRef) ? infrastructureRef : undefined,
    controlPlane: isDefined(controlPlaneRef) ? controlPlaneRef : undefined,
  };
}
