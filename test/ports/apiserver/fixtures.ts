// The kinds that the API server's conformance cases use. They belong to nobody else.

export const group = 'conformance.example.com';
export const finalizer = `${group}/hold`;

type Fields = Readonly<Record<string, unknown>>;

const text: Fields = { type: 'string' };
const integer: Fields = { type: 'integer' };

const widgetSpec: Fields = {
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
    perhaps: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const widgetStatus: Fields = { type: 'object', properties: { phase: text, count: integer } };

function version(name: string, parts: { readonly storage: boolean; readonly spec: Fields; readonly status?: Fields }) {
  const { storage, spec, status } = parts;
  const properties = { spec, ...(status === undefined ? {} : { status }) };
  return { name, served: true, storage, schema: { openAPIV3Schema: { type: 'object', properties } } };
}

function definition(kind: string, parts: { readonly names?: Fields; readonly versions: readonly Fields[] }) {
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

/** Two served versions, a status subresource, printer columns, and a field for each rule of validation. */
export const widgetCrd = definition('Widget', {
  names: { shortNames: ['wdg'], categories: ['conformance'] },
  versions: [
    { ...version('v1', { storage: true, spec: widgetSpec, status: widgetStatus }), ...widgetExtras },
    { ...version('v1alpha1', { storage: false, spec: widgetSpec, status: widgetStatus }), ...widgetExtras },
  ],
});

/** A kind whose schema changes while objects exist. */
export const drifterCrd = drifterWith({ size: integer });

/** The same kind with another schema of `spec`. */
export function drifterWith(properties: Fields) {
  return definition('Drifter', { versions: [version('v1', { storage: true, spec: { type: 'object', properties } })] });
}

const plain = { versions: [version('v1', { storage: true, spec: { type: 'object', properties: { size: integer } } })] };

/** Kinds that the suite's set-up leaves to one case each. */
export const newcomerCrd = definition('Newcomer', plain);
export const followedCrd = definition('Followed', plain);
export const informedCrd = definition('Informed', plain);
