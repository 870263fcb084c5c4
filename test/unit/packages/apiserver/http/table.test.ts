import { describe, expect, it } from 'vitest';
import type { ResourceEndpoint } from '../../../../../packages/apiserver/core/kinds.ts';
import { showEvent, showPage, type View } from '../../../../../packages/apiserver/http/represent.ts';
import { type ApiCoreWorld, aWidget, aWorld, endpointOf, namespace, widgetCrd } from '../core/core-with-widgets.ts';

function viewOf({ clock }: ApiCoreWorld, endpoint: ResourceEndpoint, parts: Partial<View> = {}): View {
  return { endpoint, form: 'table', include: 'Metadata', now: clock.now(), ...parts };
}

describe('a table', () => {
  it('has the columns of the definition, and null for an absent path', () => {
    const world = aWorld();
    const { core } = world;
    const [version] = widgetCrd.spec.versions;
    const columns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Mode', type: 'string', jsonPath: '.spec.mode', priority: 1 },
      { name: 'Parts', type: 'string', jsonPath: '.spec.parts' },
      { name: 'Fancy', type: 'boolean', jsonPath: '.spec.mode' },
      { name: 'Born', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    core.patch(
      {
        endpoint: endpointOf(core, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
        namespace: '',
        name: widgetCrd.metadata.name,
      },
      { type: 'merge', body: { spec: { versions: [{ ...version, additionalPrinterColumns: columns }] } } },
    );
    const widgets = core.registry.endpointOfResource('unit.example.com', 'v1', 'widgets');
    core.create(widgets, namespace, aWidget('w', { spec: { size: 3, mode: 'plain', parts: ['a'] } }));
    const table = showPage(core.list(widgets, {}), viewOf(world, widgets));
    expect(table).toMatchObject({
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }, { name: 'Size' }, { name: 'Mode', priority: 1 }, {}, {}, {}],
      rows: [{ cells: ['w', 3, 'plain', '["a"]', null, '0s'], object: { kind: 'PartialObjectMetadata' } }],
    });
  });

  it('of a kind without columns has only the age', () => {
    const world = aWorld();
    world.core.create(world.widgets, namespace, aWidget('w'));
    const view = viewOf(world, world.widgets, { include: 'None' });
    expect(showPage(world.core.list(world.widgets, {}), view)).toMatchObject({
      rows: [{ cells: ['w', '0s'], object: null }],
    });
  });

  it.each([
    ['Namespace', {}, ['x', 'Active', '0s']],
    ['Secret', { stringData: { a: '1', b: '2' } }, ['x', 'Opaque', 2, '0s']],
    ['ConfigMap', { data: { a: '1' }, binaryData: { b: 'YQ==' } }, ['x', 2, '0s']],
    [
      'Event',
      {
        involvedObject: { kind: 'Widget', namespace, name: 'w' },
        reason: 'Made',
        type: 'Normal',
        message: 'made it\n',
        source: { component: 'maker' },
      },
      ['<unknown>', 'Normal', 'Made', 'widget/w', '', 'maker', 'made it', '<unknown>', 1, 'x'],
    ],
  ])('of a %s has its own columns', (kind, members, cells) => {
    const world = aWorld();
    const endpoint = endpointOf(world.core, 'v1', kind);
    const home = endpoint.resource.namespaced ? namespace : '';
    const object = world.core.create(endpoint, home, { apiVersion: 'v1', kind, metadata: { name: 'x' }, ...members });
    const view = viewOf(world, endpoint);
    expect(showEvent(object, view, true)).toMatchObject({ rows: [{ cells }] });
    expect(showEvent(object, view, false)).toMatchObject({ columnDefinitions: [], rows: [{ cells }] });
  });
});
