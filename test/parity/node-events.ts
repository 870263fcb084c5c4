// An event source for the Nodes of a workload cluster: a changed Node enqueues its Machine.

import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { messageVersion } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import { workQueueOf } from '../../shared/workqueue/queue-names.ts';
import type { RunningSystem } from '../simulation/system/system.ts';
import type { ParityStage } from './player.ts';

const clusterNameKey = 'cluster.x-k8s.io/cluster-name';
const clusterNamespaceKey = 'cluster.x-k8s.io/cluster-namespace';
const machines = { group: 'cluster.x-k8s.io', kind: 'Machine' };

/** The result of a scan of all Nodes is used for this time, so each event is repeated afterwards. */
const scanMs = 10_000;

interface NodeEvents {
  /** The number of events that are not sent yet. */
  readonly pending: number;
}

/** Upstream watches the Nodes of each workload cluster. Here the API server is the only workload cluster. */
export function watchNodes(
  { kubernetes, onChange, sleep }: Pick<ParityStage, 'kubernetes' | 'onChange' | 'sleep'>,
  { queues, managementCluster, declarations }: Pick<RunningSystem, 'queues' | 'managementCluster' | 'declarations'>,
): NodeEvents {
  const events = { pending: 0 };
  const reconciler = declarations.find(({ primary }) => primary.kind === machines.kind)?.name;
  if (reconciler === undefined) {
    return events;
  }
  const enqueue = async (node: Unstructured, sources: readonly string[]): Promise<void> => {
    const listed = await kubernetes.list({ apiVersion: `${machines.group}/v1beta2`, kind: machines.kind });
    const machine = machineOfNode(node, listed.ok ? listed.value : []);
    if (machine === undefined) {
      return;
    }
    const { resourceVersion } = node.metadata;
    const { namespace = '', name } = machine.metadata;
    const key = { managementCluster, ...machines, namespace, name };
    const message = toWorkMessage(
      { v: messageVersion, reconciler, key, cause: 'event', attempt: 0, sources: [...sources], trace: resourceVersion },
      () => '',
    );
    await queues.service.send(workQueueOf(reconciler), [message]);
  };
  const send = async (node: Unstructured): Promise<void> => {
    const { uid, resourceVersion } = node.metadata;
    events.pending += 1;
    await enqueue(node, [`${uid}@${resourceVersion}`]);
    await sleep(scanMs);
    await enqueue(node, [`${uid}@${resourceVersion}`, 'repeated']);
    events.pending -= 1;
  };
  onChange(object => {
    if (object.kind === 'Node') {
      void send(object);
    }
  });
  return events;
}

/** Returns the only Machine that names this Node, or else the only one with its providerID. */
export function machineOfNode(node: Unstructured, candidates: readonly Unstructured[]): Unstructured | undefined {
  const { name, annotations = {} } = node.metadata;
  const near = candidates.filter(
    ({ metadata: { labels = {}, namespace = '' } }) =>
      labels[clusterNameKey] === (annotations[clusterNameKey] ?? labels[clusterNameKey]) &&
      namespace === (annotations[clusterNamespaceKey] ?? namespace),
  );
  const providerID = valueAt(node, 'spec.providerID');
  const named = near.filter(machine => valueAt(machine, 'status.nodeRef.name') === name);
  const identified = near.filter(
    machine => providerID !== undefined && valueAt(machine, 'spec.providerID') === providerID,
  );
  return [named, identified].find(({ length }) => length === 1)?.[0];
}
