// Machines, and the simulated objects behind them, made from templates.
// https://cluster-api.sigs.k8s.io/developer/providers/contracts/infra-machine
import {
  groupOf,
  type Intent,
  type ObjectRef,
  type OwnerReference,
  toRef,
  type Unstructured,
} from '../../../../shared/api/object.ts';
import { clusterNameLabel } from '../../../../shared/contract/owner-references.ts';
import type { Action } from '../../../../shared/kernel/types.ts';
import { fieldsAt, textAt, textsAt } from './read.ts';

export const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';
export const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';
const providerVersion = 'v1beta2';

/** The template that a reference of the contract names, in the one version that the simulated kinds have. */
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

export interface Making {
  readonly owner: Unstructured;
  readonly name: string;
  readonly cluster: string;
  /** Of the Machine, and of what stands behind it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the Machine, without its two references. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** What the infrastructure is made from. */
  readonly infrastructure: Unstructured;
  /** `undefined`: the spec tells where the bootstrap data is, or it is made from nothing. */
  readonly bootstrap: Unstructured | undefined;
}

/** Infrastructure, bootstrap configuration, then the Machine that names both. */
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

/** What the template describes, or an empty object of the kind where there is no template. */
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
