// Reads the fields of a PersistentVolume that the deletion of a Machine uses. An object of a workload cluster may have
// any value in any field.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { section, textOrEmpty } from '../fields.ts';

const schema = z.object({
  metadata: section({ name: textOrEmpty }),
  spec: section({
    csi: section({ driver: textOrEmpty, volumeHandle: textOrEmpty }),
    claimRef: section({ kind: textOrEmpty, namespace: textOrEmpty, name: textOrEmpty }),
  }),
});

export type PersistentVolume = z.output<typeof schema>;

/** Never throws. An unreadable field is treated as absent. */
export function readPersistentVolume({ metadata, spec }: Unstructured): PersistentVolume {
  return schema.parse({ metadata, spec });
}
