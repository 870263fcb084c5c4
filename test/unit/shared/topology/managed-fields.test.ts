import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { repairCluster, repairObject } from '../../../../shared/topology/managed-fields.ts';

type Entry = Readonly<Record<string, unknown>>;

function anObject(managedFields: readonly Entry[] | undefined, change: Partial<Unstructured> = {}): Unstructured {
  const metadata = { namespace: 'ns1', name: 'x', uid: 'u', resourceVersion: '7', ...{ managedFields } };
  return { apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', kind: 'OtherControlPlane', ...change, metadata };
}

const nameOnly = { 'f:metadata': { 'f:name': {} } };
const ours = { manager: 'capi-topology', operation: 'Apply', fieldsV1: { 'f:spec': {} } };
const theirs = { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': {} } };
const unknown = { manager: 'before-first-apply', operation: 'Update', fieldsV1: {} };

function written(repair: ReturnType<typeof repairObject>): unknown {
  return repair?.body['metadata'];
}

describe('an object of a topology without managed fields', () => {
  it.each([
    { reason: 'an object that capi-topology applied', fields: [ours, theirs], repaired: undefined },
    { reason: 'an object that others changed', fields: [theirs], repaired: undefined },
    {
      reason: 'an object without managed fields gets an entry of ours, and little in it',
      fields: undefined,
      repaired: [{ manager: 'capi-topology', operation: 'Apply', fieldsV1: nameOnly }],
    },
    {
      reason: 'what was there before the first apply goes, other entries stay whole',
      fields: [unknown, theirs],
      repaired: [theirs, { manager: 'capi-topology', operation: 'Apply', fieldsV1: nameOnly }],
    },
    { reason: 'an entry of ours is enough', fields: [unknown, ours], repaired: [ours] },
  ])('$reason', ({ fields, repaired }) => {
    const repair = repairObject(anObject(fields));
    expect(repair === undefined ? undefined : written(repair)).toEqual(
      repaired === undefined
        ? undefined
        : {
            managedFields: repaired.map(entry =>
              entry.fieldsV1 === nameOnly
                ? { ...entry, apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2', fieldsType: 'FieldsV1' }
                : entry,
            ),
          },
    );
    expect(repair?.resourceVersion ?? '7').toBe('7');
  });

  it('owns the arguments of a KubeadmControlPlane, so that they can be taken off again', () => {
    const argument = (name: string, value: string) => ({ name, value });
    const repair = repairObject(
      anObject([], {
        kind: 'KubeadmControlPlane',
        spec: {
          kubeadmConfigSpec: {
            clusterConfiguration: { apiServer: { extraArgs: [argument('v', '2'), argument('v', '3')] } },
            joinConfiguration: { nodeRegistration: { kubeletExtraArgs: [argument('a', 'b')] } },
          },
        },
      }),
    );
    const item = { '.': {}, 'f:name': {}, 'f:value': {} };
    expect(written(repair)).toMatchObject({
      managedFields: [
        {
          fieldsV1: {
            'f:spec': {
              'f:kubeadmConfigSpec': {
                'f:clusterConfiguration': {
                  'f:apiServer': {
                    'f:extraArgs': { 'k:{"name":"v","value":"2"}': item, 'k:{"name":"v","value":"3"}': item },
                  },
                },
                'f:joinConfiguration': {
                  'f:nodeRegistration': { 'f:kubeletExtraArgs': { 'k:{"name":"a","value":"b"}': item } },
                },
              },
            },
          },
        },
      ],
    });
  });
});

describe('a Cluster', () => {
  it.each([
    { reason: 'nothing to repair', fields: [theirs], repaired: undefined },
    { reason: 'what an older release applied goes', fields: [ours, theirs], repaired: [theirs] },
    { reason: 'and so does what was there before the first apply', fields: [unknown, theirs], repaired: [theirs] },
    { reason: 'it never stays without any entry', fields: [ours], repaired: 'manager' },
    { reason: 'nor does it begin without one', fields: undefined, repaired: 'manager' },
  ])('$reason', ({ fields, repaired }) => {
    const repair = repairCluster(anObject(fields));
    const entry = {
      manager: 'manager',
      operation: 'Update',
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      fieldsType: 'FieldsV1',
      fieldsV1: nameOnly,
    };
    const expected = repaired === 'manager' ? [entry] : repaired;
    expect(repair === undefined ? undefined : written(repair)).toEqual(
      expected === undefined ? undefined : { managedFields: expected },
    );
  });
});
