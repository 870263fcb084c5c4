// Reads the fields of a Pod that a drain uses. A Pod is an object of a workload cluster, so any field may have any
// value.
import { toRecord } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { flag, listOf, section, text, textMap, textOrEmpty } from '../fields.ts';

const owner = z.object({ kind: z.string(), name: z.string(), controller: flag });

const volume = z.object({ persistentVolumeClaim: section({ claimName: textOrEmpty }) });

const condition = z.object({ type: z.string(), status: z.string() });

const schema = z.object({
  metadata: section({
    name: textOrEmpty,
    namespace: textOrEmpty,
    uid: textOrEmpty,
    deletionTimestamp: text,
    labels: textMap,
    annotations: textMap,
    ownerReferences: listOf(owner),
  }),
  spec: section({ volumes: listOf(volume) }),
  status: section({ phase: textOrEmpty, conditions: listOf(condition) }),
});

export type Pod = z.output<typeof schema>;

/** The fields to read, besides metadata. Containers are most of a Pod, and no drain uses them. */
export const podParts = ['spec.volumes.persistentVolumeClaim', 'status.phase', 'status.conditions'];

/** Never throws for an object. An unreadable field is treated as absent. */
export function readPod(object: unknown): Pod {
  const { metadata, spec, status } = toRecord(object);
  return schema.parse({ metadata, spec, status });
}
