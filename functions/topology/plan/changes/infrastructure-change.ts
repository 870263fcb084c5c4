// The write for the infrastructure cluster.
import { emptyEndpointPaths } from '../intent/filter.ts';
import type { ChangesInput } from './changes-input.ts';
import type { ObjectChange } from './object-change.ts';

/** If the template of the class has an empty endpoint, the provider owns the endpoint. */
export function toInfrastructureChange({ current, desired, names }: ChangesInput): ObjectChange {
  return {
    desired: desired.infrastructureCluster,
    current: current.infrastructureCluster ?? names.infrastructureCluster.existing,
    must: 'strict',
    ignored: emptyEndpointPaths(desired.infrastructureCluster),
  };
}
