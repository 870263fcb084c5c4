// Definition of IPAddress (ipam.cluster.x-k8s.io/v1beta2). Providers of IP addresses create the objects.
import { coreLabels, coreVersion, ipamGroup } from '../schema/core.ts';
import { ageColumn, column, toDefinition } from '../schema/definition.ts';
import { filledText, int32, object } from '../schema/json-schema.ts';
import { contractReference, nameReference } from '../schema/reference-schemas.ts';

/** The length of the longest text of an IPv6 address. */
const longestAddress = 39;

const spec = object(
  'An address of a pool, which is used by one claim.',
  {
    claimRef: nameReference('The IPAddressClaim that the address is for.', 'Name of the IPAddressClaim.'),
    poolRef: contractReference('The pool that the address is from.'),
    address: filledText('The IP address.', longestAddress),
    prefix: int32('Length of the prefix of the address.', { minimum: 0, maximum: 128 }),
    gateway: filledText('Gateway of the network of the address.', longestAddress),
  },
  { required: ['address', 'claimRef', 'poolRef', 'prefix'] },
);

export const ipAddressCrd = toDefinition({
  description: 'An IP address that was allocated from a pool.',
  group: ipamGroup,
  version: coreVersion,
  kind: 'IPAddress',
  labels: coreLabels,
  spec,
  columns: [
    column('Address', '.spec.address'),
    column('Pool Name', '.spec.poolRef.name'),
    column('Pool Kind', '.spec.poolRef.kind'),
    ageColumn,
  ],
});
