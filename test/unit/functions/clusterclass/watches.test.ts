// The events that enqueue ClusterClasses, in addition to the events of the class itself.

import { type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { clusterClassWatches } from '../../../../functions/clusterclass/watches.ts';
import { aClusterClass, aPlainClusterClass, templates } from '../../../support/cluster-class.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';

function watchOf(source: string) {
  const found = clusterClassWatches.find(({ source: of }) => of !== 'referenced' && of.kind === source);
  if (found?.matches === undefined) {
    throw new Error(`${source} is not watched, or selects nothing`);
  }
  return { map: found.map, as: found.as, matches: found.matches };
}

function aDefinition(name: string): Unstructured {
  const kind = 'CustomResourceDefinition';
  return new ObjectBuilder({ apiVersion: 'apiextensions.k8s.io/v1', kind, name }).clusterScoped().build();
}

function selected(classes: Readonly<Record<string, ObjectBuilder>>, source: ObjectRef): readonly string[] {
  const { matches } = watchOf(source.kind);
  return Object.keys(classes).filter(name => classes[name] !== undefined && matches(classes[name].build(), source));
}

describe('an ExtensionConfig', () => {
  const ext1 = toRef(anExtensionConfig().build());

  it('is expanded to a list of classes on every change', () => {
    const { map, as } = watchOf('ExtensionConfig');
    expect(map({ type: 'MODIFIED', object: anExtensionConfig().build() })).toBe('expand');
    expect(as).toBe('metadata');
  });

  it('enqueues the classes that call it for variables, each once', () => {
    const classes = {
      asking: aPlainClusterClass().discovering({ p1: 'first.ext1' }),
      'asking twice': aPlainClusterClass().discovering({ p1: 'first.ext1', p2: 'second.ext1' }),
      'asking beside another': aPlainClusterClass().discovering({ p1: 'first.ext2', p2: 'first.ext1' }),
      'in a namespace that it does not select, which must say so': aPlainClusterClass()
        .in('elsewhere')
        .discovering({ p1: 'first.ext1' }),
      'asking another': aPlainClusterClass().discovering({ p1: 'ext1.ext2' }),
      'having it generate alone': aPlainClusterClass().withSpec({
        patches: [{ name: 'p1', external: { generatePatchesExtension: 'first.ext1' } }],
      }),
      'calling none': aPlainClusterClass(),
    };
    expect(selected(classes, ext1)).toEqual(Object.keys(classes).slice(0, 4));
  });

  it('is not named by a name of three parts, nor of one', () => {
    const classes = {
      three: aPlainClusterClass().discovering({ p1: 'a.b.ext1' }),
      first: aPlainClusterClass().discovering({ p1: 'a.ext1.c' }),
      one: aPlainClusterClass().discovering({ p1: 'ext1' }),
    };
    expect(selected(classes, ext1)).toEqual([]);
  });
});

describe('a definition', () => {
  const plural = 'simulatedmachinetemplates.infrastructure.cluster.x-k8s.io';

  it.each([
    { name: plural, expanded: true, reason: 'infrastructure' },
    { name: 'footemplates.bootstrap.cluster.x-k8s.io', expanded: true, reason: 'bootstrap' },
    { name: 'footemplates.controlplane.cluster.x-k8s.io', expanded: true, reason: 'control plane' },
    { name: 'clusters.cluster.x-k8s.io', expanded: false, reason: 'a core kind is not a template' },
    { name: 'foos.example.com', expanded: false, reason: 'not of Cluster API' },
    { name: 'foos.my-infrastructure.cluster.x-k8s.io', expanded: false, reason: 'another group with that ending' },
  ])('$name is expanded: $expanded, $reason', ({ name, expanded }) => {
    const { map, as } = watchOf('CustomResourceDefinition');
    expect(map({ type: 'MODIFIED', object: aDefinition(name) })).toEqual(expanded ? 'expand' : []);
    expect(as).toBe('metadata');
  });

  it('enqueues the classes that name a template of its kind', () => {
    const classes = {
      naming: aClusterClass(),
      'naming it in another version': aPlainClusterClass().withControlPlaneMachines({
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
        kind: 'SimulatedMachineTemplate',
        name: 'any',
      }),
      'naming the kind of another group': aPlainClusterClass().withControlPlaneMachines({
        apiVersion: 'bootstrap.cluster.x-k8s.io/v1',
        kind: 'SimulatedMachineTemplate',
        name: 'any',
      }),
      'naming others': aPlainClusterClass().withControlPlaneMachines(templates.infrastructure),
    };
    expect(selected(classes, toRef(aDefinition(plural)))).toEqual(Object.keys(classes).slice(0, 2));
  });
});
