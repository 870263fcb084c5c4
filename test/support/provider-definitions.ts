// Valid CRDs of a fictional provider, one per role of the contract.
import type { Intent } from '@capi-serverless/apimachinery';

export type Definition = Intent;

type Schema = Readonly<Record<string, unknown>>;

const flag: Schema = { type: 'boolean' };
const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties });

interface Parts {
  readonly kind: string;
  readonly group: string;
  readonly contract: 'v1beta1' | 'v1beta2';
  readonly spec?: Readonly<Record<string, Schema>>;
  readonly status?: Readonly<Record<string, Schema>>;
}

const endpoint = object({ host: text, port: count });

/** The default is an infrastructure cluster. */
export function definitionOf({ kind, group, contract, spec, status }: Parts): Definition {
  const provisioned = contract === 'v1beta2' ? { initialization: object({ provisioned: flag }) } : { ready: flag };
  const plural = `${kind.toLowerCase()}s`;
  const openAPIV3Schema = object({
    metadata: { type: 'object' },
    spec: object(spec ?? { controlPlaneEndpoint: endpoint }),
    status: object(status ?? provisioned),
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { [`cluster.x-k8s.io/${contract}`]: contract } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        { name: contract, served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
      ],
    },
  };
}

export const memberDefinitions: readonly Definition[] = [
  definitionOf({
    kind: 'RockMachine',
    group: 'infrastructure.cluster.x-k8s.io',
    contract: 'v1beta2',
    spec: { providerID: text, failureDomain: text },
    status: {
      initialization: object({ provisioned: flag }),
      addresses: { type: 'array', items: object({ type: text, address: text }) },
    },
  }),
  definitionOf({
    kind: 'RockMachinePool',
    group: 'infrastructure.cluster.x-k8s.io',
    contract: 'v1beta1',
    spec: { providerIDList: { type: 'array', items: text } },
    status: { ready: flag, replicas: count },
  }),
  definitionOf({
    kind: 'RockConfig',
    group: 'bootstrap.cluster.x-k8s.io',
    contract: 'v1beta2',
    spec: {},
    status: { initialization: object({ dataSecretCreated: flag }), dataSecretName: text },
  }),
  definitionOf({
    kind: 'RockControlPlane',
    group: 'controlplane.cluster.x-k8s.io',
    contract: 'v1beta1',
    spec: { version: text, replicas: count },
    status: {
      ready: flag,
      initialized: flag,
      version: text,
      replicas: count,
      readyReplicas: count,
      unavailableReplicas: count,
      updatedReplicas: count,
    },
  }),
];
