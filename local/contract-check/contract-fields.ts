// The fields of each role, by contract version.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview
import { type ContractVersion, providerPaths } from '@capi-serverless/cluster-api/contract';
import type { ContractRole } from './roles.ts';
import type { FieldShape } from './shapes.ts';

export interface ContractField {
  /** The dotted path from the root of the object. */
  readonly path: string;
  readonly shape: FieldShape;
  /** The reason why the contract requires the field. If absent, only its type is checked. */
  readonly required?: string;
}

const flag: FieldShape = { type: 'boolean' };
const text: FieldShape = { type: 'string' };
const count: FieldShape = { type: 'integer' };

const endpoint: FieldShape = { type: 'object', fields: { host: text, port: count }, required: ['host', 'port'] };
const attributes: FieldShape = { type: 'map', values: text };
const domainList: FieldShape = {
  type: 'array',
  items: { type: 'object', fields: { name: text, controlPlane: flag, attributes }, required: ['name'] },
};
const domainMap: FieldShape = { type: 'map', values: { type: 'object', fields: { controlPlane: flag, attributes } } };
const condition = { type: text, status: text, reason: text, message: text, lastTransitionTime: text };
const conditions: FieldShape = {
  type: 'array',
  items: { type: 'object', fields: condition, required: ['type', 'status'] },
};
const versions: FieldShape = {
  type: 'array',
  items: { type: 'object', fields: { version: text, replicas: count }, required: ['version'] },
};
const addresses: FieldShape = {
  type: 'array',
  items: { type: 'object', fields: { type: text, address: text }, required: ['type', 'address'] },
};

const shared: readonly ContractField[] = [
  { path: 'status.conditions', shape: conditions },
  { path: 'status.failureReason', shape: text },
  { path: 'status.failureMessage', shape: text },
];

/** The fields in the order in which findings are printed. */
export function fieldsOf(role: ContractRole, contract: ContractVersion): readonly ContractField[] {
  return [...ownFields(role, contract), ...shared];
}

function ownFields(role: ContractRole, contract: ContractVersion): readonly ContractField[] {
  switch (role) {
    case 'infraCluster':
      return infraClusterFields(contract);
    case 'controlPlane':
      return controlPlaneFields(contract);
    case 'infraMachine':
      return infraMachineFields(contract);
    case 'infraMachinePool':
      return [
        provisioned(contract, 'the MachinePool'),
        { path: 'spec.providerIDList', shape: { type: 'array', items: text }, required: 'Nodes are found by it' },
        { path: 'status.replicas', shape: count, required: 'the MachinePool counts by it' },
        { path: 'status.infrastructureMachineKind', shape: text },
      ];
    case 'bootstrap':
      return [
        {
          path: contract === 'v1beta2' ? 'status.initialization.dataSecretCreated' : 'status.ready',
          shape: flag,
          required: 'the Machine waits for it',
        },
        { path: 'status.dataSecretName', shape: text, required: 'machines read their bootstrap data from it' },
      ];
  }
}

function infraClusterFields(contract: ContractVersion): readonly ContractField[] {
  const { endpoint: endpointPath, failureDomains, failureDomainsForm } = providerPaths[contract];
  // Before v1beta2, every infrastructure cluster has the field, with or without a value.
  const need =
    contract === 'v1beta1' ? { required: 'the Cluster takes its endpoint from it, or passes it on there' } : {};
  return [
    provisioned(contract, 'the Cluster'),
    { path: endpointPath, shape: endpoint, ...need },
    { path: failureDomains, shape: failureDomainsForm === 'list' ? domainList : domainMap },
  ];
}

function infraMachineFields(contract: ContractVersion): readonly ContractField[] {
  return [
    provisioned(contract, 'the Machine'),
    { path: 'spec.providerID', shape: text, required: 'the Node is found by it' },
    { path: 'spec.failureDomain', shape: text },
    { path: 'status.failureDomain', shape: text },
    { path: 'status.addresses', shape: addresses },
  ];
}

function controlPlaneFields(contract: ContractVersion): readonly ContractField[] {
  return [
    {
      path: providerPaths[contract].controlPlaneInitialized,
      shape: flag,
      required: 'the Cluster waits for it',
    },
    { path: 'spec.controlPlaneEndpoint', shape: endpoint },
    { path: 'spec.version', shape: text, required: 'upgrades of a Cluster with a topology write it' },
    { path: 'status.version', shape: text, required: 'upgrades of a Cluster with a topology wait for it' },
    { path: 'status.versions', shape: versions },
    { path: 'spec.replicas', shape: count },
    { path: 'spec.machineTemplate', shape: { type: 'anyObject' } },
    { path: 'status.externalManagedControlPlane', shape: flag },
  ];
}

/** The additional fields of a control plane that counts replicas. */
export function replicaFieldsOf(contract: ContractVersion): readonly ContractField[] {
  const names =
    contract === 'v1beta2'
      ? ['replicas', 'readyReplicas', 'availableReplicas', 'upToDateReplicas']
      : ['replicas', 'readyReplicas', 'unavailableReplicas', 'updatedReplicas'];
  return names.map(name => ({ path: `status.${name}`, shape: count, required: 'spec.replicas is there' }));
}

function provisioned(contract: ContractVersion, waiting: string): ContractField {
  return { path: providerPaths[contract].provisioned, shape: flag, required: `${waiting} waits for it` };
}
