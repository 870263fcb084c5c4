// Validation rules, embedded objects, valid definitions, selectable fields.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Api, type Case, created, done, expectInvalid, listed, ours } from '../api-case.ts';
import { group } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function aGizmo(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: `${group}/v1`, kind: 'Gizmo', metadata: { name: freshName(), ...metadata }, spec };
}

function post(api: Api, spec: JsonObject, metadata?: JsonObject) {
  return api.http.post(ours(api, 'gizmos'), aGizmo(spec, metadata));
}

function define(api: Api, name: string, schema: JsonObject | undefined) {
  const names = { kind: 'Odd', listKind: 'OddList', plural: 'odds', singular: 'odd' };
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
    },
  ];
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  return api.http.post(crds, { ...kind, metadata: { name }, spec: { group, scope: 'Namespaced', names, versions } });
}

export const ruleCases: readonly Case[] = [
  {
    id: 'A46',
    says: 'metadata of an embedded object loses unknown fields, and keeps the rest',
    async run(api) {
      const metadata = { name: 'inner', labels: { a: 'b' } };
      const template = { apiVersion: 'v1', kind: 'Inner', metadata: { ...metadata, odd: 1 }, spec: { size: 1 } };
      const answer = await post(api, { template });
      expect(created(answer).spec).toEqual({ template: { ...template, metadata } });
      expect(answer.warnings).toEqual([expect.stringContaining('spec.template.metadata.odd')]);
      const missing = await post(api, { template: { kind: 'Inner' } });
      expectInvalid(missing, { reason: 'FieldValueRequired', field: 'spec.template.apiVersion' });
    },
  },
  {
    id: 'A49',
    says: 'a violated rule is reported with its reason and field; transition rules run on updates, not on create',
    async run(api) {
      expectInvalid(await post(api, { low: 2, high: 1 }), { reason: 'FieldValueForbidden', field: 'spec.low' });
      const gizmo = created(await post(api, { size: 2 }));
      const path = ours(api, 'gizmos', gizmo.metadata.name);
      const smaller = await api.http.patch(path, { spec: { size: 1 } });
      expectInvalid(smaller, { reason: 'FieldValueInvalid', field: 'spec.size' });
      const { resourceVersion } = gizmo.metadata;
      const replaced = await api.http.put(path, aGizmo({ size: 0 }, { name: gizmo.metadata.name, resourceVersion }));
      expectInvalid(replaced, { reason: 'FieldValueInvalid', field: 'spec.size' });
      expect(done(await api.http.patch(path, { spec: { size: 3 } })).spec).toEqual({ size: 3 });
      const status = await api.http.patch(`${path}/status`, { status: { count: -1 } });
      expectInvalid(status, { reason: 'FieldValueInvalid', field: 'status' });
      expect(done(await api.http.patch(`${path}/status`, { status: { count: 1 } })).status).toEqual({ count: 1 });
    },
  },
  {
    id: 'A54',
    says: 'a CRD with another name, without schema, or with a rule on an unknown field is rejected',
    async run(api) {
      const name = `odds.${group}`;
      const rule = { 'x-kubernetes-validations': [{ rule: 'self.spec.size > 0' }] };
      expectInvalid(await define(api, `even.${group}`, { type: 'object' }), { field: 'metadata.name' });
      expectInvalid(await define(api, name, undefined), { field: expect.stringContaining('openAPIV3Schema') });
      const properties = { spec: { type: 'object' } };
      const answer = await define(api, name, { type: 'object', properties, ...rule });
      expectInvalid(answer, { field: expect.stringContaining('openAPIV3Schema') });
      expect(answer.text).toContain("undefined field 'size'");
    },
  },
  {
    id: 'A73',
    says: 'field selectors match by name and by a field of the CRD',
    async run(api) {
      const [mode, other] = [freshName('mode'), freshName('mode')];
      const one = created(await post(api, { mode }));
      created(await post(api, { mode: other }));
      const named = async (fieldSelector: string) => {
        const { items } = await listed(api, ours(api, 'gizmos'), { query: { fieldSelector } });
        return items.map(({ metadata }) => metadata.name);
      };
      expect(await named(`spec.mode=${mode}`)).toEqual([one.metadata.name]);
      expect(await named(`metadata.name=${one.metadata.name}`)).toEqual([one.metadata.name]);
      expect(await named(`spec.mode=${mode},metadata.name=none`)).toEqual([]);
    },
  },
];
