import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toPassReads } from '../../../../../functions/topology/observe/pass-reads.ts';
import { readSource } from '../../../../../functions/topology/observe/source.ts';
import { readCluster } from '../../../../../shared/api/cluster/reader.ts';
import { fakeReads } from '../../../../support/fake-reads.ts';
import { type Built, built } from '../../../../support/object-builder.ts';
import { aTopologyClass, aTopologyCluster } from '../../../../support/topology-objects.ts';

function ready(status = 'True'): JsonObject {
  const condition = {
    type: 'VariablesReady',
    status,
    reason: 'x',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return { conditions: [condition], observedGeneration: 1 };
}

const variables = [
  {
    name: 'region',
    definitions: [{ from: 'inline', required: true, schema: { openAPIV3Schema: { type: 'string' } } }],
  },
];

interface World {
  readonly topology?: JsonObject;
  readonly status?: JsonObject;
  readonly generation?: number;
  readonly others?: readonly Built<Unstructured>[];
  readonly settings?: Parameters<typeof readSource>[2];
}

function read({ topology = {}, status = ready(), generation = 1, others = [], settings = {} }: World) {
  const clusterClass = built(aTopologyClass().withStatus(status));
  const stored = { ...clusterClass, metadata: { ...clusterClass.metadata, generation } };
  const ask = fakeReads([stored, ...others]);
  return readSource(readCluster(built(aTopologyCluster(topology))), toPassReads(ask), settings);
}

const zoneSchema = { type: 'string', default: 'a' };

describe('the class of a topology', () => {
  it('is used when it was reconciled', async () => {
    expect(await read({})).toMatchObject({
      state: 'ready',
      source: { className: { namespace: 'ns1', name: 'class1' } },
    });
  });

  it.each([
    {
      reason: 'it is not there',
      world: { topology: { classRef: { name: 'other' } } },
      error: 'failed to retrieve ClusterClass ns1/other: clusterclasses.cluster.x-k8s.io "other" not found',
    },
    {
      reason: 'it is read from the namespace of the reference',
      world: { topology: { classRef: { name: 'class1', namespace: 'shared' } } },
      error: 'failed to retrieve ClusterClass shared/class1: clusterclasses.cluster.x-k8s.io "class1" not found',
    },
    {
      reason: 'its variables have not been reconciled',
      world: { status: {} },
      error:
        'ClusterClass is not successfully reconciled: status of VariablesReady condition on ClusterClass must be "True"',
    },
    {
      reason: 'its variables are wrong',
      world: { status: ready('False') },
      error:
        'ClusterClass is not successfully reconciled: status of VariablesReady condition on ClusterClass must be "True"',
    },
    {
      reason: 'its variables cannot be read',
      world: { status: { ...ready(), variables: 'x' } },
      error: /^reading the variables of ClusterClass ns1\/class1 failed: /,
    },
    {
      reason: 'a required variable is missing',
      world: { status: { ...ready(), variables } },
      error:
        'Cluster.cluster.x-k8s.io "c1" is invalid: spec.topology.variables: Required value: required variable "region" must be set',
    },
  ])('fails the reconcile: $reason', async ({ world, error }) => {
    const source = await read(world);
    const reported = source.state === 'failed' ? source.error : source.state;
    if (typeof error === 'string') {
      expect(reported).toBe(error);
    } else {
      expect(reported).toMatch(error);
    }
  });

  it.each([
    { classNamespaces: [], allowed: '', reason: 'no other namespace is allowed' },
    { classNamespaces: ['a', 'b'], allowed: ' or in a, b', reason: 'another namespace is allowed' },
  ])('is not read from another namespace, even if it exists: $reason', async ({ classNamespaces, allowed }) => {
    const topology = { classRef: { name: 'class1', namespace: 'shared' } };
    expect(await read({ topology, settings: { classNamespaces } })).toEqual({
      state: 'failed',
      error: `ClusterClass shared/class1 must not be used: spec.topology.classRef.namespace must be the namespace of the Cluster${allowed} (CAPI_CLASS_NAMESPACES)`,
    });
  });

  it.each([
    { classRef: { name: 'class1' }, classNamespaces: [], reason: 'the namespace of the Cluster, unnamed' },
    { classRef: { name: 'class1', namespace: 'ns1' }, classNamespaces: ['a'], reason: 'the namespace of the Cluster' },
  ])('is read from $reason, whatever is allowed', async ({ classRef, classNamespaces }) => {
    expect(await read({ topology: { classRef }, settings: { classNamespaces } })).toMatchObject({ state: 'ready' });
  });

  it('is read from an allowed namespace', async () => {
    const topology = { classRef: { name: 'class1', namespace: 'shared' } };
    expect(await read({ topology, settings: { classNamespaces: ['a', 'shared'] } })).toMatchObject({
      error: expect.stringContaining('failed to retrieve ClusterClass shared/class1'),
    });
  });

  it('keeps the defaults of variables where another value is wrong', async () => {
    const zone = {
      name: 'zone',
      definitions: [{ from: 'inline', required: false, schema: { openAPIV3Schema: zoneSchema } }],
    };
    expect(await read({ status: { ...ready(), variables: [...variables, zone] } })).toMatchObject({
      state: 'failed',
      topology: { variables: [{ name: 'zone', value: 'a' }] },
    });
  });

  it('may be used when its condition is Unknown', async () => {
    expect(await read({ status: ready('Unknown') })).toMatchObject({ state: 'ready' });
  });

  it('is waited for while its last change was not reconciled', async () => {
    expect(await read({ generation: 3 })).toEqual({ state: 'classNotReconciled' });
  });

  it('is found in another namespace, too', async () => {
    const elsewhere = built(aTopologyClass().withStatus(ready()));
    const others = [{ ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'shared', generation: 1 } }];
    const source = await read({ topology: { classRef: { name: 'class1', namespace: 'shared' } }, others });
    expect(source).toMatchObject({ state: 'ready', source: { className: { namespace: 'shared', name: 'class1' } } });
  });
});
