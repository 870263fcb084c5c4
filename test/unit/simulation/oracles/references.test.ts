import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { watchReferences, withoutGenerations } from '../../../simulation/oracles/references.ts';

const topology = { classRef: { name: 'class' } };
const [infrastructureRef, controlPlaneRef] = [{ name: 'infra' }, { name: 'cp' }];

function aCluster(spec: JsonObject, kind = 'Cluster'): Unstructured {
  const metadata = { name: 'c1', namespace: 'ns', uid: 'u1', resourceVersion: '1', generation: 3 };
  return { apiVersion: 'cluster.x-k8s.io/v1beta2', kind, metadata, spec };
}

describe('references that are written one by one', () => {
  it.each([
    { reason: 'the control plane later', before: { topology, infrastructureRef }, writer: 'topology.1', more: 1 },
    { reason: 'both at once', before: { topology }, writer: 'topology.1', more: 0 },
    { reason: 'a user named it', before: { topology, infrastructureRef }, writer: 'user', more: 0 },
    { reason: 'not a managed Cluster', before: { infrastructureRef }, writer: 'topology.1', more: 0 },
    {
      reason: 'something else was written, too',
      before: { topology, infrastructureRef, paused: true },
      writer: 'topology.1',
      more: 0,
    },
    {
      reason: 'another control plane',
      before: { topology, infrastructureRef, controlPlaneRef: { name: 'old' } },
      writer: 'topology.1',
      more: 0,
    },
  ])('add a generation: $reason', ({ before, writer, more }) => {
    const references = watchReferences();
    const { topology: hasTopology } = before as JsonObject;
    const after = { ...(hasTopology === undefined ? {} : { topology }), infrastructureRef, controlPlaneRef };
    references.committed?.({ type: 'MODIFIED', object: aCluster(after), previous: aCluster(before), writer });
    expect(references.generationsOf({ uid: 'u1' })).toBe(more);
    expect(references.generationsOf({ uid: 'u2' })).toBe(0);
  });

  it('concern only Clusters, and no status', () => {
    const references = watchReferences();
    const spec = { topology, infrastructureRef };
    const named = { ...spec, controlPlaneRef };
    const writer = 'topology.1';
    references.committed?.({ type: 'MODIFIED', object: aCluster(named, 'A'), previous: aCluster(spec, 'A'), writer });
    references.committed?.({ type: 'MODIFIED', object: aCluster(named), previous: aCluster(named), writer });
    references.committed?.({ type: 'ADDED', object: aCluster(named), previous: undefined, writer });
    expect(references.generationsOf({ uid: 'u1' })).toBe(0);
  });
});

describe('an object without its additional generations', () => {
  it('has lower observed generations at any depth', () => {
    const object = {
      ...aCluster({}),
      status: { observedGeneration: 3, conditions: [{ observedGeneration: 2 }], n: 3 },
    };
    expect(withoutGenerations(object, 1)).toMatchObject({
      metadata: { generation: 2, name: 'c1' },
      status: { observedGeneration: 2, conditions: [{ observedGeneration: 1 }], n: 3 },
    });
  });

  it('is unchanged if there are none to subtract', () => {
    const object = aCluster({});
    expect(withoutGenerations(object, 0)).toBe(object);
  });

  it('needs no status', () => {
    expect(withoutGenerations(aCluster({}), 1).metadata.generation).toBe(2);
  });
});
