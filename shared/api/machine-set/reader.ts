// Reads the fields of a MachineSet that reconcilers use.

import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { count, replicaStatus, section } from '../fields.ts';

const schema = z.object({ spec: section({ replicas: count }), status: replicaStatus });

/** Never throws. An unreadable field is treated as absent. */
export function readMachineSet({ apiVersion, metadata, spec, status }: Unstructured) {
  return { apiVersion, kind: 'MachineSet', metadata, ...schema.parse({ spec, status }) } as const;
}

export type MachineSet = ReturnType<typeof readMachineSet>;
