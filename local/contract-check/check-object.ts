// Checks the objects of a provider's kinds against the contract: the types of fields, and their consistency.
import { groupOf, type Intent, toRecord } from '@capi-serverless/apimachinery';
import {
  type ContractVersion,
  clusterNameLabel,
  isValidEndpoint,
  readEndpoint,
  readFailureDomains,
  readList,
  readProvisioned,
  readStatusVersions,
  valueOr,
  zeroEndpoint,
} from '@capi-serverless/cluster-api/contract';
import type { ObjectProblem } from '../findings/finding.ts';
import { fieldsOf, replicaFieldsOf } from './contract-fields.ts';
import type { Part } from './roles.ts';
import { compareValue } from './shapes.ts';

/** A template has no fields of the contract. */
export function checkObject(object: Intent, part: Part, contract: ContractVersion): readonly ObjectProblem[] {
  if (part.isTemplate) {
    return [];
  }
  const fields = [...fieldsOf(part.role, contract), ...(part.role === 'controlPlane' ? replicaFieldsOf(contract) : [])];
  const shapes = fields.flatMap(({ path, shape }) => compareValue(valueAt(object, path), shape, path));
  return [...shapes, ...checkLabel(object), ...checkConditions(object), ...checkMeaning(object, part, contract)];
}

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => toRecord(value)[name], object);
}

function checkLabel({ metadata }: Intent): readonly ObjectProblem[] {
  const owner = metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'Cluster' && groupOf(apiVersion) === 'cluster.x-k8s.io',
  );
  const label = metadata.labels?.[clusterNameLabel];
  return owner === undefined || label === owner.name
    ? []
    : [
        problem(
          'metadata.labels',
          `${clusterNameLabel} is ${label ?? 'missing'}, but Cluster ${owner.name} owns the object; the controller of the object must set the label`,
        ),
      ];
}

function checkConditions(object: Intent): readonly ObjectProblem[] {
  const types = valueOr(readList(object, 'status.conditions'), []).map(each => String(toRecord(each)['type']));
  return types
    .filter((type, index) => types.indexOf(type) !== index)
    .map(type => problem('status.conditions', `${type} occurs twice; write each type once`));
}

function checkMeaning(object: Intent, { role }: Part, contract: ContractVersion): readonly ObjectProblem[] {
  switch (role) {
    case 'infraCluster':
      return [...checkEndpoint(object), ...checkProvisioned(object, contract), ...checkDomains(object, contract)];
    case 'controlPlane':
      return [...checkEndpoint(object), ...checkVersions(object)];
    case 'infraMachine':
    case 'infraMachinePool':
    case 'bootstrap':
      return [];
  }
}

const highestPort = 65_535;

function checkEndpoint(object: Intent): readonly ObjectProblem[] {
  const { port } = valueOr(readEndpoint(object), zeroEndpoint);
  return port < 0 || port > highestPort
    ? [problem('spec.controlPlaneEndpoint.port', `is ${port}; a port is 1 to ${highestPort}`)]
    : [];
}

/** This is only a warning, because the control plane or the user may supply the endpoint. */
function checkProvisioned(object: Intent, contract: ContractVersion): readonly ObjectProblem[] {
  const isProvisioned = valueOr(readProvisioned(object, contract), false);
  return isProvisioned && !isValidEndpoint(valueOr(readEndpoint(object), zeroEndpoint))
    ? [
        {
          severity: 'warning',
          field: 'spec.controlPlaneEndpoint',
          message:
            'is not set, but the object is provisioned: the Cluster has no endpoint unless its control plane or its author supplies one; write it before the flag',
        },
      ]
    : [];
}

function checkDomains(object: Intent, contract: ContractVersion): readonly ObjectProblem[] {
  const names = valueOr(readFailureDomains(object, contract), []).map(({ name }) => name);
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map(name => problem('status.failureDomains', `${name} occurs twice; write each failure domain once`));
}

function checkVersions(object: Intent): readonly ObjectProblem[] {
  const found = readStatusVersions(object);
  return found.state === 'wrongType' ? [problem('status.versions', `${found.error}; list versions ascending`)] : [];
}

function problem(field: string, message: string): ObjectProblem {
  return { severity: 'error', field, message };
}
