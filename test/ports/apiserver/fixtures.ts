// The kinds of the API server's conformance cases. No other test uses them.
import type { JsonObject } from '@capi-serverless/apimachinery';

export const group = 'conformance.example.com';
export const finalizer = `${group}/hold`;

const text: JsonObject = { type: 'string' };
const integer: JsonObject = { type: 'integer' };

const widgetSpec: JsonObject = {
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['Plain', 'Fancy'], default: 'Plain' },
    size: { type: 'integer', minimum: 0 },
    replicas: { type: 'integer', default: 1 },
    note: text,
    code: { type: 'string', maxLength: 5 },
    few: { type: 'array', maxItems: 2, items: text },
    parts: { type: 'array', items: text },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, value: integer } },
    },
    lookup: { type: 'object', additionalProperties: text },
    pair: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { left: text, right: text } },
    perhaps: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const conditions: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: { type: 'object', required: ['type', 'status'], properties: { type: text, status: text } },
};

const widgetStatus: JsonObject = { type: 'object', properties: { phase: text, count: integer, conditions } };

function version(
  name: string,
  parts: { readonly storage: boolean; readonly spec: JsonObject; readonly status?: JsonObject },
) {
  const { storage, spec, status } = parts;
  const properties = { spec, ...(status === undefined ? {} : { status }) };
  return { name, served: true, storage, schema: { openAPIV3Schema: { type: 'object', properties } } };
}

function definition(kind: string, parts: { readonly names?: JsonObject; readonly versions: readonly JsonObject[] }) {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular, ...parts.names },
      versions: parts.versions,
    },
  };
}

const widgetExtras = {
  subresources: { status: {} },
  additionalPrinterColumns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  ],
};

/** A kind with two served versions, a status subresource, printer columns, and a field for each validation rule. */
export const widgetCrd = definition('Widget', {
  names: { shortNames: ['wdg'], categories: ['conformance'] },
  versions: [
    { ...version('v1', { storage: true, spec: widgetSpec, status: widgetStatus }), ...widgetExtras },
    { ...version('v1alpha1', { storage: false, spec: widgetSpec, status: widgetStatus }), ...widgetExtras },
  ],
});

/** A kind with rules for values and for changes, an embedded object, and a selectable field. */
export const gizmoCrd = definition('Gizmo', {
  versions: [
    {
      ...version('v1', {
        storage: true,
        spec: {
          type: 'object',
          properties: {
            mode: text,
            size: {
              type: 'integer',
              'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }],
            },
            low: integer,
            high: integer,
            template: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              properties: { spec: { type: 'object', properties: { size: integer } } },
            },
          },
          'x-kubernetes-validations': [
            {
              rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
              message: 'low must not be above high',
              reason: 'FieldValueForbidden',
              fieldPath: '.low',
            },
          ],
        },
        status: {
          type: 'object',
          properties: { count: integer },
          'x-kubernetes-validations': [{ rule: '!has(self.count) || self.count >= 0' }],
        },
      }),
      subresources: { status: {} },
      selectableFields: [{ jsonPath: '.spec.mode' }],
    },
  ],
});

/** A kind with the scale subresource. */
export const fleetCrd = definition('Fleet', {
  versions: [
    {
      ...version('v1', {
        storage: true,
        spec: { type: 'object', properties: { replicas: { ...integer, maximum: 100 }, note: text } },
        status: { type: 'object', properties: { replicas: integer, selector: text } },
      }),
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
    },
  ],
});

/** A kind whose schema changes while objects exist. */
export const drifterCrd = drifterWith({ size: integer });

/** The same kind with another schema of `spec`. */
export function drifterWith(properties: JsonObject) {
  return definition('Drifter', { versions: [version('v1', { storage: true, spec: { type: 'object', properties } })] });
}

/** A kind whose schema becomes stricter than the stored objects. */
export const tightenedCrd = tightenedWith({});

/** The same kind with stricter rules for one text and for every item. */
export function tightenedWith(limits: JsonObject) {
  const limited = { ...text, ...limits };
  const item = { type: 'object', required: ['name'], properties: { name: text, value: limited } };
  const list = { type: 'array', items: item };
  const keyed = { ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const properties = {
    size: integer,
    code: limited,
    keyed,
    plain: list,
    lookup: { type: 'object', additionalProperties: limited },
  };
  return definition('Tightened', {
    names: { plural: 'tighteneds' },
    versions: [version('v1', { storage: true, spec: { type: 'object', properties } })],
  });
}

const plain = { versions: [version('v1', { storage: true, spec: { type: 'object', properties: { size: integer } } })] };

/** Kinds that are installed by one case each. The suite's setup does not install them. */
export const newcomerCrd = definition('Newcomer', plain);
export const followedCrd = definition('Followed', plain);
export const informedCrd = definition('Informed', plain);
