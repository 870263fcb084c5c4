// A Cluster and what it refers to, as they were read: what tree and explanation are made from. Pure.
import type { Answer } from '../../../shared/api/answer.ts';
import { type ContractReference, isDefined, readCluster } from '../../../shared/api/cluster/reader.ts';
import type { ObjectMeta, Unstructured } from '../../../shared/api/object.ts';
import { chooseContract } from '../../../shared/contract/contract-version.ts';
import { crdNameOf } from '../../../shared/names/plural.ts';

/** How the kind of a reference can be read. */
export type Served =
  | { readonly state: 'served'; readonly apiVersion: string }
  /** There is no such CustomResourceDefinition. */
  | { readonly state: 'notInstalled'; readonly crd: string }
  | { readonly state: 'unreadable'; readonly error: string };

/** What a reference of the Cluster leads to. */
export type Referred = { readonly kind: string; readonly name: string } & (
  | { readonly state: 'found'; readonly object: Unstructured }
  | { readonly state: 'missing' }
  /** Not read yet. */
  | { readonly state: 'pending' }
  | Exclude<Served, { readonly state: 'served' }>
);

export interface ClusterSnapshot {
  readonly cluster: Unstructured;
  /** `undefined`: the Cluster refers to none. */
  readonly infrastructure: Referred | undefined;
  readonly controlPlane: Referred | undefined;
  readonly machineDeployments: readonly Unstructured[];
  readonly machines: readonly Unstructured[];
  readonly machinePools: readonly Unstructured[];
  readonly machineHealthChecks: readonly Unstructured[];
}

/** Kinds whose objects belong to a Cluster by their label. */
export const memberKinds = ['MachineDeployment', 'Machine', 'MachinePool', 'MachineHealthCheck'] as const;

export type MemberKind = (typeof memberKinds)[number];

/** The part of a snapshot that holds them. */
export function toMembers(of: (kind: MemberKind) => readonly Unstructured[]) {
  return {
    machineDeployments: of('MachineDeployment'),
    machines: of('Machine'),
    machinePools: of('MachinePool'),
    machineHealthChecks: of('MachineHealthCheck'),
  };
}

export interface References {
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

/** In which version a kind is read follows from the labels of its definition. */
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
