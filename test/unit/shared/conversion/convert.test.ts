import { invalid, memberOf, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { ApiVersionOf } from '../../../../shared/conversion/conversion.ts';
import { type ConvertedObject, convert, noApiVersion } from '../../../../shared/conversion/convert.ts';
import { kindRuleOf } from '../../../../shared/conversion/kinds.ts';
import { anyText, dataAnnotation } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const apiVersionOf: ApiVersionOf = group => valid(`${group}/v1beta2`);

function converted(object: ConvertedObject, to: string): ConvertedObject {
  const result = convert(object, to, apiVersionOf);
  if (!result.ok) {
    throw new Error(result.error);
  }
  return JSON.parse(JSON.stringify(result.value));
}

const annotationOf = (object: ConvertedObject): unknown =>
  memberOf(memberOf(object['metadata'], 'annotations'), dataAnnotation);

/** Scenarios that only say that there is an annotation. */
function withoutText(object: ConvertedObject): unknown {
  const text = annotationOf(object);
  const metadata = { ...(object['metadata'] as object), annotations: { [dataAnnotation]: anyText } }; // true: it has annotations
  return text === undefined ? object : { ...object, metadata };
}

describe('a conversion', () => {
  it.each(scenarios)('$name', ({ object, to, expected }) => {
    const result = converted(object, to);
    const isAnyText = annotationOf(expected) === anyText;
    expect(isAnyText ? withoutText(result) : result).toEqual(expected);
  });

  it.each(scenarios.filter(({ to }) => to !== 'v1beta2'))('and back: $name', ({ object, to }) => {
    const back = converted(converted(object, to), 'v1beta2');
    expect(converted(converted(back, to), 'v1beta2')).toEqual(back);
  });

  const machine = (spec: unknown, more: object = {}): ConvertedObject => ({
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Machine',
    metadata: { name: 'm' },
    spec,
    ...more,
  });

  it.each([
    { field: 'spec', object: machine([]), error: 'spec: must be an object' },
    { field: 'number', object: machine({ clusterName: 1 }), error: 'spec.clusterName: must be a string' },
    { field: 'list', object: machine({ readinessGates: {} }), error: 'spec.readinessGates: must be a list' },
    {
      field: 'item',
      object: machine({ readinessGates: [{ conditionType: true }] }),
      error: 'spec.readinessGates[0].conditionType: must be a string',
    },
    {
      field: 'duration',
      object: machine({ nodeDrainTimeout: 'soon' }),
      error: 'spec.nodeDrainTimeout: time: invalid duration "soon"',
    },
    {
      field: 'boolean',
      object: machine({}, { status: { bootstrapReady: 'yes' } }),
      error: 'status.bootstrapReady: must be a boolean',
    },
    {
      field: 'time',
      object: machine({}, { status: { lastUpdated: 'x' } }),
      error: expect.stringContaining('status.lastUpdated: parsing time "x"'),
    },
    {
      field: 'reference',
      object: machine({ infrastructureRef: { apiVersion: 'a/b/c' } }),
      error: 'failed to convert object: failed to parse apiVersion: unexpected GroupVersion string: a/b/c',
    },
    {
      field: 'annotation',
      object: machine({}, { metadata: { annotations: { [dataAnnotation]: '{' } } }),
      error: `annotation ${dataAnnotation} is not JSON`,
    },
    {
      field: 'map',
      object: {
        apiVersion: 'cluster.x-k8s.io/v1beta1',
        kind: 'MachineSet',
        spec: { selector: { matchLabels: [] } },
      },
      error: 'spec.selector.matchLabels: must be an object',
    },
  ])('is refused because of a wrong $field', ({ object, error }) => {
    expect(convert(object, 'v1beta2', apiVersionOf)).toEqual({ ok: false, error });
  });

  it('is refused if the version of a reference is not known', () => {
    const object = {
      ...machine({ infrastructureRef: { kind: 'X', name: 'x' } }),
      apiVersion: 'cluster.x-k8s.io/v1beta2',
    };
    expect(convert(object, 'v1beta1', noApiVersion)).toEqual(
      invalid('failed to convert object: no API version is known'),
    );
    const fail = (): never => {
      throw new Error('defect');
    };
    expect(() => convert(object, 'v1beta1', fail)).toThrow('defect');
  });

  it.each([
    { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', to: 'v1alpha4' },
    { apiVersion: 'cluster.x-k8s.io/v1alpha4', kind: 'Machine', to: 'v1beta2' },
    { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Secret', to: 'v1beta2' },
    { apiVersion: 'example.com/v1beta1', kind: 'Machine', to: 'v1beta2' },
  ])('of $kind in $apiVersion to $to does not exist', ({ to, ...object }) => {
    expect(convert(object, to, apiVersionOf).ok).toBe(false);
  });

  it('between two older versions leads through the stored version', () => {
    const object = {
      apiVersion: 'ipam.cluster.x-k8s.io/v1beta1',
      kind: 'IPAddressClaim',
      metadata: { name: 'cl', labels: { a: 'b' }, annotations: { c: 'd' } },
      spec: { clusterName: 'c1', poolRef: { kind: '<P>', name: 'p', apiGroup: 'g' } },
    };
    const older = converted(object, 'v1alpha1');
    expect(annotationOf(older)).toBe(
      String.raw`{"spec":{"clusterName":"c1","poolRef":{"name":"p","kind":"\u003cP\u003e","apiGroup":"g"}}}`,
    );
    expect(converted(older, 'v1beta1')).toEqual({ ...object, status: { addressRef: {} } });
  });

  it('keeps a claim without metadata, and one without the name of its Cluster', () => {
    const claim = { apiVersion: 'ipam.cluster.x-k8s.io/v1alpha1', kind: 'IPAddressClaim' };
    expect(converted(claim, 'v1beta2')).toEqual({
      apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
      kind: 'IPAddressClaim',
      metadata: {},
    });
    const stored = { ...claim, apiVersion: 'ipam.cluster.x-k8s.io/v1beta2' };
    expect(memberOf(converted(stored, 'v1alpha1')['metadata'], 'labels')).toBeUndefined();
    expect(converted({ ...stored, spec: { clusterName: 'c1' } }, 'v1alpha1')['metadata']).toMatchObject({
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
    });
    const labelled = { ...claim, metadata: { labels: { a: 'b' } } };
    expect(converted(labelled, 'v1beta2')['metadata']).toEqual(labelled.metadata);
  });

  it('names a Cluster that has a label already', () => {
    const labels = { 'cluster.x-k8s.io/cluster-name': 'other' };
    const claim = {
      apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
      kind: 'IPAddressClaim',
      metadata: { labels },
      spec: { clusterName: 'c1' },
    };
    const { metadata } = converted(claim, 'v1alpha1');
    expect(memberOf(metadata, 'labels')).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c1' });
    expect(Object.keys(memberOf(metadata, 'annotations') as object)).toEqual([dataAnnotation]); // true: there is one
  });
});

describe('a Cluster', () => {
  it('without failure domains and with lists of texts comes back', () => {
    const spec = { clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/8', ''] } } };
    const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name: 'c' }, spec };
    const older = converted(object, 'v1beta1');
    expect(memberOf(older['status'], 'failureDomains')).toBeUndefined();
    expect(converted(older, 'v1beta2')['spec']).toEqual(spec);
  });
});

describe('a reference with an empty group', () => {
  it('has no group', () => {
    const object = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Machine',
      spec: { infrastructureRef: { apiVersion: '/v1', kind: 'K', name: 'n' } },
    };
    expect(converted(object, 'v1beta2')['spec']).toMatchObject({ infrastructureRef: { kind: 'K', name: 'n' } });
  });
});

describe('the rule of a kind', () => {
  it('is empty if the kind needs none', () => {
    expect(kindRuleOf('v1alpha4', 'Machine')).toEqual({});
  });
});

describe('the booleans of a ClusterClass', () => {
  const variable = (name: string, schema: object): object => ({
    name,
    required: false,
    schema: { openAPIV3Schema: { type: 'object', ...schema } },
  });
  const patch = (name: string, ...controlPlanes: readonly boolean[]): object => ({
    name,
    definitions: controlPlanes.map(controlPlane => ({
      selector: { apiVersion: 'v1', kind: 'K', matchResources: { controlPlane } },
      jsonPatches: [{ op: 'add', path: '/a', value: false }],
    })),
  });
  const cls = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'ClusterClass',
    metadata: { name: 'q', namespace: 'ns' },
    spec: {
      infrastructure: { templateRef: { apiVersion: 'infra/v1', kind: 'T', name: 't' } },
      controlPlane: { templateRef: { apiVersion: 'cp/v1', kind: 'C', name: 'c' } },
      patches: [patch('p1', false, true), patch('p2', false)],
      variables: [
        variable('a', {
          uniqueItems: false,
          properties: { p: { type: 'string', 'x-kubernetes-int-or-string': false } },
          items: { type: 'string', exclusiveMaximum: false },
          allOf: [{ exclusiveMinimum: false }, { exclusiveMinimum: true }],
        }),
        variable('b', { 'x-kubernetes-preserve-unknown-fields': false }),
      ],
    },
    status: {
      variables: [
        {
          name: 'a',
          definitionsConflict: false,
          definitions: [
            { from: 'inline', required: true, schema: { openAPIV3Schema: { type: 'string', uniqueItems: false } } },
          ],
        },
      ],
    },
  };
  const older = converted(cls, 'v1beta1');

  it('come back from the annotation', () => {
    expect(converted(older, 'v1beta2')).toEqual({ ...cls, spec: { ...cls.spec, workers: undefined } });
  });

  it('come back for the patches and variables with the same name', () => {
    const spec = older['spec'] as { patches: unknown[]; variables: unknown[] }; // true: they are above
    const reordered = {
      ...older,
      spec: { ...spec, patches: spec.patches.toReversed(), variables: spec.variables.toReversed() },
    };
    const expected = {
      ...cls.spec,
      patches: cls.spec.patches.toReversed(),
      variables: cls.spec.variables.toReversed(),
    };
    expect(converted(reordered, 'v1beta2')['spec']).toEqual(expected);
  });

  it('are absent if a patch has another number of definitions, and for a new variable', () => {
    const spec = {
      ...(older['spec'] as object), // true: it is above
      patches: [patch('p1', false)],
      variables: [variable('new', { uniqueItems: false })],
    };
    const back = converted({ ...older, spec }, 'v1beta2')['spec'];
    expect(JSON.stringify(back)).not.toMatch(/"(?:controlPlane|uniqueItems)":false/);
  });

  it('are absent without the annotation', () => {
    const back = converted({ ...older, metadata: { name: 'q' } }, 'v1beta2');
    expect(JSON.stringify(back).match(/"[a-zA-Z-]+":false/g)).toEqual([
      '"required":false',
      '"required":false',
      '"value":false',
      '"value":false',
      '"value":false',
    ]);
  });

  it('always have references to templates in the older version', () => {
    expect(older['spec']).toMatchObject({
      infrastructure: { ref: { apiVersion: 'infra/v1', kind: 'T', name: 't', namespace: 'ns' } },
    });
    const empty = converted({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass' }, 'v1beta1');
    expect(empty['spec']).toEqual({
      infrastructure: { ref: {} },
      controlPlane: { metadata: {}, ref: {} },
      workers: {},
    });
  });
});
