import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { watchRoles } from '../../../simulation/oracles/roles.ts';
import type { SimulatedApi } from '../../../simulation/system/api-server.ts';

const owned = { 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' };
const worker = { ...owned, 'topology.cluster.x-k8s.io/deployment-name': 'a' };

function anObject(kind: string, name: string, labels: Readonly<Record<string, string>>): Unstructured {
  const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '1', labels };
  return { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind, metadata };
}

/** Returns the violations if these objects exist and the last one was just created. */
function reported(objects: readonly Unstructured[], when: 'created' | 'at rest'): readonly string[] {
  const reports: string[] = [];
  const existing = new Map(objects.map(object => [`${object.kind}/${object.metadata.name}`, object]));
  const api: Pick<SimulatedApi, 'objects'> = { objects: () => existing };
  const oracle = watchRoles(api, text => reports.push(text));
  const object = objects.at(-1);
  if (when === 'at rest') {
    oracle.rested?.();
  } else if (object !== undefined) {
    oracle.committed?.({ type: 'ADDED', object, previous: undefined, writer: 'topology.1' });
  }
  return reports;
}

describe('two objects for one role', () => {
  it.each([
    { kind: 'SimulatedCluster', labels: owned, when: 'created', role: 'SimulatedCluster  of Cluster ns/c1' },
    { kind: 'SimulatedControlPlane', labels: owned, when: 'created', role: 'SimulatedControlPlane  of Cluster ns/c1' },
    { kind: 'MachineDeployment', labels: worker, when: 'created', role: 'MachineDeployment a of Cluster ns/c1' },
    { kind: 'MachineHealthCheck', labels: worker, when: 'created', role: 'MachineHealthCheck a of Cluster ns/c1' },
    {
      kind: 'SimulatedMachineTemplate',
      labels: worker,
      when: 'at rest',
      role: 'SimulatedMachineTemplate a of Cluster ns/c1',
    },
  ] as const)('are seen: $kind, $when', ({ kind, labels, when, role }) => {
    const two = [anObject(kind, 'one', labels), anObject(kind, 'two', labels)];
    const where = when === 'created' ? 'Roles: ' : 'Roles: at rest ';
    expect(reported(two, when)).toEqual([`${where}one and two are all ${role}`]);
  });

  it.each([
    {
      reason: 'of two MachineDeployments of other names',
      objects: [
        anObject('MachineDeployment', 'one', worker),
        anObject('MachineDeployment', 'two', { ...worker, 'topology.cluster.x-k8s.io/deployment-name': 'b' }),
      ],
    },
    {
      reason: 'of two Clusters',
      objects: [
        anObject('SimulatedCluster', 'one', owned),
        anObject('SimulatedCluster', 'two', { ...owned, 'cluster.x-k8s.io/cluster-name': 'c2' }),
      ],
    },
    {
      reason: 'that a topology did not make',
      objects: [anObject('SimulatedCluster', 'one', {}), anObject('SimulatedCluster', 'two', {})],
    },
    {
      reason: 'that its own writes cause',
      objects: [anObject('Machine', 'one', worker), anObject('Machine', 'two', worker)],
    },
    {
      reason: 'while a template has a successor',
      objects: [
        anObject('SimulatedMachineTemplate', 'one', worker),
        anObject('SimulatedMachineTemplate', 'two', worker),
      ],
    },
  ])('are not a violation $reason', ({ reason, objects }) => {
    expect(reported(objects, 'created')).toEqual([]);
    if (reason !== 'while a template has a successor') {
      expect(reported(objects, 'at rest')).toEqual([]);
    }
  });
});
