// OpenAPI v3 documents with the parts that kubectl reads: schemas, and the patches and parameters of each kind. Pure.
// https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import type { Resource, ServedVersion } from '../core/kinds.ts';
import { servedIn, versionsOf } from './discovery.ts';

/** The index of documents by group and version. */
export function showIndex(resources: readonly Resource[], revision: string): JsonObject {
  const groups = [...new Set(resources.map(({ group }) => group))];
  const roots = groups.flatMap(group => versionsOf(resources, group).map(version => rootOf(group, version)));
  return {
    paths: Object.fromEntries(
      roots.map(root => [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${encodeURIComponent(revision)}` }]),
    ),
  };
}

function rootOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** Returns undefined if the version has no served resource. */
export function showDocument(resources: readonly Resource[], group: string, version: string): JsonObject | undefined {
  const served = servedIn(resources, group, version);
  if (served.length === 0) {
    return undefined;
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(served.flatMap(({ resource, version: each }) => describePaths(resource, each))),
    components: {
      schemas: {
        ...metaSchemas,
        ...Object.fromEntries(served.flatMap(({ resource, version: each }) => describeSchemas(resource, each))),
      },
    },
  };
}

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const time = { type: 'string', format: 'date-time' };

const metaSchemas: JsonObject = {
  [`${metaPrefix}.ObjectMeta`]: {
    description: 'ObjectMeta is metadata that all persisted resources must have.',
    type: 'object',
    properties: {
      name: text,
      generateName: text,
      namespace: text,
      uid: text,
      resourceVersion: text,
      generation: { type: 'integer', format: 'int64' },
      creationTimestamp: time,
      deletionTimestamp: time,
      deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
      labels: texts,
      annotations: texts,
      finalizers: { type: 'array', items: text },
      ownerReferences: { type: 'array', items: { $ref: `#/components/schemas/${metaPrefix}.OwnerReference` } },
      managedFields: { type: 'array', items: { type: 'object' } },
    },
  },
  [`${metaPrefix}.OwnerReference`]: {
    type: 'object',
    required: ['apiVersion', 'kind', 'name', 'uid'],
    properties: {
      apiVersion: text,
      kind: text,
      name: text,
      uid: text,
      controller: { type: 'boolean' },
      blockOwnerDeletion: { type: 'boolean' },
    },
  },
  [`${metaPrefix}.ListMeta`]: {
    type: 'object',
    properties: { resourceVersion: text, continue: text, remainingItemCount: { type: 'integer', format: 'int64' } },
  },
};

function schemaName(resource: Resource, version: ServedVersion, kind: string): string {
  const reversed = resource.group === '' ? 'io.k8s.api.core' : resource.group.split('.').reverse().join('.');
  return `${reversed}.${version.name}.${kind}`;
}

function describeSchemas(resource: Resource, version: ServedVersion): readonly (readonly [string, JsonObject])[] {
  const { group, kind, names } = resource;
  const own = isJsonObject(version.openApi)
    ? version.openApi
    : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const name = schemaName(resource, version, kind);
  const common = { apiVersion: text, kind: text };
  const gvk = (of: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group, version: version.name, kind: of }],
  });
  const members = isJsonObject(own['properties']) ? own['properties'] : {};
  const metadata = { $ref: `#/components/schemas/${metaPrefix}.ObjectMeta` };
  return [
    [name, { ...own, type: 'object', properties: { ...members, ...common, metadata }, ...gvk(kind) }],
    [
      schemaName(resource, version, names.listKind),
      {
        type: 'object',
        required: ['items'],
        properties: {
          ...common,
          metadata: { $ref: `#/components/schemas/${metaPrefix}.ListMeta` },
          items: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
        },
        ...gvk(names.listKind),
      },
    ],
  ];
}

/** kubectl checks for these parameters before it sends them. */
const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'].map(name => ({
  name,
  in: 'query',
  schema: text,
}));

function describePaths(resource: Resource, version: ServedVersion): readonly (readonly [string, JsonObject])[] {
  const { group, kind, plural, namespaced } = resource;
  const root = `/${rootOf(group, version.name)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const schema = { $ref: `#/components/schemas/${schemaName(resource, version, kind)}` };
  const operation = (action: string, more: JsonObject = {}): JsonObject => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version: version.name, kind },
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    ...more,
  });
  const body = (...types: readonly string[]): JsonObject => ({
    parameters: writeParameters,
    requestBody: { content: Object.fromEntries(types.map(type => [type, { schema }])) },
  });
  const patch = operation('patch', body('application/json-patch+json', 'application/merge-patch+json'));
  return [
    [root, { get: operation('list'), post: operation('post', body('application/json')) }],
    [
      `${root}/{name}`,
      {
        get: operation('get'),
        put: operation('put', body('application/json')),
        patch,
        delete: operation('delete', { parameters: writeParameters }),
      },
    ],
  ];
}
