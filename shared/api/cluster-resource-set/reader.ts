// Reads the fields of a ClusterResourceSet that its reconciler uses. Writes start from `object`, so that unknown fields
// are kept.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { conditions, labelSelector, listOf, readMeta, section, textOrEmpty } from '../fields.ts';

export const addonsApiVersion = 'addons.cluster.x-k8s.io/v1beta2';

/** Names a ConfigMap or a Secret. */
const resource = z.object({ kind: z.enum(['ConfigMap', 'Secret']), name: z.string() });

export type ResourceName = z.output<typeof resource>;

const schema = z.object({
  spec: section({
    clusterSelector: z.catch(labelSelector, { matchLabels: {}, matchExpressions: [] }),
    resources: listOf(resource),
    strategy: textOrEmpty,
  }),
  status: section({
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readResourceSet(object: Unstructured) {
  return { object, metadata: readMeta(object.metadata), ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type ClusterResourceSet = ReturnType<typeof readResourceSet>;
