// Reads the fields of a PersistentVolume that the deletion of a Machine uses. An object of a workload cluster may have
// any value in any field.
import { toRecord } from '@capi-serverless/apimachinery';
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

/** The fields to read, besides metadata. */
export const persistentVolumeParts = ['spec.csi', 'spec.claimRef'];

/** Never throws for an object. An unreadable field is treated as absent. */
export function readPersistentVolume(object: unknown): PersistentVolume {
  const { metadata, spec } = toRecord(object);
  return schema.parse({ metadata, spec });
}
