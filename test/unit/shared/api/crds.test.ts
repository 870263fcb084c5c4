import { crdNameOf, pluralOf } from '@capi-serverless/apimachinery';
import { describe, expect, test } from 'vitest';
import { simulatedCrds } from '../../../../local/provider/crds/index.ts';
import { clusterctlProviderCrd } from '../../../../shared/api/clusterctl-provider/crd.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';
import type { CustomResourceDefinition } from '../../../../shared/api/schema/definition.ts';
import type { JsonSchema } from '../../../../shared/api/schema/json-schema.ts';
import { type FieldFacts, flatten } from './flat-schema.ts';

const crds = [...coreCrds, ...simulatedCrds, clusterctlProviderCrd];
const named = crds.map(crd => [crd.spec.names.kind, crd] as const);

function rootSchemas(crd: CustomResourceDefinition): readonly JsonSchema[] {
  return crd.spec.versions.map(version => version.schema.openAPIV3Schema);
}

function fieldsOf(crd: CustomResourceDefinition): readonly (readonly [path: string, facts: FieldFacts])[] {
  return rootSchemas(crd).flatMap(schema => [...flatten(schema)]);
}

/** Converts `.a.b[?(@.type=="X")].c` to the path of a field: `.a.b[].c`. */
function toFieldPath(jsonPath: string): string {
  return jsonPath.replaceAll(/\[\?\([^)]*\)\]/g, '[]');
}

/** Checks the API server's rules for structural schemas. Returns one line per violation. */
function violations(schema: JsonSchema, path: string): readonly string[] {
  const { properties = {}, items, additionalProperties, required = [] } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const isTyped =
    schema.type !== undefined ||
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  return [
    ...(isTyped ? [] : [`${path} has no type`]),
    ...(schema.type === 'array' && items === undefined ? [`${path} has no items`] : []),
    ...(additionalProperties !== undefined && Object.keys(properties).length > 0
      ? [`${path} has both fields and free keys`]
      : []),
    ...required.filter(name => properties[name] === undefined).map(name => `${path} requires ${name}, which it lacks`),
    ...((schema['x-kubernetes-list-type'] === 'map') === keys.length > 0 ? [] : [`${path} needs keys, or a map list`]),
    ...keys.filter(key => items?.required?.includes(key) !== true).map(key => `${path} has the optional key ${key}`),
    ...Object.entries(properties).flatMap(([name, child]) => violations(child, `${path}.${name}`)),
    ...(items === undefined ? [] : violations(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : violations(additionalProperties, `${path}{}`)),
  ];
}

/** Kinds without a controller: rules, and records of controllers of other kinds. */
const withoutReport: ReadonlySet<string> = new Set([
  ...['MachineDrainRule', 'ClusterResourceSetBinding', 'IPAddress', 'Provider'],
]);

describe.each(named)('the definition of %s', (kind, crd) => {
  test('is named after its plural and group', () => {
    expect(crd.metadata.name).toBe(crdNameOf({ group: crd.spec.group, kind }));
    expect(crd.spec.names).toMatchObject({
      plural: pluralOf(kind),
      singular: kind.toLowerCase(),
      listKind: `${kind}List`,
    });
  });

  test('stores one version, with a status subresource', () => {
    expect(crd.spec.versions.filter(version => version.storage)).toHaveLength(1);
    for (const { schema, subresources } of crd.spec.versions) {
      const hasStatus = schema.openAPIV3Schema.properties?.['status'] !== undefined;
      expect(subresources.status).toEqual(hasStatus ? {} : undefined);
      expect(hasStatus).toBe(!kind.endsWith('Template') && !withoutReport.has(kind));
    }
  });

  test('has a structural schema', () => {
    expect(rootSchemas(crd).flatMap(schema => violations(schema, ''))).toEqual([]);
  });

  test('has patterns that compile', () => {
    for (const [, facts] of fieldsOf(crd)) {
      const { pattern } = facts;
      expect(() => new RegExp(String(pattern ?? ''), 'u')).not.toThrow();
    }
  });

  test('has columns and scale paths whose fields exist', () => {
    const known = new Set(fieldsOf(crd).map(([path]) => path));
    const paths = crd.spec.versions.flatMap(({ additionalPrinterColumns, subresources }) => [
      ...additionalPrinterColumns.map(column => column.jsonPath).filter(path => !path.startsWith('.metadata.')),
      ...Object.values(subresources.scale ?? {}),
    ]);
    expect(paths.map(toFieldPath).filter(path => !known.has(path))).toEqual([]);
  });
});

test('no two kinds share a resource name, a short name or a list kind', () => {
  const names = crds.flatMap(({ spec: { group, names: own } }) =>
    [own.plural, own.singular, own.listKind, ...(own.shortNames ?? [])].map(name => `${name}.${group}`),
  );
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});

test.each(simulatedCrds.map(crd => [crd.spec.names.kind, crd] as const))(
  'the definition of %s has a label with the version of each contract',
  (_, crd) => {
    const served = crd.spec.versions.filter(version => version.served).map(version => version.name);
    const contracts = Object.entries(crd.metadata.labels).filter(([key]) => /^cluster\.x-k8s\.io\/v\d/.test(key));
    expect(contracts).toEqual(served.map(version => [`cluster.x-k8s.io/${version}`, version]));
  },
);

test('core definitions have the labels of an installation by clusterctl, and no contract label', () => {
  for (const crd of coreCrds) {
    expect(crd.metadata.labels).toEqual({
      'cluster.x-k8s.io/provider': 'cluster-api',
      'clusterctl.cluster.x-k8s.io': '',
    });
  }
});
