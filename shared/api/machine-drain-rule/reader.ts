// Reads a MachineDrainRule: which Pods of which Machines are drained, skipped or waited for.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { countOrZero, labelSelector, listOf, section, textOrEmpty } from '../fields.ts';

/** An absent selector matches everything. */
const optionalSelector = z.catch(z.optional(labelSelector), undefined);

const schema = z.object({
  metadata: section({ name: textOrEmpty }),
  spec: section({
    drain: section({ behavior: textOrEmpty, order: countOrZero }),
    machines: listOf(z.object({ selector: optionalSelector, clusterSelector: optionalSelector })),
    pods: listOf(z.object({ selector: optionalSelector, namespaceSelector: optionalSelector })),
  }),
});

export type MachineDrainRule = z.output<typeof schema>;

/** Never throws. An unreadable field is treated as absent. */
export function readMachineDrainRule({ metadata, spec }: Unstructured): MachineDrainRule {
  return schema.parse({ metadata, spec });
}
