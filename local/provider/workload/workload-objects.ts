// The objects that a simulated machine has in its workload cluster: its Node, sample Pods, and a volume. Pure.
import { type Instant, isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { toTime } from '../progress.ts';
import type { SimulatedNode } from './simulated-node.ts';

const system = 'kube-system';
const controlPlaneRole = 'node-role.kubernetes.io/control-plane';
const driver = 'csi.simulated.example';

/** The seconds that a sample Pod needs to end. */
const terminationGracePeriodSeconds = 5;

export function toNode(node: SimulatedNode, now: Instant): JsonObject {
  const { name, providerID, isControlPlane } = node;
  const noSchedule = (key: string): JsonObject => ({ key, effect: 'NoSchedule' });
  const capacity = { cpu: '2', memory: '4Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...(isControlPlane ? { [controlPlaneRole]: '' } : {}),
      },
    },
    spec: {
      providerID,
      taints: [
        ...(isControlPlane ? [noSchedule(controlPlaneRole)] : []),
        noSchedule('node.cluster.x-k8s.io/uninitialized'),
      ],
    },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'Hostname', address: name },
        { type: 'InternalDNS', address: `${name}.simulated.example` },
      ],
      nodeInfo: toNodeInfo(node),
      conditions: toConditions(node, now),
      volumesAttached: [],
    },
  };
}

function toNodeInfo({ id, version }: SimulatedNode): JsonObject {
  return {
    machineID: id,
    systemUUID: id,
    bootID: id,
    kernelVersion: '6.12.0-simulated',
    osImage: 'Simulated Linux',
    containerRuntimeVersion: 'containerd://2.1.0',
    kubeletVersion: version,
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: 'amd64',
  };
}

type Health = Pick<SimulatedNode, 'state' | 'message'>;

/** The Ready condition, and those of the resources of the Node. */
export function toConditions(health: Health, now: Instant): readonly JsonObject[] {
  const time = toTime(now);
  const isKnown = health.state !== 'unreachable';
  const unknown = { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
  const condition = (type: string, known: JsonObject): JsonObject => ({
    type,
    ...(isKnown ? known : unknown),
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  const pressures = [
    ['MemoryPressure', 'KubeletHasSufficientMemory'],
    ['DiskPressure', 'KubeletHasNoDiskPressure'],
    ['PIDPressure', 'KubeletHasSufficientPID'],
  ] as const;
  return [
    ...pressures.map(([type, reason]) => condition(type, { status: 'False', reason, message: reason })),
    condition(
      'Ready',
      health.state === 'ready'
        ? { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
        : { status: 'False', reason: 'KubeletNotReady', message: health.message },
    ),
  ];
}

/** Returns whether conditions of both lists have the same status, reason and message. Times are not compared. */
export function sameConditions(stored: unknown, wanted: readonly JsonObject[]): boolean {
  const list = Array.isArray(stored) ? stored.filter(isJsonObject) : [];
  return wanted.every(each =>
    list.some(other => ['type', 'status', 'reason', 'message'].every(member => other[member] === each[member])),
  );
}

export const kubeProxySet: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-proxy', namespace: system },
  spec: {
    selector: { matchLabels: { 'k8s-app': 'kube-proxy' } },
    template: { metadata: { labels: { 'k8s-app': 'kube-proxy' } }, spec: { containers: containers('kube-proxy') } },
  },
};

function containers(name: string): readonly JsonObject[] {
  return [{ name, image: `registry.simulated.example/${name}` }];
}

/** The sample Pods of a new Node. `daemonSet` is the uid of kube-proxy. */
export function toPods({ name, isControlPlane }: SimulatedNode, daemonSet: string): readonly JsonObject[] {
  const pod = (of: JsonObject, metadata: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { nodeName: name, terminationGracePeriodSeconds, ...of },
  });
  const controller = { controller: true, blockOwnerDeletion: true };
  const proxy = pod(
    { containers: containers('kube-proxy') },
    {
      name: `kube-proxy-${name}`,
      namespace: system,
      labels: { 'k8s-app': 'kube-proxy' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'kube-proxy', uid: daemonSet, ...controller },
      ],
    },
  );
  const server = pod(
    { containers: containers('kube-apiserver') },
    {
      name: `kube-apiserver-${name}`,
      namespace: system,
      annotations: { 'kubernetes.io/config.mirror': 'simulated' },
    },
  );
  const web = pod(
    { containers: containers('web') },
    {
      name: `web-${name}`,
      namespace: 'default',
      labels: { app: 'web' },
      // No kind ReplicaSet is served, so that nothing replaces the Pod.
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', ...controller }],
    },
  );
  return [proxy, isControlPlane ? server : web];
}

export const runningPod = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
} as const;

interface AttachedVolume {
  /** The name of the PersistentVolume and of its VolumeAttachment. */
  readonly name: string;
  readonly volume: JsonObject;
  readonly attachment: JsonObject;
  /** The entry in the status of the Node. */
  readonly attached: JsonObject;
}

/** The volume of a Node. It belongs to the claim `default/data-<node>`. */
export function toVolume({ name: node }: SimulatedNode): AttachedVolume {
  const name = `${node}-data`;
  return {
    name,
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver, volumeHandle: name },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: `data-${node}` },
      },
    },
    attachment: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name },
      spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: name } },
    },
    attached: { name: `kubernetes.io/csi/${driver}^${name}`, devicePath: '' },
  };
}
