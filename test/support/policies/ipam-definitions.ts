// Definitions of IPAddress and IPAddressClaim with the fields that policies read, and their limits. The project has no
// reconciler of them.
import { policyKinds, policyVersion } from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { type CustomResourceDefinition, toDefinition } from '../../../shared/api/schema/definition.ts';
import { filledText, int32, object, text } from '../../../shared/api/schema/json-schema.ts';

const { group } = policyKinds.IPAddress;
const common = { group, version: policyVersion, labels: {}, columns: [] } as const;
const reference = ['apiGroup', 'kind', 'name'];
const poolRef = object(
  'The pool.',
  Object.fromEntries(reference.map(field => [field, text(`The ${field} of the pool.`)])),
  { required: reference },
);

export const ipamCrds: readonly CustomResourceDefinition[] = [
  toDefinition({
    ...common,
    description: 'An address of a pool.',
    kind: 'IPAddress',
    spec: object(
      'The address.',
      {
        address: filledText('The address.', 39),
        prefix: int32('The length of the prefix.', { minimum: 0, maximum: 128 }),
        gateway: filledText('The gateway.', 39),
        claimRef: object('The claim.', { name: text('Its name.') }, { required: ['name'] }),
        poolRef,
      },
      { required: ['address', 'claimRef', 'poolRef', 'prefix'] },
    ),
  }),
  toDefinition({
    ...common,
    description: 'Asks for an address of a pool.',
    kind: 'IPAddressClaim',
    spec: object('The claim.', { clusterName: text('Its Cluster.'), poolRef }, { required: ['poolRef'] }),
  }),
];
