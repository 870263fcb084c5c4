import { describe, expect, it } from 'vitest';
import {
  instanceKindOf,
  templateToObject,
  templateToTemplate,
} from '../../../../../../functions/topology/plan/desired/clone.ts';
import { clusterAsOwner } from '../../../../../../functions/topology/plan/desired/topology-metadata.ts';
import { aBlueprint, aProviderObject } from '../../../../../support/topology-objects.ts';

const { cluster } = aBlueprint();
const topologyLabels = { 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' };
const template = () => aProviderObject('infrastructure', 'FooTemplate', 'foo');
const clonedFrom = {
  'cluster.x-k8s.io/cloned-from-name': 'foo',
  'cluster.x-k8s.io/cloned-from-groupkind': 'FooTemplate.infrastructure.cluster.x-k8s.io',
};

describe('what is made from a template', () => {
  const group = 'infrastructure.cluster.x-k8s.io';
  const kinds = [
    { inside: {}, made: { apiVersion: `${group}/v1beta2`, kind: 'Foo' }, reason: 'the suffix goes' },
    { inside: { kind: 'Bar' }, made: { apiVersion: `${group}/v1beta2`, kind: 'Bar' }, reason: 'a kind is given' },
    { inside: { apiVersion: 'x/v1' }, made: { apiVersion: 'x/v1', kind: 'Foo' }, reason: 'a version is given' },
    {
      inside: { apiVersion: '', kind: '' },
      made: { apiVersion: `${group}/v1beta2`, kind: 'Foo' },
      reason: 'empty is not given',
    },
    { inside: { apiVersion: 1, kind: {} }, made: { apiVersion: `${group}/v1beta2`, kind: 'Foo' }, reason: 'no texts' },
  ];
  it.each(kinds)('is $made.kind of $made.apiVersion: $reason', ({ inside, made }) => {
    expect(instanceKindOf(template().withSpec({ template: inside }).build())).toEqual(made);
  });

  it('keeps a suffix at another position', () => {
    expect(instanceKindOf(aProviderObject('bootstrap', 'TemplateFooTemplate', 'f').build()).kind).toBe('TemplateFoo');
  });
});

describe('an object made from a template', () => {
  it('has the body of spec.template, and labels and annotations in this order of strength', () => {
    const from = template()
      .labelled({ ofTemplate: 'never' })
      .annotated({ ofTemplate: 'never' })
      .withSpec({
        template: {
          metadata: {
            labels: { a: 'template', b: 'template', c: 'template', 'cluster.x-k8s.io/cluster-name': 'other' },
            annotations: { a: 'template', b: 'template', 'cluster.x-k8s.io/cloned-from-name': 'other' },
            name: 'never',
          },
          spec: { size: 'm' },
          status: { never: true },
        },
      });
    const metadata = { labels: { a: 'given', c: 'given' }, annotations: { a: 'given' } };
    const topologyLabel = { 'topology.cluster.x-k8s.io/pool-name': 'mp1' };
    expect(templateToObject({ cluster, template: from.build(), name: 'n1', metadata, topologyLabel })).toEqual({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'Foo',
      metadata: {
        name: 'n1',
        namespace: 'ns1',
        labels: { a: 'given', b: 'template', c: 'given', ...topologyLabels, ...topologyLabel },
        annotations: { a: 'given', b: 'template', ...clonedFrom },
      },
      spec: { size: 'm' },
    });
  });

  it('is empty where the template has no body', () => {
    const made = templateToObject({ cluster, template: template().build(), name: 'n1' });
    expect(made).toStrictEqual({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'Foo',
      metadata: { name: 'n1', namespace: 'ns1', labels: topologyLabels, annotations: clonedFrom },
    });
  });
});

describe('a template made from a template', () => {
  it('keeps its own labels and annotations, but no fields of the API server or kubectl, and no owner', () => {
    const from = template()
      .in('shared')
      .withUid('u1')
      .withFinalizers('f')
      .labelled({ own: 'yes', 'topology.cluster.x-k8s.io/owned': 'no' })
      .annotated({ own: 'yes', 'kubectl.kubernetes.io/last-applied-configuration': '{}' })
      .ownedBy(cluster.object, { controller: true })
      .withSpec({ template: { spec: { size: 'm' } }, other: 1 })
      .withStatus({ capacity: {} });
    const owner = clusterAsOwner(cluster);
    expect(templateToTemplate({ cluster, template: from.build(), name: 'n1', owner })).toEqual({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'FooTemplate',
      metadata: {
        name: 'n1',
        namespace: 'ns1',
        labels: { own: 'yes', ...topologyLabels },
        annotations: { own: 'yes', ...clonedFrom },
        ownerReferences: [
          { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: 'uid-of-cluster-c1' },
        ],
      },
      spec: { template: { spec: { size: 'm' } }, other: 1 },
    });
  });

  it('has no spec where the template has none, and names a kind without group by itself', () => {
    const from = { ...template().build(), apiVersion: 'v1' };
    const made = templateToTemplate({ cluster, template: from, name: 'n1' });
    expect(made).not.toHaveProperty('spec');
    expect(made.metadata.annotations).toEqual({
      ...clonedFrom,
      'cluster.x-k8s.io/cloned-from-groupkind': 'FooTemplate',
    });
  });
});
