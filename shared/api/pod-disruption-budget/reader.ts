// Reads the fields of a PodDisruptionBudget that tell whether it refuses evictions now. It is an object of a workload
// cluster, so any field may have any value.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { countOrZero, labelSelector, section, textOrEmpty } from '../fields.ts';

const schema = z.object({
  metadata: section({ name: textOrEmpty, namespace: textOrEmpty, generation: countOrZero }),
  spec: section({
    /** An absent selector matches no Pod. An empty one matches all Pods of the namespace. */
    selector: z.catch(z.optional(labelSelector), undefined),
    unhealthyPodEvictionPolicy: textOrEmpty,
  }),
  status: section({
    disruptionsAllowed: countOrZero,
    currentHealthy: countOrZero,
    desiredHealthy: countOrZero,
    observedGeneration: countOrZero,
  }),
});

export type PodDisruptionBudget = z.output<typeof schema>;

/** Never throws. An unreadable field is treated as absent. */
export function readPodDisruptionBudget({ metadata, spec, status }: Unstructured): PodDisruptionBudget {
  return schema.parse({ metadata, spec, status });
}
