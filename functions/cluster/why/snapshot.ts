// A Cluster and the objects that it references, as they were read. This is the input of the tree and the explanation.
// Pure.
import { type Answer, crdNameOf, type ObjectMeta, type Unstructured } from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import { type ContractReference, isDefined, readCluster } from '../../../shared/api/cluster/reader.ts';

/** The API version in which a referenced kind can be read, or the reason why it cannot be read. */
export type Served =
  | { readonly state: 'served'; readonly apiVersion: string }
  /** The CustomResourceDefinition does not exist. */
  | { readonly state: 'notInstalled'; readonly crd: string }
  | { readonly state: 'unreadable'; readonly error: string };

/** The object that a reference of the Cluster names. */
export type Referred = { readonly kind: string; readonly name: string } & (
  | { readonly state: 'found'; readonly object: Unstructured }
  | { readonly state: 'missing' }
  /** The object was not read yet. */
  | { readonly state: 'pending' }
  | Exclude<Served, { readonly state: 'served' }>
);

export interface ClusterSnapshot {
  readonly cluster: Unstructured;
  /** `undefined` if the Cluster has no infrastructure reference. */
  readonly infrastructure: Referred | undefined;
  readonly controlPlane: Referred | undefined;
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

/** The labels of the CustomResourceDefinition determine the version in which a kind is read. */
export function toServed(
  { apiGroup, kind }: Pick<ContractReference, 'apiGroup' | 'kind'>,
  crd: Answer<ObjectMeta>,
): Served {
  const name = crdNameOf({ group: apiGroup, kind });
  if (!crd.ok) {
    const error = `CustomResourceDefinition ${name} cannot be read: ${crd.failure.message}`;
    return crd.missing ? { state: 'notInstalled', crd: name } : { state: 'unreadable', error };
  }
  const contract = chooseContract(crd.value);
  return contract.ok
    ? { state: 'served', apiVersion: `${apiGroup}/${contract.value.version}` }
    : { state: 'unreadable', error: contract.error };
}
