// The kinds that are served without a CustomResourceDefinition, and their specific rules.

import { isJsonObject, type JsonObject, memberOf, sameJson } from '@capi-serverless/apimachinery';
import { coreKind, plainVersion } from './built-in-kind.ts';
import { configMapSchema, namespaceSchema, secretSchema } from './built-in-schemas.ts';
import { definitionStrategy } from './definition-strategy.ts';
import { events, eventsOfGroup } from './events.ts';
import { without } from './json.ts';
import type { Resource, Strategy } from './kinds.ts';
import type { ObjectDraft, Stored } from './object.ts';
import { isBase64 } from './schema/formats.ts';
import { badRequest, type StatusCause } from './status.ts';

const permanentNamespaces = ['default', 'kube-system', 'kube-public'];

/** These namespaces exist from the start, as on every cluster. */
export const initialNamespaces: readonly string[] = permanentNamespaces;

/** A finalizer in the spec of a namespace. It keeps the namespace until its content is deleted. */
const namespaceFinalizer = 'kubernetes';

const namespaceStrategy: Strategy = {
  complete(draft) {
    const { name = '' } = draft.metadata;
    const labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': name };
    return { ...draft, metadata: { ...draft.metadata, labels } };
  },
  prepare(draft, live) {
    return live === undefined
      ? { ...draft, spec: { finalizers: [namespaceFinalizer] }, status: { phase: 'Active' } }
      : { ...draft, spec: live.spec };
  },
  beforeDelete(object) {
    const { deletionGracePeriodSeconds: _, ...metadata } = object.metadata;
    return { ...object, metadata, status: { phase: 'Terminating' } };
  },
  holds: object => {
    const finalizers = memberOf(object.spec, 'finalizers');
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
  forbidsDelete: object =>
    permanentNamespaces.includes(object.metadata.name) ? 'this namespace may not be deleted' : undefined,
};

/** The number of bytes per call, because the number of arguments of a call is limited. */
const chunkBytes = 8192;

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    String.fromCharCode(...bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes)),
  );
  return btoa(chunks.join(''));
}

const secretStrategy: Strategy = {
  complete(draft) {
    const { stringData } = draft;
    const written = isJsonObject(stringData)
      ? Object.fromEntries(Object.entries(stringData).map(([key, value]) => [key, toBase64(String(value))]))
      : {};
    const data = { ...checkBase64(draft, 'data'), ...written };
    // True: only members other than apiVersion, kind and metadata are removed.
    const bare = without(draft, 'stringData', 'data') as ObjectDraft;
    const type = draft['type'] || 'Opaque';
    return Object.keys(data).length === 0 ? { ...bare, type } : { ...bare, data, type };
  },
  validate: (draft, live) => [
    ...problemsOfFrozen(draft, live, ['data']),
    ...problemsOfKeys(draft, ['data']),
    ...problemsOfType(draft, live),
    ...problemsOfSize(draft, ['data']),
  ],
};

/** kube-apiserver fails to decode this body, so the error names no field. */
function checkBase64(draft: ObjectDraft, member: 'data' | 'binaryData'): JsonObject {
  const values = draft[member];
  const entries = isJsonObject(values) ? Object.entries(values) : [];
  for (const [key, value] of entries) {
    if (typeof value !== 'string' || !isBase64(value)) {
      throw badRequest(`${member}[${key}] of the ${draft.kind} is not base64`);
    }
  }
  return Object.fromEntries(entries);
}

function problemsOfType(draft: ObjectDraft, live: Stored | undefined): readonly StatusCause[] {
  return live === undefined || live['type'] === draft['type']
    ? []
    : [{ reason: 'FieldValueInvalid', field: 'type', message: 'Invalid value: field is immutable' }];
}

/** kube-apiserver allows 1 MiB for all values together. base64 is a third longer. */
const maxDataBytes = 1024 * 1024;

function problemsOfSize(draft: ObjectDraft, members: readonly string[]): readonly StatusCause[] {
  const bytes = members.reduce((sum, member) => {
    const values = Object.values(isJsonObject(draft[member]) ? draft[member] : {});
    const total = values.reduce<number>((size, value) => size + (typeof value === 'string' ? value.length : 0), 0);
    return sum + (member === 'data' && draft.kind === 'ConfigMap' ? total : (total * 3) / 4);
  }, 0);
  const message = `Too long: may not be more than ${maxDataBytes} bytes`;
  return bytes > maxDataBytes ? [{ reason: 'FieldValueTooLong', field: members[0] ?? '', message }] : [];
}

/** `immutable: true` cannot be unset. It forbids changes of the data. */
function problemsOfFrozen(
  draft: ObjectDraft,
  live: Stored | undefined,
  members: readonly string[],
): readonly StatusCause[] {
  if (live?.['immutable'] !== true) {
    return [];
  }
  return ['immutable', ...members]
    .filter(member => !sameJson(draft[member], live[member]))
    .map(member => ({
      reason: 'FieldValueForbidden',
      field: member,
      message: 'Forbidden: field is immutable when `immutable` is set',
    }));
}

/** Keys become file names in a mounted volume. */
function problemsOfKeys(draft: ObjectDraft, members: readonly string[]): readonly StatusCause[] {
  return members.flatMap(member =>
    Object.keys(isJsonObject(draft[member]) ? draft[member] : {})
      .filter(key => !/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key === '.' || key.startsWith('..'))
      .map(key => ({
        reason: 'FieldValueInvalid' as const,
        field: `${member}[${key}]`,
        message: `Invalid value: ${JSON.stringify(key)}: a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
      })),
  );
}

/** A key may occur only once in `data` and `binaryData`. */
function problemsOfDuplicates({ data, binaryData }: ObjectDraft): readonly StatusCause[] {
  return Object.keys(isJsonObject(data) ? data : {})
    .filter(key => isJsonObject(binaryData) && Object.hasOwn(binaryData, key))
    .map(key => ({
      reason: 'FieldValueInvalid',
      field: `data[${key}]`,
      message: `Invalid value: ${JSON.stringify(key)}: duplicate of key present in binaryData`,
    }));
}

const configMapStrategy: Strategy = {
  complete(draft) {
    const data = isJsonObject(draft['data']) ? draft['data'] : {};
    const binaryData = checkBase64(draft, 'binaryData');
    // True: only members other than apiVersion, kind and metadata are removed.
    const bare = without(draft, 'data', 'binaryData') as ObjectDraft;
    return {
      ...bare,
      ...(Object.keys(data).length === 0 ? {} : { data }),
      ...(Object.keys(binaryData).length === 0 ? {} : { binaryData }),
    };
  },
  validate: (draft, live) => [
    ...problemsOfFrozen(draft, live, ['data', 'binaryData']),
    ...problemsOfKeys(draft, ['data', 'binaryData']),
    ...problemsOfDuplicates(draft),
    ...problemsOfSize(draft, ['data', 'binaryData']),
  ],
};

export const namespaces = coreKind('Namespace', 'namespaces', {
  names: { singular: 'namespace', listKind: 'NamespaceList', shortNames: ['ns'], categories: [] },
  namespaced: false,
  versions: plainVersion(namespaceSchema, ['status.phase']).map(version => ({ ...version, status: true })),
  collectionDeletable: false,
  nameRule: 'label',
  listStrategies: { 'spec.finalizers': 'replace', 'status.conditions': { key: 'type' } },
  strategy: namespaceStrategy,
});

export const definitions = coreKind('CustomResourceDefinition', 'customresourcedefinitions', {
  group: 'apiextensions.k8s.io',
  names: {
    singular: 'customresourcedefinition',
    listKind: 'CustomResourceDefinitionList',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
  },
  namespaced: false,
  versions: [{ name: 'v1', status: true }],
  countsGeneration: true,
  unconditionalUpdate: false,
  strategy: definitionStrategy,
});

export const builtInKinds: readonly Resource[] = [
  namespaces,
  coreKind('Secret', 'secrets', {
    versions: plainVersion(secretSchema, ['type']),
    listStrategies: {},
    strategy: secretStrategy,
  }),
  coreKind('ConfigMap', 'configmaps', {
    names: { singular: 'configmap', listKind: 'ConfigMapList', shortNames: ['cm'], categories: [] },
    versions: plainVersion(configMapSchema),
    listStrategies: {},
    strategy: configMapStrategy,
  }),
  events,
  eventsOfGroup,
  definitions,
];
