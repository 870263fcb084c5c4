// Definition of IPAddressClaim (ipam.cluster.x-k8s.io/v1beta2). Providers of IP addresses reconcile the objects.
import { coreLabels, coreVersion, ipamGroup } from '../schema/core.ts';
import { ageColumn, column, toDefinition } from '../schema/definition.ts';
import { filledObject, filledText, object } from '../schema/json-schema.ts';
import { contractReference, nameReference } from '../schema/reference-schemas.ts';
import { conditions, deprecated } from '../schema/status-schemas.ts';

const spec = object(
  'The pool from which an address is requested.',
  {
    clusterName: filledText('Name of the Cluster that the claim belongs to.', 63),
    poolRef: contractReference('The pool that the address is requested from.'),
  },
  { required: ['poolRef'] },
);

const status = filledObject('Observed state of the claim.', {
  conditions,
  addressRef: nameReference('The IPAddress of the claim.', 'Name of the IPAddress.'),
  deprecated: deprecated({}),
});

export const ipAddressClaimCrd = toDefinition({
  description: 'Requests an IP address from a pool.',
  group: ipamGroup,
  version: coreVersion,
  kind: 'IPAddressClaim',
  labels: coreLabels,
  spec,
  status,
  columns: [column('Pool Name', '.spec.poolRef.name'), column('Pool Kind', '.spec.poolRef.kind'), ageColumn],
});
