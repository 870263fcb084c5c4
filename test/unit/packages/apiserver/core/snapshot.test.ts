import { describe, expect, it } from 'vitest';
import { createApiCore } from '../../../../../packages/apiserver/core/api-core.ts';
import { parseSnapshot } from '../../../../../packages/apiserver/core/parse-snapshot.ts';
import { SnapshotError } from '../../../../../packages/apiserver/core/snapshot.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../../support/kernel.ts';
import { countingIds, createMemoryApi } from '../../../../support/memory-api.ts';

const dependencies = { now: () => 0, ids: countingIds() };

/** The content of a snapshot file. */
function aSnapshot() {
  const api = createMemoryApi({ crds: [widgetCrd] });
  api.given(aWidget({ spec: { size: 3 }, status: { phase: 'A' }, metadata: { finalizers: ['example.com/x'] } }));
  api.core.create(api.core.registry.endpointOfKind('v1', 'Event'), 'ns', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e1' },
    involvedObject: { kind: 'Widget', namespace: 'ns', name: 'w1' },
  });
  return { api, text: JSON.stringify(api.core.snapshot()) };
}

describe('a snapshot', () => {
  it('restores every object with uid and version, and continues the counter', () => {
    const { api, text } = aSnapshot();
    const core = createApiCore({ ...dependencies, snapshot: parseSnapshot(JSON.parse(text)) });
    const endpoint = core.registry.endpointOfKind(widgetRef.apiVersion, 'Widget');
    const address = { endpoint, namespace: 'ns', name: 'w1' };
    expect(core.get(address)).toEqual(api.read(widgetRef));
    expect(core.resourceVersion()).toBe(api.core.resourceVersion());
    expect(core.snapshot()).toEqual(JSON.parse(text));
    const changed = core.patch(address, { type: 'merge', body: { spec: { size: 4 } } });
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(api.core.resourceVersion()));
  });

  it('has no earlier history', () => {
    const { text } = aSnapshot();
    const core = createApiCore({ ...dependencies, snapshot: parseSnapshot(JSON.parse(text)) });
    const endpoint = core.registry.endpointOfKind(widgetRef.apiVersion, 'Widget');
    expect(() => core.watch(endpoint, { resourceVersion: '101' })).toThrow(/too old/);
  });

  it.each([
    { reason: 'of another version', change: { v: 2 }, message: 'v: expected 1' },
    { reason: 'without objects', change: { objects: undefined }, message: 'objects: expected array' },
    {
      reason: 'with an object that has no uid',
      change: { objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', resourceVersion: '5' } }] },
      message: 'objects.0.metadata.uid',
    },
  ])('$reason is refused with its place', ({ change, message }) => {
    const { text } = aSnapshot();
    expect(() => parseSnapshot({ ...JSON.parse(text), ...change })).toThrow(SnapshotError);
    expect(() => parseSnapshot({ ...JSON.parse(text), ...change })).toThrow(message);
  });

  const secret = (metadata: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', uid: 'u', resourceVersion: '105', ...metadata },
  });

  it.each([
    {
      reason: 'an unknown kind',
      objects: [{ ...secret({}), kind: 'Gadget' }],
      message: 'objects.0: kind Gadget of v1 is not defined before it',
    },
    {
      reason: 'no namespace where one is needed',
      objects: [secret({})],
      message: 'objects.0.metadata.namespace: missing',
    },
    {
      reason: 'a namespace where none can be',
      objects: [{ ...secret({ namespace: 'ns' }), kind: 'Namespace' }],
      message: 'objects.0.metadata.namespace: unexpected',
    },
    {
      reason: 'an object twice',
      objects: [secret({ namespace: 'ns' }), secret({ namespace: 'ns' })],
      message: 'objects.1: Secret s occurs twice',
    },
  ])('with $reason is refused with its place', ({ objects, message }) => {
    const snapshot = parseSnapshot({ v: 1, resourceVersion: 200, objects });
    expect(() => createApiCore({ ...dependencies, snapshot })).toThrow(new SnapshotError(message));
  });
});
