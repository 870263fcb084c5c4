// Objects of a provider's kinds, in files with their definitions, and on a server.

import type { Intent } from '@capi-serverless/apimachinery';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkFiles, checkItems } from '../../../../local/contract-check/check-contract.ts';
import { readLive } from '../../../../local/contract-check/live.ts';
import { simulatedCrds } from '../../../../local/provider/crds/index.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { aProvisionedStaticCluster, staticClusterCrd, staticClusterKind } from '../../../support/static-provider.ts';

const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'one', uid: '1' };
const labels = { 'cluster.x-k8s.io/cluster-name': 'one' };

function findingsOf(change: { readonly spec?: unknown; readonly status?: unknown; readonly metadata?: object }) {
  const sound = aProvisionedStaticCluster('default', 'one');
  const changed = { ...sound, ...change, metadata: { ...sound.metadata, ...change.metadata } };
  // The check of the definition has already reported that it has no schema for these fields.
  const text = [staticClusterCrd, changed].map(each => stringify(each, { compat: 'yaml-1.1' })).join('---\n');
  return checkFiles([{ name: 'live.yaml', text }]).findings.filter(({ object }) => object?.startsWith('StaticCluster'));
}

describe('an object by the contract', () => {
  test('without problems has no findings', () => {
    expect(findingsOf({ metadata: { ownerReferences: [owner], labels } })).toEqual([]);
  });

  test.each([
    {
      reason: 'a flag that is text',
      change: { status: { initialization: { provisioned: 'yes' } } },
      field: 'status.initialization.provisioned',
      message: 'is "yes", but the contract has a boolean there',
    },
    {
      reason: 'failure domains in the older form',
      change: { status: { failureDomains: { a: {} } } },
      field: 'status.failureDomains',
      message: 'but the contract has a list there',
    },
    {
      reason: 'a failure domain without name',
      change: { status: { failureDomains: [{ controlPlane: true }] } },
      field: 'status.failureDomains[0].name',
      message: 'is missing',
    },
    {
      reason: 'a failure domain that occurs twice',
      change: { status: { failureDomains: [{ name: 'a' }, { name: 'a' }] } },
      field: 'status.failureDomains',
      message: 'a occurs twice',
    },
    {
      reason: 'a port that cannot be',
      change: { spec: { controlPlaneEndpoint: { host: 'a', port: 70_000 } } },
      field: 'spec.controlPlaneEndpoint.port',
      message: 'a port is 1 to 65535',
    },
    {
      reason: 'provisioned without endpoint',
      change: { spec: {} },
      field: 'spec.controlPlaneEndpoint',
      message: 'write it before the flag',
    },
    {
      reason: 'a condition type that occurs twice',
      change: { status: { conditions: [1, 2].map(() => ({ type: 'Ready', status: 'True' })) } },
      field: 'status.conditions',
      message: 'Ready occurs twice',
    },
    {
      reason: 'the label of another Cluster',
      change: { metadata: { ownerReferences: [owner], labels: { 'cluster.x-k8s.io/cluster-name': 'two' } } },
      field: 'metadata.labels',
      message: 'is two, but Cluster one owns the object',
    },
  ])('shows $reason', ({ change, field, message }) => {
    expect(findingsOf(change)).toMatchObject([{ field, message: expect.stringContaining(message) }]);
  });

  test('of a control plane lists its versions ascending', () => {
    const plane = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedControlPlane',
      metadata: { name: 'one' },
      status: { versions: [{ version: 'v1.36.0' }, { version: 'v1.35.0' }], replicas: 'three' },
    };
    const text = [...simulatedCrds, plane].map(each => stringify(each, { compat: 'yaml-1.1' })).join('---\n');
    expect(checkFiles([{ name: 'live.yaml', text }]).findings).toMatchObject([
      { field: 'status.versions', message: expect.stringContaining('list versions ascending') },
      { field: 'status.replicas' },
    ]);
  });
});

describe('what is installed on a server', () => {
  const server = 'https://127.0.0.1:6443';
  const broken: Intent = {
    ...aProvisionedStaticCluster('default', 'broken'),
    status: { initialization: { provisioned: 1 } },
  };

  test('is checked with its objects, which have no place in a file', async () => {
    const api = createMemoryApi({ crds: [staticClusterCrd] });
    api.given({ ...broken, metadata: { uid: '', resourceVersion: '', namespace: 'default', name: 'broken' } });
    const name = staticClusterCrd.metadata.name;
    const { items, notes } = await readLive(api.others, { names: [name, 'absent.example.com'], server });
    expect(checkItems(items).findings).toEqual([
      {
        file: server,
        severity: 'error',
        object: 'StaticCluster default/broken',
        field: 'status.initialization.provisioned',
        message: 'is 1, but the contract has a boolean there',
      },
    ]);
    expect(notes[0]).toBe(`absent.example.com is not installed on ${server}: its objects were not checked`);
  });

  test('is everything with a contract label where no definition is named', async () => {
    const api = createMemoryApi({ crds: [staticClusterCrd] });
    const { items } = await readLive(api.others, { names: [], server });
    const names = items.map(({ object }) => object.metadata.name);
    expect(names).toEqual(expect.arrayContaining([...simulatedCrds, staticClusterCrd].map(crd => crd.metadata.name)));
    expect(checkItems(items).findings).toEqual([]);
  });

  test('is reported if some objects may not be listed', async () => {
    const api = createMemoryApi({ crds: [staticClusterCrd] });
    api.calls.fail({
      at: ({ verb, kind }) => verb === 'list' && kind === staticClusterKind.kind,
      failure: { reason: 'Forbidden', message: 'not allowed' },
    });
    const { notes } = await readLive(api.kubernetes, { names: [staticClusterCrd.metadata.name], server });
    expect(notes).toContain('StaticCluster objects could not be listed: not allowed');
  });
});
