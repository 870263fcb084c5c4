// Reads the fields of a Node that the MachinePool reconciler uses, and nothing else: a list of Nodes is large. A Node is an
// object of a workload cluster, so any field may have any value.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import * as z from 'zod/mini';
import { listOf, section, text, textMap, textOrEmpty } from '../fields.ts';
import type { NodeTaint } from './reader.ts';

const taint = z.looseObject({ key: z.string(), effect: z.string(), value: textOrEmpty });

const condition = z.object({ type: z.string(), status: z.string(), lastTransitionTime: text });

const schema = section({
  metadata: section({ name: textOrEmpty, uid: textOrEmpty, resourceVersion: textOrEmpty, annotations: textMap }),
  spec: section({ providerID: textOrEmpty, taints: listOf(taint) }),
  status: section({ conditions: listOf(condition), nodeInfo: section({ kubeletVersion: textOrEmpty }) }),
});

/** The annotations that name the owner of a Node. */
export const ownerAnnotations = {
  clusterName: 'cluster.x-k8s.io/cluster-name',
  clusterNamespace: 'cluster.x-k8s.io/cluster-namespace',
  ownerKind: 'cluster.x-k8s.io/owner-kind',
  ownerName: 'cluster.x-k8s.io/owner-name',
} as const;

export interface PoolNode {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** "" if the Node has none. */
  readonly providerID: string;
  readonly kubeletVersion: string;
  readonly isReady: boolean;
  /** The time since which the Node is ready or not. `undefined` if the Node does not report it. */
  readonly readySince: Instant | undefined;
  /** The annotations in `ownerAnnotations`. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
}

/** Never throws. An unreadable field is treated as absent. */
export function readPoolNode(raw: unknown): PoolNode {
  const { metadata, spec, status } = schema.parse(raw);
  const { name, uid, resourceVersion, annotations } = metadata;
  const keys: readonly string[] = Object.values(ownerAnnotations);
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  return {
    name,
    uid,
    resourceVersion,
    providerID: spec.providerID,
    kubeletVersion: status.nodeInfo.kubeletVersion,
    isReady: ready?.status === 'True',
    readySince: instantOf(ready?.lastTransitionTime),
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => keys.includes(key))),
    taints: spec.taints,
  };
}
