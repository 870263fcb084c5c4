// Reads the fields of a VolumeAttachment that the deletion of a Machine uses. An object of a workload cluster may have
// any value in any field.
import { toRecord } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { flag, section, textOrEmpty } from '../fields.ts';

const schema = z.object({
  metadata: section({ name: textOrEmpty }),
  spec: section({ nodeName: textOrEmpty, source: section({ persistentVolumeName: textOrEmpty }) }),
  status: section({ attached: flag }),
});

export type VolumeAttachment = z.output<typeof schema>;

/** The fields to read, besides metadata. */
export const attachmentParts = ['spec.nodeName', 'spec.source.persistentVolumeName', 'status.attached'];

/** Never throws for an object. An unreadable field is treated as absent. */
export function readVolumeAttachment(object: unknown): VolumeAttachment {
  const { metadata, spec, status } = toRecord(object);
  return schema.parse({ metadata, spec, status });
}
