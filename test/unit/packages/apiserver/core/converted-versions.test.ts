import { isJsonObject, memberOf, toApiVersion } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiCore } from '../../../../../packages/apiserver/core/api-core.ts';
import type { ResourceEndpoint } from '../../../../../packages/apiserver/core/kinds.ts';
import type { VersionConversion } from '../../../../../packages/apiserver/core/version-conversion.ts';
import { installCrd } from '../../../../support/memory-api.ts';
import {
  at,
  aWidget,
  aWorld,
  causesOf,
  drain,
  endpointOf,
  namespace,
  refusalOf,
  widgetCrd,
} from './core-with-widgets.ts';

const { group } = widgetCrd.spec;

/** The size of v1 is the width of v1beta1, if it is not 7. The lookups of labels are recorded. */
const lookups: unknown[] = [];
const sizes: VersionConversion = {
  versionsOf: ({ kind }) =>
    kind === 'Widget' || kind === 'Gadget' ? [{ name: 'v1beta1', deprecation: 'v1beta1 is old' }] : [],
  convert(object, version, labelsOf) {
    lookups.push(labelsOf(widgetCrd.metadata.name), labelsOf('none'));
    const [from, to] = version === 'v1' ? ['width', 'size'] : ['size', 'width'];
    const { [from]: value, ...others } = isJsonObject(object['spec']) ? object['spec'] : {};
    if (value === 7) {
      return { ok: false, error: `spec.${from}: is 7` };
    }
    const spec = value === undefined ? others : { ...others, [to]: value };
    return { ok: true, value: { ...object, apiVersion: toApiVersion({ group, version }), spec } };
  },
  unknownFields: ({ spec }) => (memberOf(spec, 'size') === undefined ? [] : ['spec.size']),
  fieldOf: (_, field) => field.replace('spec.size', 'spec.width'),
  schemaOf: ({ kind }, stored) => ({ description: `${kind} from ${typeof stored}` }),
};

const limited = {
  ...widgetCrd,
  spec: {
    ...widgetCrd.spec,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'integer', maximum: 10 }, name: { type: 'string' } },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

describe('a version that a program converts', () => {
  let core: ApiCore;
  let newer: ResourceEndpoint;
  let older: ResourceEndpoint;

  beforeEach(() => {
    ({ core } = aWorld({ conversion: sizes }));
    const definition = at(
      endpointOf(core, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      limited.metadata.name,
    );
    core.update(definition, { ...limited, metadata: core.get(definition).metadata });
    newer = core.registry.endpointOfResource(group, 'v1', 'widgets');
    older = core.registry.endpointOfResource(group, 'v1beta1', 'widgets');
  });

  const anOlder = (name: string, spec: object, metadata: object = {}): object => ({
    ...aWidget(name, { spec, metadata }),
    apiVersion: `${group}/v1beta1`,
  });

  it('is stored in the storage version', () => {
    expect(core.create(older, namespace, anOlder('a', { width: 2 })).spec).toEqual({ width: 2 });
    expect(core.get(at(newer, 'a')).spec).toEqual({ size: 2 });
    expect(core.get(at(older, 'a')).spec).toEqual({ width: 2 });
    const patched = core.patch(at(older, 'a'), { type: 'merge', body: { spec: { width: 3 } } });
    expect(patched.spec).toEqual({ width: 3 });
    expect(core.update(at(older, 'a'), { ...patched, spec: { width: 4 } }).spec).toEqual({ width: 4 });
    const json = [{ op: 'replace', path: '/spec/width', value: 5 }];
    expect(core.patch(at(older, 'a'), { type: 'json', body: json }).spec).toEqual({ width: 5 });
    core.patch(at(older, 'a'), { type: 'merge', body: { status: { size: 1 } } }, 'status');
    expect(core.get(at(newer, 'a'))).toMatchObject({ spec: { size: 5 }, status: { size: 1 } });
    expect(lookups.slice(-2)).toEqual([undefined, undefined]);
  });

  it('has the schema, the deprecation and the subresources that the program and the storage version give', () => {
    expect(older.version).toMatchObject({
      deprecation: 'v1beta1 is old',
      status: true,
      openApi: { description: 'Widget from object' },
    });
    expect(older.version.schema).toBeUndefined();
    core.create(newer, namespace, aWidget('a', { spec: { size: 2 } }));
    expect(core.get(at(older, 'a'), 'scale').spec).toEqual({ replicas: 2 });
    core.patch(at(older, 'a'), { type: 'merge', body: { spec: { replicas: 3 } } }, 'scale');
    const scale = core.get(at(older, 'a'), 'scale');
    core.update(at(older, 'a'), { ...scale, spec: { replicas: 4 } }, 'scale');
    expect(core.get(at(newer, 'a')).spec).toEqual({ size: 4 });
  });

  it('has its own unknown fields, and errors in its own terms', () => {
    const unknown: (readonly string[])[] = [];
    const writer = core.writing({ onUnknown: paths => unknown.push(paths) });
    writer.create(older, namespace, anOlder('a', { width: 1, more: 1 }));
    writer.create(older, namespace, anOlder('b', { width: 1, size: 1 }));
    expect(unknown).toEqual([['spec.more'], ['spec.size']]);
    const tooWide = (): unknown => core.create(older, namespace, anOlder('c', { width: 11 }));
    expect(causesOf(tooWide)).toEqual(['FieldValueInvalid spec.width']);
    expect(refusalOf(tooWide).message).toContain('Widget.unit.example.com "c" is invalid: spec.width: ');
    expect(refusalOf(() => core.create(older, namespace, anOlder('c', { width: 7 })))).toMatchObject({
      code: 400,
      message: 'Widget in version "v1beta1" cannot be handled as a Widget: spec.width: is 7',
    });
    expect(refusalOf(() => core.create(older, namespace, anOlder('a', { width: 1 })))).toMatchObject({ code: 409 });
  });

  it('refuses patches that change its version, and strange addresses, as other versions do', () => {
    core.create(older, namespace, anOlder('a', { width: 1 }));
    const patch = (body: object, name = 'a') =>
      refusalOf(() => core.patch(at(older, name), { type: 'merge', body })).code;
    expect(patch({ apiVersion: `${group}/v1` })).toBe(422);
    expect(patch({ metadata: { resourceVersion: '1' } })).toBe(409);
    expect(patch({ metadata: { resourceVersion: null } })).toBe(422);
    expect(patch({}, 'none')).toBe(404);
    expect(refusalOf(() => core.delete(at(older, 'none'))).code).toBe(404);
  });

  it('is applied without fields that the intent does not have', () => {
    const writer = core.writing({ manager: 'me' });
    const apply = (spec: object) => writer.apply(at(older, 'a'), { body: anOlder('a', spec), force: false });
    expect(apply({ width: 2 })).toMatchObject({ created: true, object: { spec: { width: 2 } } });
    expect(core.get(at(newer, 'a')).metadata.managedFields).toMatchObject([
      { apiVersion: `${group}/v1`, operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } },
    ]);
    expect(apply({ name: 'n' }).object.spec).toEqual({ name: 'n' });
    expect(refusalOf(() => apply({ size: 1 }))).toMatchObject({
      code: 500,
      message: 'failed to create typed patch object: .spec.size: field not declared in schema',
    });
  });

  describe('with an object that cannot be converted', () => {
    const events = (endpoint: ResourceEndpoint): string[] =>
      drain(core.watch(endpoint, {})).map(event => event.replace(/@.*/, ''));

    beforeEach(() => {
      core.create(newer, namespace, aWidget('bad', { spec: { size: 7 } }));
      core.create(newer, namespace, aWidget('good'));
    });

    it('lists and watches the others', () => {
      expect(core.list(older, {})).toMatchObject({
        items: [{ metadata: { name: 'good' } }],
        unconverted: [{ namespace, name: 'bad', error: expect.stringContaining('spec.size: is 7') }],
      });
      expect(core.list(newer, {})).not.toHaveProperty('unconverted');
      expect(events(older)).toEqual(['ADDED good']);
      expect(events(newer)).toEqual(['ADDED bad', 'ADDED good']);
    });

    it('neither returns nor deletes it', () => {
      const failure = {
        code: 500,
        message: 'Internal error occurred: conversion of Widget to version "v1beta1" failed: spec.size: is 7',
      };
      expect(refusalOf(() => core.get(at(older, 'bad')))).toMatchObject(failure);
      expect(refusalOf(() => core.delete(at(older, 'bad')))).toMatchObject(failure);
      expect(core.delete(at(older, 'good'))).toMatchObject({ gone: true, object: { spec: { width: 1 } } });
      expect(core.delete(at(newer, 'bad'))).toMatchObject({ gone: true });
    });

    it('sends it as an added object when it is mended, and as a deleted object when it breaks', () => {
      const watch = core.watch(older, { resourceVersion: core.resourceVersion() });
      const resize = (name: string, size: number) =>
        core.patch(at(newer, name), { type: 'merge', body: { spec: { size } } });
      resize('bad', 1);
      resize('good', 2);
      resize('good', 7);
      core.patch(at(newer, 'good'), { type: 'merge', body: { spec: { name: 'n' } } });
      expect(drain(watch).map(event => event.replace(/@.*/, ''))).toEqual([
        'ADDED bad',
        'MODIFIED good',
        'DELETED good',
      ]);
    });
  });
});

describe('a definition with a conversion webhook', () => {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const definitionOf = (kind: string, versions: readonly object[]) => ({
    ...widgetCrd,
    metadata: { name: `${kind.toLowerCase()}s.g.example.com` },
    spec: {
      group: 'g.example.com',
      scope: 'Cluster',
      names: { kind, plural: `${kind.toLowerCase()}s` },
      conversion: { strategy: 'Webhook' },
      versions,
    },
  });
  const [v1, v1beta1, v1alpha1] = [
    { name: 'v1', served: true, storage: true, schema },
    {
      name: 'v1beta1',
      served: true,
      storage: false,
      schema: { openAPIV3Schema: { type: 'object', description: 'its own' } },
      additionalPrinterColumns: [{ name: 'Own', type: 'string', jsonPath: '.kind' }],
    },
    { name: 'v1alpha1', served: true, storage: false, schema },
  ];

  it('is refused if it serves a version that nothing converts', () => {
    const { core } = aWorld();
    const install = (): void => installCrd(core, definitionOf('Gizmo', [v1, v1beta1, v1alpha1]));
    expect(causesOf(install)).toEqual(['FieldValueInvalid spec.conversion.strategy']);
    expect(refusalOf(install).message).toMatch(
      /cannot convert Gizmo between v1 and v1beta1, v1alpha1; set "served: false" on each version but the storage version v1$/,
    );
  });

  it('is accepted if it serves nothing but the storage version', () => {
    const { core } = aWorld();
    installCrd(core, definitionOf('Gizmo', [v1, { ...v1beta1, served: false }]));
    expect(() => endpointOf(core, 'g.example.com/v1beta1', 'Gizmo')).toThrow('404');
  });

  it('is accepted if a program converts its versions, which keep their schemas and columns', () => {
    const { core } = aWorld({ conversion: sizes });
    installCrd(core, definitionOf('Gadget', [v1, v1beta1]));
    const { version } = endpointOf(core, 'g.example.com/v1beta1', 'Gadget');
    expect(version).toMatchObject({ openApi: { description: 'its own' }, columns: [{ name: 'Own' }] });
    expect(version.convertedFrom).toBeDefined();
    expect(causesOf(() => installCrd(core, definitionOf('Widget', [v1, v1beta1, v1alpha1])))).toEqual([
      'FieldValueInvalid spec.conversion.strategy',
    ]);
  });

  it('does not serve a converted version that it does not want to serve', () => {
    const { core } = aWorld({ conversion: sizes });
    installCrd(core, definitionOf('Gadget', [v1, { ...v1beta1, served: false }]));
    expect(() => endpointOf(core, 'g.example.com/v1beta1', 'Gadget')).toThrow('404');
  });
});
