// Reads the conditions of a Node, and nothing else: a list of Nodes is large because of their images. A Node is an object
// of a workload cluster, so any field may have any value.
import * as z from 'zod/mini';
import { listOf, section, text, textOrEmpty } from '../fields.ts';

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: textOrEmpty,
  lastTransitionTime: text,
});

const schema = section({
  metadata: section({ name: textOrEmpty }),
  status: section({ conditions: listOf(condition) }),
});

export interface NodeHealth {
  readonly name: string;
  readonly conditions: readonly z.output<typeof condition>[];
}

/** Never throws. An unreadable field is treated as absent. */
export function readNodeHealth(raw: unknown): NodeHealth {
  const { metadata, status } = schema.parse(raw);
  return { name: metadata.name, conditions: status.conditions };
}
