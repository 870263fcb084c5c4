// Reads what the Cluster reconciler looks at in a ClusterClass.
import * as z from 'zod/mini';
import { availabilityGates, section } from '../fields.ts';
import type { Unstructured } from '../object.ts';

const schema = z.object({ spec: section({ availabilityGates }) });

/** Never throws: a field that cannot be read counts as absent. */
export function readClusterClass({ metadata, spec }: Unstructured) {
  return { metadata, ...schema.parse({ spec }) };
}

export type ClusterClass = ReturnType<typeof readClusterClass>;
