// Creates Machines and their simulated bootstrap and infrastructure objects from templates.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/infra-machine
import {
  groupOf,
  type Intent,
  type ObjectRef,
  type OwnerReference,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import { fieldsAt, textAt, textsAt } from './read.ts';

const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';
const providerVersion = 'v1beta2';

/** The template that a contract reference names. The simulated kinds have one version only. */
export function toProviderRef(object: Unstructured, path: string): ObjectRef | undefined {
  const name = textAt(object, `${path}.name`);
  return name === ''
    ? undefined
    : {
        apiVersion: `${textAt(object, `${path}.apiGroup`)}/${providerVersion}`,
        kind: textAt(object, `${path}.kind`),
        namespace: object.metadata.namespace ?? '',
        name,
      };
}

export function controllerReference({ apiVersion, kind, metadata }: Unstructured): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

interface Making {
  readonly owner: Unstructured;
  readonly name: string;
  readonly cluster: string;
  /** The labels of the Machine and of its bootstrap and infrastructure objects. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The spec of the Machine without its two references. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The template of the infrastructure. */
  readonly infrastructure: Unstructured;
  /** `undefined` if the spec contains the bootstrap data, or if no bootstrap template exists. */
  readonly bootstrap: Unstructured | undefined;
}

/** Returns the infrastructure, the bootstrap configuration, and then the Machine that references both. */
export function makeMachine(making: Making): readonly Action[] {
  const { owner, name, cluster, spec, infrastructure, bootstrap } = making;
  const namespace = owner.metadata.namespace ?? '';
  const labels = { ...making.labels, [clusterNameLabel]: cluster };
  const metadata = { name, namespace, labels, ownerReferences: [controllerReference(owner)] };
  const config = toClone(
    bootstrap,
    { apiVersion: `${bootstrapGroup}/${providerVersion}`, kind: 'SimulatedBootstrapConfig' },
    metadata,
  );
  const machine = toClone(infrastructure, { apiVersion: '', kind: '' }, metadata);
  const isGiven = textAt(spec, 'bootstrap.dataSecretName') !== '';
  return [
    create(machine, owner),
    ...(isGiven ? [] : [create(config, owner)]),
    create(
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        metadata: { ...metadata, annotations: making.annotations },
        spec: {
          ...spec,
          clusterName: cluster,
          bootstrap: isGiven ? fieldsAt(spec, 'bootstrap') : { configRef: toReference(config) },
          infrastructureRef: toReference(machine),
        },
      },
      owner,
    ),
  ];
}

function toReference({ apiVersion, kind, metadata }: Intent) {
  return { apiGroup: groupOf(apiVersion), kind, name: metadata.name };
}

/** Returns a clone of the template, or an empty object of the kind if there is no template. */
function toClone(
  template: Unstructured | undefined,
  otherwise: Pick<Intent, 'apiVersion' | 'kind'>,
  metadata: Intent['metadata'],
): Intent {
  if (template === undefined) {
    return { ...otherwise, metadata, spec: {} };
  }
  const { apiVersion, kind } = template;
  return {
    apiVersion,
    kind: kind.replace(/Template$/, ''),
    metadata: {
      ...metadata,
      labels: { ...textsAt(template, 'spec.template.metadata.labels'), ...metadata.labels },
      annotations: {
        ...textsAt(template, 'spec.template.metadata.annotations'),
        'cluster.x-k8s.io/cloned-from-name': template.metadata.name,
        'cluster.x-k8s.io/cloned-from-groupkind': `${kind}.${groupOf(apiVersion)}`,
      },
    },
    spec: fieldsAt(template, 'spec.template.spec'),
  };
}

export function create(object: Intent, owner: Unstructured): Action {
  const { kind, metadata } = object;
  return {
    id: `create ${kind} ${metadata.name}`,
    onError: 'stop',
    do: 'create',
    object,
    ours: ({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ uid }) => uid === owner.metadata.uid),
  };
}

export function remove(object: Unstructured): Action {
  const { kind, metadata } = object;
  return {
    id: `delete ${kind} ${metadata.name}`,
    onError: 'stop',
    do: 'delete',
    ref: toRef(object),
    uid: metadata.uid,
  };
}

export function patch(object: Unstructured, what: string, body: Readonly<Record<string, unknown>>): Action {
  const { kind, metadata } = object;
  const { resourceVersion } = metadata;
  return {
    id: `${what} ${kind} ${metadata.name}`,
    onError: 'stop',
    do: 'patch',
    ref: toRef(object),
    body,
    resourceVersion,
  };
}
