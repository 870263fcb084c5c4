// The merge types of the built-in kinds, from their published OpenAPI schemas.
import { groupOf, type JsonObject } from '@capi-serverless/apimachinery';
import { type MergeType, toMergeType } from './merge-type.ts';
import { workloadTypes } from './workload-types.ts';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer' };
const time = { type: 'string', format: 'date-time' };
const textMap = { type: 'object', additionalProperties: text };
const byteMap = { type: 'object', additionalProperties: { type: 'string', format: 'byte' } };
const piece = { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } };

function struct(properties: object, more: object = {}): object {
  return { type: 'object', properties, ...more };
}

function keyed(key: string, properties: object): object {
  return {
    type: 'array',
    items: struct(properties),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  };
}

const condition = { type: text, status: text, reason: text, message: text, lastTransitionTime: time };

const reference = struct(
  { apiVersion: text, kind: text, namespace: text, name: text, uid: text, resourceVersion: text, fieldPath: text },
  { 'x-kubernetes-map-type': 'atomic' },
);

const source = struct({ component: text, host: text });
const series = struct({ count, lastObservedTime: time });
const common = { eventTime: time, action: text, reason: text, type: text, related: reference, series };

const coreEvent = struct({
  ...common,
  involvedObject: reference,
  message: text,
  source,
  firstTimestamp: time,
  lastTimestamp: time,
  count,
  reportingComponent: text,
  reportingInstance: text,
});

const eventOfGroup = struct({
  ...common,
  regarding: reference,
  note: text,
  reportingController: text,
  reportingInstance: text,
  deprecatedSource: source,
  deprecatedFirstTimestamp: time,
  deprecatedLastTimestamp: time,
  deprecatedCount: count,
});

const names = struct({
  plural: text,
  singular: text,
  kind: text,
  listKind: text,
  shortNames: { type: 'array', items: text },
  categories: { type: 'array', items: text },
});

const webhook = struct({
  conversionReviewVersions: { type: 'array', items: text },
  clientConfig: struct({
    url: text,
    caBundle: { type: 'string', format: 'byte' },
    service: struct({ namespace: text, name: text, path: text, port: count }),
  }),
});

const definition = struct({
  spec: struct({
    group: text,
    scope: text,
    preserveUnknownFields: flag,
    names,
    versions: piece,
    conversion: struct({ strategy: text, webhook }),
  }),
  status: struct({
    conditions: keyed('type', { ...condition, observedGeneration: count }),
    acceptedNames: names,
    storedVersions: { type: 'array', items: text },
    observedGeneration: count,
  }),
});

const namespace = struct({
  spec: struct({ finalizers: { type: 'array', items: text } }),
  status: struct({ phase: text, conditions: keyed('type', condition) }),
});

interface BuiltInType {
  readonly type: MergeType;
  /** The object before any field is set. It contains members that are written even if they are empty. */
  readonly zero: JsonObject;
}

interface Described {
  readonly schema: object;
  readonly zero?: JsonObject;
}

const noNames = { plural: '', kind: '' };

const kinds: Readonly<Record<string, Described>> = {
  ...workloadTypes,
  '/ConfigMap': { schema: struct({ data: textMap, binaryData: byteMap, immutable: flag }) },
  '/Secret': { schema: struct({ data: byteMap, stringData: textMap, type: text, immutable: flag }) },
  '/Namespace': { schema: namespace, zero: { spec: {}, status: {} } },
  '/Event': {
    schema: coreEvent,
    zero: {
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  },
  'events.k8s.io/Event': {
    schema: eventOfGroup,
    zero: {
      eventTime: null,
      regarding: {},
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    },
  },
  'apiextensions.k8s.io/CustomResourceDefinition': {
    schema: definition,
    zero: {
      spec: { group: '', names: noNames, scope: '', versions: null },
      status: { conditions: null, acceptedNames: noNames, storedVersions: null },
    },
  },
};

/** Returns `undefined` if the kind is not a known built-in kind. */
export function builtInType(apiVersion: string, kind: string): BuiltInType | undefined {
  const described = kinds[`${groupOf(apiVersion)}/${kind}`];
  return described === undefined ? undefined : { type: toMergeType(described.schema), zero: described.zero ?? {} };
}
