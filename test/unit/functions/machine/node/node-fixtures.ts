// A Machine, its Cluster and its Node, for tests of the Node phase.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { NodeSettings, NodeSync } from '../../../../../functions/machine/phases/node/node-patch.ts';
import { readWholeMachine, type WholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readNode, type WorkloadNode } from '../../../../../shared/api/node/reader.ts';

export const now = Date.parse('2026-01-01T12:00:00Z');
const providerID = 'foo://1';

type Texts = Readonly<Record<string, string>>;

interface MachineChange {
  readonly metadata?: Partial<Unstructured['metadata']>;
  readonly spec?: object;
  readonly status?: object;
}

/** A Machine of MachineSet ms1 with providerID and without Node. */
export function aNodeMachine({ metadata = {}, spec = {}, status = {} }: MachineChange = {}): WholeMachine {
  return readWholeMachine({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: {
      name: 'm1',
      namespace: 'ns',
      uid: 'm-uid',
      resourceVersion: '1',
      ownerReferences: [
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms1', uid: 'ms', controller: true },
      ],
      ...metadata,
    },
    spec: {
      clusterName: 'c1',
      providerID,
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine', name: 'i1' },
      ...spec,
    },
    status,
  });
}

/** The annotations of a Node that needs no write. */
export const settledAnnotations: Texts = {
  'cluster.x-k8s.io/cluster-name': 'c1',
  'cluster.x-k8s.io/cluster-namespace': 'ns',
  'cluster.x-k8s.io/machine': 'm1',
  'cluster.x-k8s.io/owner-kind': 'MachineSet',
  'cluster.x-k8s.io/owner-name': 'ms1',
  'cluster.x-k8s.io/labels-from-machine': '',
  'cluster.x-k8s.io/annotations-from-machine': '',
};

const healthy = [
  { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T11:00:00Z' },
  { type: 'MemoryPressure', status: 'False' },
  { type: 'DiskPressure', status: 'False' },
  { type: 'PIDPressure', status: 'False' },
];

interface NodeContent {
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly spec?: object;
  readonly conditions?: readonly object[];
}

/** A healthy Node that needs no write. */
export function aNode({
  labels = {},
  annotations = settledAnnotations,
  spec = {},
  conditions = healthy,
}: NodeContent = {}): WorkloadNode {
  return readNode({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', uid: 'n-uid', resourceVersion: '7', labels, annotations },
    spec: { providerID, ...spec },
    status: { conditions, nodeInfo: { kubeletVersion: 'v1.31.0' } },
  });
}

export const nodeSettings: NodeSettings = {
  propagatesTaints: false,
  syncsLabel: () => false,
  syncsAnnotation: () => false,
};

export function aSync(change: Partial<NodeSync> = {}): NodeSync {
  return {
    machine: aNodeMachine(),
    machineSet: undefined,
    machineDeployment: undefined,
    isInterruptible: false,
    settings: nodeSettings,
    ...change,
  };
}
