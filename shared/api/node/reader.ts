// Reads the fields of a Node that the Machine reconciler uses. A Node is an object of a workload cluster, so any field
// may have any value.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { flag, listOf, section, text, textMap, textOrEmpty } from '../fields.ts';

/** A taint is identified by key and effect. Other fields are kept as they are. */
const taint = z.looseObject({ key: z.string(), effect: z.string(), value: textOrEmpty });

export type NodeTaint = z.output<typeof taint>;

const nodeCondition = z.object({
  type: z.string(),
  status: z.string(),
  message: textOrEmpty,
  lastTransitionTime: text,
});

export type NodeCondition = z.output<typeof nodeCondition>;

const schema = z.object({
  metadata: section({
    name: textOrEmpty,
    uid: textOrEmpty,
    resourceVersion: textOrEmpty,
    deletionTimestamp: text,
    labels: textMap,
    annotations: textMap,
  }),
  spec: section({ providerID: textOrEmpty, unschedulable: flag, taints: listOf(taint) }),
  status: section({
    conditions: listOf(nodeCondition),
    nodeInfo: z.optional(z.unknown()),
    volumesAttached: listOf(z.object({ name: z.string() })),
  }),
});

export type WorkloadNode = z.output<typeof schema>;

/** Never throws. An unreadable field is treated as absent. */
export function readNode({ metadata, spec, status }: Unstructured): WorkloadNode {
  return schema.parse({ metadata, spec, status });
}

/** Returns true if the kubelet no longer reports: the condition Ready is Unknown. */
export function isUnreachable({ status }: WorkloadNode): boolean {
  return status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'Unknown');
}
