// Reads what reconcilers look at in a MachinePool.
import * as z from 'zod/mini';
import { count, replicaStatus, section } from '../fields.ts';
import type { Unstructured } from '../object.ts';

const schema = z.object({ spec: section({ replicas: count }), status: replicaStatus });

/** Never throws: a field that cannot be read counts as absent. */
export function readMachinePool({ apiVersion, metadata, spec, status }: Unstructured) {
  return { apiVersion, kind: 'MachinePool', metadata, ...schema.parse({ spec, status }) } as const;
}

export type MachinePool = ReturnType<typeof readMachinePool>;
