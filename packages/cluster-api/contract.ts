// The provider contract. Pure.

// Versions of the contract, and the paths of its fields.

export {
  type Contract,
  type ContractVersion,
  chooseContract,
  contractOfVersion,
  contractVersions,
} from './contract/contract-version.ts';
export { type ProviderContract, providerPaths, toFailureDomainsField } from './contract/provider-paths.ts';

// The fields of infrastructure, control plane and bootstrap objects.

export { readDataSecretCreated, readDataSecretName } from './contract/bootstrap-config.ts';
export {
  isExternallyManaged,
  readCurrentVersion,
  readDesiredVersion,
  readInitialized,
  readReplicaCounters,
  readStatusVersions,
  type StatusVersion,
} from './contract/control-plane.ts';
export {
  type ControlPlaneEndpoint,
  isValidEndpoint,
  readEndpoint,
  toEndpointText,
  zeroEndpoint,
} from './contract/endpoint.ts';
export type { FailureDomain } from './contract/failure-domain.ts';
export {
  readFailureDomains,
  readFailureMessage,
  readFailureReason,
  readProvisioned,
} from './contract/infra-cluster.ts';
export {
  type MachineAddress,
  readInterruptible,
  readMachineAddresses,
  readMachineFailureDomain,
  readMachineFailureDomainOfSpec,
  readProviderId,
} from './contract/infra-machine.ts';
export {
  readInfrastructureMachineKind,
  readPoolProvisioned,
  readPoolReplicas,
  readProviderIdList,
} from './contract/infra-machine-pool.ts';

// Owner references.

export { setNameLabel, toNameLabelValue } from './contract/name-label.ts';
export {
  clusterNameLabel,
  clusterOwner,
  decideOwnership,
  type Owning,
  placeOwner,
} from './contract/owner-references.ts';

// Reading and setting any field of an object.

export {
  type Found,
  readBoolean,
  readInteger,
  readList,
  readMap,
  readString,
  setAt,
  valueOr,
} from './contract/path.ts';

// Kubernetes versions.

export {
  compareVersionsWithBuild,
  compareVersionTexts,
  parseVersion,
  toVersionText,
} from './contract/version.ts';
