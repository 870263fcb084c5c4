// Reads the fields of a VolumeAttachment that the deletion of a Machine uses. An object of a workload cluster may have
// any value in any field.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { flag, section, textOrEmpty } from '../fields.ts';

const schema = z.object({
  metadata: section({ name: textOrEmpty }),
  spec: section({ nodeName: textOrEmpty, source: section({ persistentVolumeName: textOrEmpty }) }),
  status: section({ attached: flag }),
});

export type VolumeAttachment = z.output<typeof schema>;

/** Never throws. An unreadable field is treated as absent. */
export function readVolumeAttachment({ metadata, spec, status }: Unstructured): VolumeAttachment {
  return schema.parse({ metadata, spec, status });
}
