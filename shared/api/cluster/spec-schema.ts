// Schema of `Cluster.spec`.
import { atomicList, filledObject, filledText, flag, int32, object } from '../schema/json-schema.ts';
import { gates } from '../schema/machine-parts.ts';
import { contractReference } from '../schema/reference-schemas.ts';
import { topology } from './topology-schema.ts';

const port = { minimum: 1, maximum: 65535 };

/** The address of a cluster's API server. Providers report it in the same form. */
export const controlPlaneEndpoint = filledObject('Where the API server of the cluster is reached.', {
  host: filledText('Host name or address.', 512),
  port: int32('Port.', port),
});

function networkRanges(description: string) {
  return object(
    description,
    {
      cidrBlocks: atomicList('Address ranges, such as 10.0.0.0/16.', filledText('An address range.', 43), {
        minItems: 1,
        maxItems: 100,
      }),
    },
    { required: ['cidrBlocks'] },
  );
}

export const clusterSpec = filledObject('Desired state of the cluster.', {
  paused: flag('While true, controllers do not reconcile the Cluster and its objects.'),
  clusterNetwork: filledObject('Network settings inside the cluster.', {
    apiServerPort: int32('Port on which the API server listens.', port),
    services: networkRanges('Addresses of Services.'),
    pods: networkRanges('Addresses of Pods.'),
    serviceDomain: filledText('Domain of Services, such as cluster.local.', 253),
  }),
  controlPlaneEndpoint,
  controlPlaneRef: contractReference('The control plane object.'),
  infrastructureRef: contractReference('The infrastructure object.'),
  topology,
  availabilityGates: gates('Conditions that Available takes into account as well.'),
});
