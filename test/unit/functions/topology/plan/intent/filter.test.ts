import type { Intent } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { emptyEndpointPaths, toIntent, withoutPath } from '../../../../../../functions/topology/plan/intent/filter.ts';

const kind = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'GenericInfrastructureCluster' } as const;

function anObject(spec: unknown): Intent {
  return { ...kind, metadata: { name: 'c1-bbbbb', namespace: 'ns1' }, spec };
}

describe('an intent', () => {
  it('holds names, labels, annotations, owners and spec, and nothing else', () => {
    const metadata = {
      name: 'c1-bbbbb',
      namespace: 'ns1',
      labels: { a: 'b' },
      annotations: {},
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: 'u' }],
    };
    const desired: Intent = {
      ...kind,
      metadata: { ...metadata, uid: 'u1', resourceVersion: '4', generation: 2, finalizers: ['x'], managedFields: [] },
      spec: { region: 'r1' },
      status: { ready: true },
    };
    expect(toIntent(desired)).toEqual({ ...kind, metadata, spec: { region: 'r1' } });
    expect(toIntent({ ...kind, metadata: { name: 'x' } })).toEqual({ ...kind, metadata: { name: 'x' } });
  });

  it('never sends an empty endpoint', () => {
    const desired = anObject({ region: 'r1', controlPlaneEndpoint: { host: '', port: 0 } });
    const ignored = emptyEndpointPaths(desired);
    expect(toIntent(desired, ignored)['spec']).toEqual({ region: 'r1' });
  });

  it.each([
    { reason: 'a host that is known', endpoint: { host: 'h', port: 0 }, sent: { host: 'h' } },
    { reason: 'a port that is known', endpoint: { host: '', port: 6443 }, sent: { port: 6443 } },
    { reason: 'both', endpoint: { host: 'h', port: 6443 }, sent: { host: 'h', port: 6443 } },
    { reason: 'an object that was empty before', endpoint: {}, sent: {} },
    { reason: 'what is not an object', endpoint: 'h', sent: 'h' },
  ])('sends $reason', ({ endpoint, sent }) => {
    const desired = anObject({ controlPlaneEndpoint: endpoint });
    expect(toIntent(desired, emptyEndpointPaths(desired))['spec']).toEqual({ controlPlaneEndpoint: sent });
  });

  it('loses the spec when nothing else is in it', () => {
    const desired = anObject({ controlPlaneEndpoint: { host: '', port: 0 } });
    expect(toIntent(desired, emptyEndpointPaths(desired))).not.toHaveProperty('spec');
  });
});

describe('a path taken away', () => {
  it('returns the same object if the field is absent', () => {
    const object = { a: { b: 1 } };
    expect(withoutPath(object, ['a', 'c'])).toBe(object);
    expect(withoutPath(object, ['a', 'b', 'c'])).toBe(object);
    expect(withoutPath(object, ['toString'])).toBe(object);
    expect(withoutPath(object, [])).toBe(object);
  });

  it('does not reach into what is not an object, and keeps an empty value that it does not remove', () => {
    const object = { a: { b: 'text' } };
    expect(withoutPath(object, ['a', 'b', '0'])).toBe(object);
    expect(withoutPath({ a: {}, b: 1 }, ['b'])).toEqual({ a: {} });
    expect(withoutPath({ a: '' }, [])).toEqual({ a: '' });
    expect(withoutPath({ '': 1 }, [])).toEqual({});
  });

  it('removes the objects that it empties, and only those', () => {
    expect(withoutPath({ a: { b: { c: 1 } }, d: {} }, ['a', 'b', 'c'])).toEqual({ d: {} });
    expect(withoutPath({ a: { b: 1, e: 2 } }, ['a', 'b'])).toEqual({ a: { e: 2 } });
  });
});
