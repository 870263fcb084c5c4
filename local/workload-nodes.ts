// The Nodes of a simulated workload cluster. They are derived from the Machines and MachinePools of its Cluster, and
// never stored.

import type { Name, Reads, Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { controlPlaneLabel } from '../shared/api/machine/reader.ts';
import { holds, versionsIn } from './provider/machines/counts.ts';
import { coreApiVersion } from './provider/machines/machine-controller.ts';
import { toInstances } from './provider/machines/pool.ts';
import { fieldsAt, must, textAt } from './provider/machines/read.ts';

/** Returns the Nodes in the order of their names. */
export async function listNodes(
  reads: Pick<Reads, 'list'>,
  { namespace, name }: Name,
): Promise<readonly Unstructured[]> {
  const list = async (kind: string): Promise<readonly Unstructured[]> => {
    const labels = { [clusterNameLabel]: name };
    return must(
      await reads.list({ apiVersion: coreApiVersion, kind, namespace, labels }),
      `Listing ${kind}s of ${name}`,
    );
  };
  const [machines, pools] = await Promise.all([list('Machine'), list('MachinePool')]);
  return [...machines.flatMap(nodeOfMachine), ...pools.flatMap(nodesOfPool)].toSorted((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
}

function nodeOfMachine(machine: Unstructured): readonly Unstructured[] {
  const name = textAt(machine, 'status.nodeRef.name');
  const isControlPlane = controlPlaneLabel in (machine.metadata.labels ?? {});
  return name === ''
    ? []
    : [
        toNode(machine, {
          name,
          labels: isControlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {},
          nodeInfo: fieldsAt(machine, 'status.nodeInfo'),
          isReady: holds(machine, 'NodeReady'),
        }),
      ];
}

function nodesOfPool(pool: Unstructured): readonly Unstructured[] {
  return toInstances(pool.metadata, versionsIn(pool)).map(({ name, version }) =>
    toNode(pool, {
      name,
      labels: {},
      nodeInfo: {
        kubeletVersion: version,
        osImage: 'Simulated Linux',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
      isReady: holds(pool, 'Available'),
    }),
  );
}

interface NodeParts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly nodeInfo: Readonly<Record<string, unknown>>;
  readonly isReady: boolean;
}

function toNode({ metadata, spec }: Unstructured, { name, labels, nodeInfo, isReady }: NodeParts): Unstructured {
  const { resourceVersion, creationTimestamp = '' } = metadata;
  const status = isReady ? 'True' : 'False';
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      // The Node needs a different uid, because several Nodes of one pool have the same MachinePool.
      uid: `${metadata.uid}-${name}`,
      resourceVersion,
      creationTimestamp,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels },
    },
    spec: { providerID: textAt(spec, 'providerID') || `simulated://${metadata.namespace}/${name}` },
    status: { nodeInfo, conditions: [{ type: 'Ready', status, reason: isReady ? 'KubeletReady' : 'KubeletNotReady' }] },
  };
}
