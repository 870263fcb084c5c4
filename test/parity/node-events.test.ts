import type { Unstructured } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { machineOfNode } from './node-events.ts';

const meta = { uid: 'u', resourceVersion: '1' };
const clusterName = 'cluster.x-k8s.io/cluster-name';

function aMachine(name: string, nodeRef: string, providerID: string | undefined, cluster = 'c1'): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { ...meta, name, namespace: 'ns', labels: { [clusterName]: cluster } },
    spec: providerID === undefined ? {} : { providerID },
    status: nodeRef === '' ? {} : { nodeRef: { name: nodeRef } },
  };
}

function aNode(providerID: string | undefined, annotations: Record<string, string> = {}): Unstructured {
  const spec = providerID === undefined ? {} : { providerID };
  return { apiVersion: 'v1', kind: 'Node', metadata: { ...meta, name: 'n1', annotations }, spec };
}

it.each([
  {
    reason: 'the name',
    machines: [aMachine('a', 'n1', 'x'), aMachine('b', '', 'p1')],
    node: aNode('p1'),
    enqueued: 'a',
  },
  {
    reason: 'the providerID',
    machines: [aMachine('a', 'n2', 'x'), aMachine('b', '', 'p1')],
    node: aNode('p1'),
    enqueued: 'b',
  },
  { reason: 'two providerIDs', machines: [aMachine('a', '', 'p1'), aMachine('b', '', 'p1')], node: aNode('p1') },
  { reason: 'no providerID', machines: [aMachine('a', '', undefined)], node: aNode(undefined) },
  {
    reason: 'the name in the Cluster that the Node names',
    machines: [aMachine('a', 'n1', 'x', 'c2'), aMachine('b', 'n1', 'x', 'c1')],
    node: aNode('p1', { [clusterName]: 'c2', 'cluster.x-k8s.io/cluster-namespace': 'ns' }),
    enqueued: 'a',
  },
  {
    reason: 'the namespace that the Node names',
    machines: [aMachine('a', 'n1', 'x')],
    node: aNode('p1', { 'cluster.x-k8s.io/cluster-namespace': 'other' }),
  },
])('$reason', ({ machines, node, enqueued }) => {
  expect(machineOfNode(node, machines)?.metadata.name).toBe(enqueued);
});
