import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { groupOf, type Intent, toApiVersion, toRecord } from '@capi-serverless/apimachinery';
import { describe, expect, test } from 'vitest';
import { referencesOf as templatesOf } from '../../../functions/clusterclass/phases/template-references.ts';
import { applyManifests, parseManifests, toResultLines } from '../../../local/manifests.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { orderPrefix, ordersOf } from '../../../local/provider/orders.ts';
import { readClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import type { JsonSchema } from '../../../shared/api/schema/json-schema.ts';
import { createMemoryApi } from '../../support/memory-api.ts';

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
const files = ['', 'topology/'].flatMap(below =>
  readdirSync(`${folder}${below}`)
    .filter(name => name.endsWith('.yaml'))
    .map(name => `${below}${name}`),
);

const text: JsonSchema = { type: 'string' };
const configMap: JsonSchema = {
  type: 'object',
  properties: { apiVersion: text, kind: text, data: { type: 'object', additionalProperties: text } },
};

const schemas = new Map<string, JsonSchema>([
  ['v1 ConfigMap', configMap],
  ...[...coreCrds, ...simulatedCrds].flatMap(({ spec }) =>
    spec.versions.map(
      ({ name: version, schema }) =>
        [`${toApiVersion({ group: spec.group, version })} ${spec.names.kind}`, schema.openAPIV3Schema] as const,
    ),
  ),
]);

/** Returns unknown fields and missing required fields, which make an example invalid. */
function undeclared(value: unknown, schema: JsonSchema | undefined, path: string): readonly string[] {
  if (schema === undefined) {
    return [`${path} is unknown`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => undeclared(item, schema.items, `${path}[${at}]`));
  }
  if (typeof value !== 'object' || value === null || schema['x-kubernetes-preserve-unknown-fields'] === true) {
    return [];
  }
  const { properties = {}, additionalProperties, required = [] } = schema;
  return [
    ...required.filter(name => !(name in value)).map(name => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, child]) =>
      undeclared(child, properties[name] ?? additionalProperties, `${path}.${name}`),
    ),
  ];
}

function problemsOf({ metadata: _, ...object }: Intent): readonly string[] {
  const schema = schemas.get(`${object.apiVersion} ${object.kind}`);
  return undeclared(object, schema, object.kind);
}

/** Returns `group kind name` of each reference in the object. */
function referencesOf({ kind, spec, ...object }: Intent): readonly string[] {
  const { infrastructureRef, controlPlaneRef } = toRecord(spec);
  const metadata = { uid: '', resourceVersion: '', ...object.metadata };
  switch (kind) {
    case 'Cluster':
      return [infrastructureRef, controlPlaneRef]
        .filter(ref => ref !== undefined)
        .map(toRecord)
        .map(ref => `${ref['apiGroup']} ${ref['kind']} ${ref['name']}`);
    case 'ClusterClass':
      return templatesOf(readClusterClass({ apiVersion: object.apiVersion, kind, metadata, spec })).map(
        ref => `${groupOf(ref.apiVersion)} ${ref.kind} ${ref.name}`,
      );
    default:
      return [];
  }
}

describe.each(files)('examples/%s', file => {
  const text = readFileSync(`${folder}${file}`, 'utf8');
  const objects = parseManifests(text, file);

  test('uses only known fields, and has all required ones', () => {
    expect(objects.flatMap(problemsOf)).toEqual([]);
  });

  test('is accepted by an API server', async () => {
    const { kubernetes } = createMemoryApi();
    const results = await applyManifests(kubernetes, objects, { fieldManager: 'tester' });
    expect(results.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines)).toEqual([]);
  });

  test('holds the objects that its Clusters and ClusterClasses reference', () => {
    const present = objects.map(({ apiVersion, kind, metadata }) => `${groupOf(apiVersion)} ${kind} ${metadata.name}`);
    expect(objects.flatMap(referencesOf).filter(named => !present.includes(named))).toEqual([]);
  });
});

test('the examples hold Clusters and ClusterClasses with references', () => {
  const all = files.flatMap(file => parseManifests(readFileSync(`${folder}${file}`, 'utf8'), file));
  const referring = new Set(all.filter(object => referencesOf(object).length > 0).map(({ kind }) => kind));
  expect([...referring].toSorted()).toEqual(['Cluster', 'ClusterClass']);
});

test('the annotations that the examples explain are those that the simulated provider reads', () => {
  const text = files.map(file => readFileSync(`${folder}${file}`, 'utf8')).join('\n');
  const explained = [...text.matchAll(/simulated\.capi-serverless\.dev\/([\w-]+?)=/g)].map(([, order]) => order ?? '');
  const ordersWith = (annotations: Readonly<Record<string, string>>) =>
    ordersOf({ metadata: { name: 'ordered', uid: '', resourceVersion: '', annotations } });
  const obeyed = explained.filter(
    order => JSON.stringify(ordersWith({ [`${orderPrefix}${order}`]: 'x' })) !== JSON.stringify(ordersWith({})),
  );
  expect(explained).toEqual(expect.arrayContaining(['fail', 'terminal', 'hang', 'lose', 'delete-hang']));
  expect(obeyed).toEqual(explained);
});
