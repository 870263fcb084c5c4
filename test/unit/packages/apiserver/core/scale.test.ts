// The scale subresource of our kinds, as their definitions declare it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../../../../packages/apiserver/core/kinds.ts';
import { createMemoryApi, type MemoryApi } from '../../../../support/memory-api.ts';
import { ObjectBuilder } from '../../../../support/object-builder.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const template = {
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachineTemplate', name: 'it1' },
  },
};

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi();
});

function addressOf(kind: string): Address {
  return { endpoint: api.core.registry.endpointOfKind(apiVersion, kind), namespace: 'ns', name: 'workers' };
}

describe.each([
  { kind: 'MachineDeployment', selected: { selector: 'a=b' } },
  { kind: 'MachineSet', selected: { selector: 'a=b' } },
  { kind: 'MachinePool', selected: {} },
])('a $kind', ({ kind, selected }) => {
  beforeEach(() => {
    api.given(
      new ObjectBuilder({ apiVersion, kind, name: 'workers' })
        .withSpec({ clusterName: 'c1', replicas: 3, template, ...selectorOf(kind) })
        .withStatus({ replicas: 2, ...selected }),
    );
  });

  it('is read as a Scale', () => {
    expect(api.core.get(addressOf(kind), 'scale')).toMatchObject({
      ...{ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'workers', namespace: 'ns' } },
      ...{ spec: { replicas: 3 }, status: { replicas: 2, ...selected } },
    });
  });

  it('is scaled by a PUT and by patches', () => {
    const replicasAfter = (change: () => unknown) => {
      change();
      return api.core.get(addressOf(kind)).spec;
    };
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'workers' }, spec: { replicas: 5 } };
    expect(replicasAfter(() => api.core.update(addressOf(kind), scale, 'scale'))).toMatchObject({ replicas: 5 });
    const merge = { type: 'merge', body: { spec: { replicas: 0 } } } as const;
    expect(replicasAfter(() => api.core.patch(addressOf(kind), merge, 'scale'))).toMatchObject({ replicas: 0 });
    const json = { type: 'json', body: [{ op: 'add', path: '/spec/replicas', value: 4 }] } as const;
    expect(replicasAfter(() => api.core.patch(addressOf(kind), json, 'scale'))).toMatchObject({ replicas: 4 });
    expect(api.core.get(addressOf(kind)).metadata.generation).toBe(4);
  });

  it('keeps its replicas if they are invalid', () => {
    const tooMany = { type: 'merge', body: { spec: { replicas: 2 ** 31 } } } as const;
    expect(() => api.core.patch(addressOf(kind), tooMany, 'scale')).toThrow();
    const negative = { type: 'merge', body: { spec: { replicas: -1 } } } as const;
    expect(() => api.core.patch(addressOf(kind), negative, 'scale')).toThrow('should be a non-negative integer');
    expect(api.core.get(addressOf(kind)).spec).toMatchObject({ replicas: 3 });
  });
});

it('a kind without the subresource has no Scale', () => {
  api.given(new ObjectBuilder({ apiVersion, kind: 'Cluster', name: 'workers' }).withSpec({ paused: false }));
  const none = 'clusters.cluster.x-k8s.io "workers" not found';
  expect(() => api.core.get(addressOf('Cluster'), 'scale')).toThrow(none);
  expect(() => api.core.patch(addressOf('Cluster'), { type: 'merge', body: {} }, 'scale')).toThrow(none);
  expect(() => api.core.update(addressOf('Cluster'), {}, 'scale')).toThrow();
});

function selectorOf(kind: string) {
  return kind === 'MachinePool' ? {} : { selector: { matchLabels: { a: 'b' } } };
}
