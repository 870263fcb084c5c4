// What a provider waits for on its Cluster before the author's code is of any use.
import type { Unstructured } from '../api/object.ts';
import { isValidEndpoint, readEndpoint, zeroEndpoint } from '../contract/endpoint.ts';
import { readBoolean, valueOr } from '../contract/path.ts';
import type { Role, Waiting } from './role.ts';

/** 'fromCluster': the author's code can do nothing before the Cluster has a valid endpoint. */
export function waitForEndpoint(cluster: Unstructured, source: Role['endpoint']): Waiting | undefined {
  if (source === 'provided' || isValidEndpoint(valueOr(readEndpoint(cluster), zeroEndpoint))) {
    return undefined;
  }
  return {
    reason: 'WaitingForControlPlaneEndpoint',
    message: `Waiting for spec.controlPlaneEndpoint of Cluster ${cluster.metadata.name} to be set`,
  };
}

/** Control plane machines need something to run on. */
export function waitForInfrastructure(cluster: Unstructured): Waiting | undefined {
  if (valueOr(readBoolean(cluster, 'status.initialization.infrastructureProvisioned'), false)) {
    return undefined;
  }
  return {
    reason: 'WaitingForInfrastructure',
    message: `Waiting for the infrastructure of Cluster ${cluster.metadata.name} to be provisioned`,
  };
}
