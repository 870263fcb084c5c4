// Name conflicts between two definitions.
import { describe, expect, it } from 'vitest';
import { at, aWidget, aWorld, endpointOf, namespace, refusalOf, widgetCrd } from './core-with-widgets.ts';

function rival(names: object) {
  const { group } = widgetCrd.spec;
  const own = { kind: 'Gadget', plural: 'gadgets', ...names };
  return { ...widgetCrd, metadata: { name: `gadgets.${group}` }, spec: { ...widgetCrd.spec, names: own } };
}

describe('a definition', () => {
  it.each([
    { reason: 'its singular name is another one’s', names: { singular: 'widget' }, why: 'SingularConflict' },
    { reason: 'a short name is another one’s plural', names: { shortNames: ['widgets'] }, why: 'ShortNamesConflict' },
    { reason: 'its kind is another one’s', names: { kind: 'Widget', singular: 'gadget' }, why: 'ListKindConflict' },
    { reason: 'its list is another kind’s', names: { listKind: 'Widget' }, why: 'ListKindConflict' },
  ])('is not served when $reason', ({ names, why }) => {
    const { core } = aWorld();
    const definitions = endpointOf(core, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const { status } = core.create(definitions, '', rival(names));
    expect(status).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'False', reason: why },
        { type: 'Established', status: 'False', reason: 'NotAccepted' },
      ],
      storedVersions: ['v1'],
    });
    expect(() => core.registry.endpointOfResource(widgetCrd.spec.group, 'v1', 'gadgets')).toThrow('404');
  });

  it('is served once the other releases the name; its deletion before that changes no served kind', () => {
    const { core, widgets } = aWorld();
    const definitions = endpointOf(core, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const gadgets = rival({ kind: 'Widget', singular: 'gadget' });
    core.create(definitions, '', gadgets);
    core.delete(at(definitions, gadgets.metadata.name));
    core.settle();
    core.create(widgets, namespace, aWidget('still-served'));
    core.create(definitions, '', gadgets);
    core.delete(at(definitions, widgetCrd.metadata.name));
    core.settle();
    expect(refusalOf(() => core.get(at(definitions, widgetCrd.metadata.name))).code).toBe(404);
    expect(core.get(at(definitions, gadgets.metadata.name)).status).toMatchObject({
      acceptedNames: { kind: 'Widget', plural: 'gadgets' },
    });
    const served = core.registry.endpointOfResource(widgetCrd.spec.group, 'v1', 'gadgets');
    expect(core.create(served, namespace, aWidget('w')).kind).toBe('Widget');
  });

  it('is served once it has another name', () => {
    const { core } = aWorld();
    const definitions = endpointOf(core, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const { metadata } = core.create(definitions, '', rival({ shortNames: ['widget'] }));
    const body = { spec: { names: { shortNames: ['gd'] } } };
    expect(core.patch(at(definitions, metadata.name, ''), { type: 'merge', body }).status).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
    });
    expect(core.registry.endpointOfResource(widgetCrd.spec.group, 'v1', 'gadgets').resource.kind).toBe('Gadget');
  });
});
