import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../../../packages/apiserver/core/object.ts';
import {
  type ApiCoreWorld,
  aNamespace,
  at,
  aWorld,
  causesOf,
  endpointOf,
  namespace,
  refusalOf,
} from './core-with-widgets.ts';

function create({ core }: ApiCoreWorld, kind: string, parts: object): Stored {
  return core.create(endpointOf(core, 'v1', kind), namespace, {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x' },
    ...parts,
  });
}

function patch({ core }: ApiCoreWorld, kind: string, body: object): Stored {
  return core.patch(at(endpointOf(core, 'v1', kind), 'x'), { type: 'merge', body });
}

describe('a Secret', () => {
  it('stores stringData as data and never returns it', () => {
    const secret = create(aWorld(), 'Secret', { data: { a: 'eA==', b: 'eA==' }, stringData: { b: 'grün' } });
    expect(secret['data']).toEqual({ a: 'eA==', b: Buffer.from('grün').toString('base64') });
    expect(secret).not.toHaveProperty('stringData');
    expect(secret['type']).toBe('Opaque');
  });

  it('has no data member when there is no data', () => {
    expect(create(aWorld(), 'Secret', { data: {} })).not.toHaveProperty('data');
  });

  it('refuses data that is not base64', () => {
    expect(refusalOf(() => create(aWorld(), 'Secret', { data: { a: 'x' } }))).toMatchObject({ code: 400 });
  });

  it('keeps its type', () => {
    const world = aWorld();
    create(world, 'Secret', { type: 'cluster.x-k8s.io/secret' });
    expect(causesOf(() => patch(world, 'Secret', { type: 'Opaque' }))).toEqual(['FieldValueInvalid type']);
  });

  it('keeps its data once it is immutable, and stays immutable', () => {
    const world = aWorld();
    create(world, 'Secret', { data: { a: 'eA==' }, immutable: true });
    expect(causesOf(() => patch(world, 'Secret', { data: { b: 'eA==' } }))).toEqual(['FieldValueForbidden data']);
    expect(causesOf(() => patch(world, 'Secret', { immutable: null }))).toEqual(['FieldValueForbidden immutable']);
    expect(patch(world, 'Secret', { metadata: { labels: { a: 'b' } } }).metadata.labels).toEqual({ a: 'b' });
  });
});

describe('a ConfigMap', () => {
  it('keeps its data once it is immutable', () => {
    const world = aWorld();
    create(world, 'ConfigMap', { data: { a: 'b' }, immutable: true });
    expect(causesOf(() => patch(world, 'ConfigMap', { data: { a: 'c' } }))).toEqual(['FieldValueForbidden data']);
  });
});

describe('an Event', () => {
  it('references an object in the same namespace', () => {
    const event = create(aWorld(), 'Event', { involvedObject: { namespace }, note: 'of another version' });
    const { apiVersion: _, kind: __, metadata: ___, ...members } = event;
    expect(members).toEqual({
      involvedObject: { namespace },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it.each([
    { reason: 'another namespace', involvedObject: { namespace: 'other' } },
    { reason: 'no namespace', involvedObject: {} },
  ])('is refused about an object of $reason', ({ involvedObject }) => {
    const request = () => create(aWorld(), 'Event', { involvedObject });
    expect(causesOf(request)).toEqual(['FieldValueInvalid involvedObject.namespace']);
  });

  it('of a cluster-scoped object is in the default namespace', () => {
    const { core } = aWorld();
    const body = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'x' }, involvedObject: { kind: 'Namespace' } };
    expect(core.create(endpointOf(core, 'v1', 'Event'), 'default', body).metadata.namespace).toBe('default');
  });
});

describe('a Namespace', () => {
  it('is active, labelled with its name and has its own finalizer', () => {
    const { core } = aWorld();
    expect(core.get(at(endpointOf(core, 'v1', 'Namespace'), namespace))).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': namespace } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('gets its label back', () => {
    const { core } = aWorld();
    const address = at(endpointOf(core, 'v1', 'Namespace'), namespace);
    const patched = core.patch(address, {
      type: 'merge',
      body: { metadata: { labels: { 'kubernetes.io/metadata.name': null, a: 'b' } } },
    });
    expect(patched.metadata.labels).toEqual({ a: 'b', 'kubernetes.io/metadata.name': namespace });
  });

  it('has a name without dots', () => {
    const { core } = aWorld();
    const endpoint = endpointOf(core, 'v1', 'Namespace');
    expect(causesOf(() => core.create(endpoint, '', aNamespace('a.b')))).toEqual(['FieldValueInvalid metadata.name']);
  });

  it.each(['default', 'kube-system', 'kube-public'])('%s exists and cannot be deleted', name => {
    const { core } = aWorld();
    expect(refusalOf(() => core.delete(at(endpointOf(core, 'v1', 'Namespace'), name)))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
    });
  });
});
