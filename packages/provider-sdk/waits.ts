// The conditions of the Cluster that a provider waits for before the author's function is called.
import type { Unstructured } from '@capi-serverless/apimachinery';
import {
  isValidEndpoint,
  readBoolean,
  readEndpoint,
  valueOr,
  zeroEndpoint,
} from '@capi-serverless/cluster-api/contract';
import type { ProviderRole, Waiting } from './role.ts';

/** 'fromCluster': the author's function needs a valid endpoint of the Cluster. */
export function waitForEndpoint(cluster: Unstructured, source: ProviderRole['endpoint']): Waiting | undefined {
  if (source === 'provided' || isValidEndpoint(valueOr(readEndpoint(cluster), zeroEndpoint))) {
    return undefined;
  }
  return {
    reason: 'WaitingForControlPlaneEndpoint',
    message: `Waiting for spec.controlPlaneEndpoint of Cluster ${cluster.metadata.name} to be set`,
  };
}

/** Control plane machines need provisioned infrastructure. */
export function waitForInfrastructure(cluster: Unstructured): Waiting | undefined {
  if (valueOr(readBoolean(cluster, 'status.initialization.infrastructureProvisioned'), false)) {
    return undefined;
  }
  return {
    reason: 'WaitingForInfrastructure',
    message: `Waiting for the infrastructure of Cluster ${cluster.metadata.name} to be provisioned`,
  };
}
