import { describe, expect, it } from 'vitest';
import { NoSuchRouteError } from '../../../../../packages/apiserver/core/status.ts';
import {
  type ApiCoreWorld,
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

const name = widgetCrd.metadata.name;

function definitionsOf({ core }: ApiCoreWorld) {
  return endpointOf(core, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition');
}

const schema = { openAPIV3Schema: { type: 'object' } };
const gadget = {
  group: 'g.example.com',
  scope: 'Cluster',
  names: { kind: 'Gadget', plural: 'gadgets' },
  versions: [{ name: 'v1', served: true, storage: true, schema }],
};

describe('a CustomResourceDefinition', () => {
  it('is established at once, with its names filled in', () => {
    const world = aWorld();
    expect(world.core.get(at(definitionsOf(world), name))).toMatchObject({
      metadata: { generation: 1 },
      spec: { names: { singular: 'widget', listKind: 'WidgetList' }, conversion: { strategy: 'None' } },
      status: {
        storedVersions: ['v1'],
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
          { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
        ],
      },
    });
  });

  it.each([
    {
      reason: 'no group',
      spec: { group: undefined },
      causes: ['FieldValueRequired spec.group', 'FieldValueInvalid metadata.name'],
    },
    {
      reason: 'no plural',
      spec: { names: { kind: 'Gadget' } },
      causes: ['FieldValueRequired spec.names.plural', 'FieldValueInvalid metadata.name'],
    },
    { reason: 'no kind', spec: { names: { plural: 'gadgets' } }, causes: ['FieldValueRequired spec.names.kind'] },
    { reason: 'an unknown scope', spec: { scope: 'World' }, causes: ['FieldValueNotSupported spec.scope'] },
    { reason: 'another name', spec: { group: 'h.example.com' }, causes: ['FieldValueInvalid metadata.name'] },
    {
      reason: 'no versions',
      spec: { versions: undefined },
      causes: ['FieldValueInvalid spec.versions', 'FieldValueInvalid spec.versions'],
    },
    {
      reason: 'no stored version',
      spec: { versions: [{ name: 'v1', served: true, schema }] },
      causes: ['FieldValueInvalid spec.versions'],
    },
    {
      reason: 'no served version',
      spec: { versions: [{ name: 'v1', storage: true, schema }] },
      causes: ['FieldValueInvalid spec.versions'],
    },
    {
      reason: 'no schema',
      spec: { versions: [{ name: 'v1', served: true, storage: true }] },
      causes: ['FieldValueRequired spec.versions[0].schema.openAPIV3Schema'],
    },
    {
      reason: 'two versions of one name',
      spec: {
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v1', served: true, schema },
        ],
      },
      causes: ['FieldValueInvalid spec.versions'],
    },
    {
      reason: 'a version that is not valid in a path',
      spec: { versions: [{ name: 'v/1', served: true, storage: true, schema }] },
      causes: ['FieldValueInvalid spec.versions'],
    },
    {
      reason: 'a protected group of the Kubernetes community that is also built in',
      spec: { group: 'apiextensions.k8s.io' },
      causes: [
        'FieldValueInvalid metadata.name',
        'FieldValueRequired metadata.annotations[api-approved.kubernetes.io]',
        'FieldValueInvalid spec.group',
      ],
    },
    {
      reason: 'a pattern that cannot be compiled',
      spec: {
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', pattern: '(' } } },
        ],
      },
      causes: ['FieldValueInvalid spec.validation.openAPIV3Schema.pattern'],
    },
  ])('with $reason is refused', ({ spec, causes }) => {
    const world = aWorld();
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.g.example.com' },
      spec: { ...gadget, ...spec },
    };
    expect(causesOf(() => world.core.create(definitionsOf(world), '', body))).toEqual(causes);
    expect(() => endpointOf(world.core, 'g.example.com/v1', 'Gadget')).toThrow(NoSuchRouteError);
  });

  it('serves its current versions', () => {
    const world = aWorld();
    const versions = widgetCrd.spec.versions.map(version => ({ ...version, served: version.name === 'v1' }));
    world.core.patch(at(definitionsOf(world), name), { type: 'merge', body: { spec: { versions } } });
    expect(() => endpointOf(world.core, 'unit.example.com/v1alpha1', 'Widget')).toThrow(NoSuchRouteError);
    expect(endpointOf(world.core, 'unit.example.com/v1', 'Widget').version.name).toBe('v1');
  });

  it('applies the defaults of its newest schema to stored objects, without a new resourceVersion', () => {
    const world = aWorld();
    const stored = world.core.create(world.widgets, namespace, aWidget('w', { spec: { old: 1 } }));
    const spec = { type: 'object', properties: { n: { type: 'integer', default: 7 } } };
    const root = { type: 'object', properties: { spec } };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }];
    world.core.patch(at(definitionsOf(world), name), { type: 'merge', body: { spec: { versions } } });
    const read = world.core.get(at(endpointOf(world.core, 'unit.example.com/v1', 'Widget'), 'w'));
    expect(read).toEqual({ ...stored, spec: { n: 7 } });
  });

  it('is deleted after the objects of its kind, step by step', () => {
    const world = aWorld();
    const { core, widgets } = world;
    core.create(widgets, namespace, aWidget('free'));
    core.create(widgets, namespace, aWidget('held', { metadata: { finalizers: ['a.b/c'] } }));
    const watch = core.watch(widgets, { resourceVersion: core.resourceVersion() });
    const deleted = core.delete(at(definitionsOf(world), name));
    expect(deleted).toMatchObject({
      gone: false,
      object: { status: { conditions: [{}, {}, { type: 'Terminating', status: 'True' }] } },
    });
    const now = endpointOf(core, 'unit.example.com/v1', 'Widget');
    expect(refusalOf(() => core.create(now, namespace, aWidget('late')))).toMatchObject({ code: 403 });
    expect([core.finalize(), core.finalize()]).toEqual([2, 0]);
    core.patch(at(now, 'held'), { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(drain(watch).map(reported => reported.replace(/@.*/, ''))).toEqual([
      'DELETED free',
      'MODIFIED held',
      'DELETED held',
    ]);
    core.settle();
    expect(() => endpointOf(core, 'unit.example.com/v1', 'Widget')).toThrow(NoSuchRouteError);
    expect(refusalOf(() => core.get(at(definitionsOf(world), name))).code).toBe(404);
    expect(drain(watch)).toEqual(['ended']);
  });
});
