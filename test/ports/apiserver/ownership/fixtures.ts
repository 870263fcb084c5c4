// A kind whose schema has every structure with its own merge rules.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { group } from '../fixtures.ts';

const text: JsonObject = { type: 'string' };
const integer: JsonObject = { type: 'integer' };
const texts: JsonObject = { type: 'object', additionalProperties: text };

function struct(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

function setOf(items: JsonObject): JsonObject {
  return { type: 'array', 'x-kubernetes-list-type': 'set', items };
}

function keyed(keys: readonly string[], properties: JsonObject, required: readonly string[] = keys): JsonObject {
  const items = struct(properties, { required });
  return { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items };
}

const spec = struct({
  text,
  number: integer,
  flag: { type: 'boolean' },
  mode: { ...text, enum: ['Plain', 'Fancy'], default: 'Plain' },
  port: { 'x-kubernetes-int-or-string': true },
  perhaps: { ...text, nullable: true },
  nested: struct({
    a: text,
    b: struct({ c: text, d: integer, e: struct({ f: { ...text, default: 'x' } }, { default: {} }) }),
  }),
  map: texts,
  deepMap: { type: 'object', additionalProperties: struct({ x: text, y: integer }) },
  mapOfSets: { type: 'object', additionalProperties: setOf(text) },
  atomicMap: { ...texts, 'x-kubernetes-map-type': 'atomic' },
  atomicStruct: struct({ a: text, b: text }, { 'x-kubernetes-map-type': 'atomic' }),
  one: keyed(['name'], {
    name: text,
    value: integer,
    tags: setOf(text),
    labels: texts,
    kind: { ...text, default: 'k' },
  }),
  two: keyed(['port', 'protocol'], { port: integer, protocol: { ...text, default: 'TCP' }, name: text }, ['port']),
  set: setOf(text),
  numbers: setOf(integer),
  list: { type: 'array', items: text },
  objects: { type: 'array', items: struct({ a: text, b: { ...integer, default: 1 } }) },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  half: struct(
    { known: keyed(['name'], { name: text, value: integer }), a: text },
    { 'x-kubernetes-preserve-unknown-fields': true },
  ),
  embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
});

const status = struct({
  phase: text,
  nested: struct({ a: text, b: text }),
  conditions: keyed(['type'], { type: text, status: text, reason: text }, ['type', 'status']),
});

function version(name: string, storage: boolean): JsonObject {
  const schema = { openAPIV3Schema: struct({ spec, status }) };
  return { name, served: true, storage, schema, subresources: { status: {} } };
}

export const richCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `riches.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Rich', listKind: 'RichList', plural: 'riches', singular: 'rich' },
    versions: [version('v1', true), version('v1beta1', false)],
  },
} as const;
